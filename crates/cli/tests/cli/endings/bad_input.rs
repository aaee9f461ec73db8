//! Bad command lines: exit 2, one line that says what was wrong, with the value, and what to do.

use crate::run::{Finished, Run, crawler, objects};

const SEED: &str = "http://127.0.0.1:1/";
/// What the messages refer to: the help, or an example.
const HELP: &str = "--help";
const EXAMPLE: &str = "https://example.org/";

#[track_caller]
fn assert_rejected(ended: Finished, expected: &[&str]) {
    let ended = ended.with_code(2);
    assert_eq!(ended.stdout, "", "{}", ended.output());
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{}", ended.output());
    assert!(lines[0].starts_with("error: "), "{}", ended.output());
    for text in expected {
        ended.stderr_contains(text);
    }
}

#[test]
fn invalid_seeds() {
    let cases: [(&str, &[&str]); 17] = [
        ("", &["empty", EXAMPLE]),
        ("   ", &[EXAMPLE]),
        ("example.org", &["example.org", "https://example.org"]),
        ("example.org/a?b", &["https://example.org/a?b"]),
        ("/relative", &["/relative", "is a file path"]),
        ("../up", &["../up", "is a file path"]),
        ("//example.org/", &["absolute", "https://example.org/"]),
        ("ftp://example.org/", &["ftp:", EXAMPLE]),
        ("mailto:a@example.org", &["mailto:", EXAMPLE]),
        ("file:///etc/passwd", &["file:", EXAMPLE]),
        ("javascript:alert(1)", &["javascript:", EXAMPLE]),
        ("http://", &["no host", EXAMPLE]),
        ("http:///", &["no host", EXAMPLE]),
        ("http://a:99999/", &["http://a:99999/", "port", EXAMPLE]),
        ("http://a:port/", &["http://a:port/", "port", EXAMPLE]),
        ("http://[::1/", &["http://[::1/", EXAMPLE]),
        ("http://a b/", &["http://a b/", EXAMPLE]),
    ];
    for (seed, expected) in cases {
        assert_rejected(crawler(&[seed]), expected);
        assert_rejected(crawler(&["crawl", seed]), expected);
        assert_rejected(crawler(&["map", seed]), expected);
        assert_rejected(crawler(&["--url", seed]), expected);
    }
}

#[test]
fn no_seed_at_all() {
    for args in [&["crawl"][..], &["map"], &["--format", "json"], &["-v"]] {
        assert_rejected(crawler(args), &["<URL>", EXAMPLE]);
    }
}

#[test]
fn no_arguments_show_the_help_on_stderr() {
    let ended = crawler::<&str>(&[]).with_code(2);
    assert_eq!(ended.stdout, "");
    ended
        .stderr_contains("crawler <URL>")
        .stderr_contains("https://example.org/");
}

#[test]
fn invalid_flags() {
    let cases: [(&[&str], &[&str]); 11] = [
        (&["-o", ""], &["--output-file", "required", HELP]),
        (&["--max-page", "3"], &["--max-page'", "--max-pages", HELP]),
        (&["--fromat", "json"], &["--fromat", "--format", HELP]),
        (&["--wrokers=3"], &["--wrokers", "--workers", HELP]),
        (&["--nonsense"], &["--nonsense", HELP]),
        (&["-x"], &["-x", HELP]),
        (&["--scope"], &["--scope", "host, domain, prefix", HELP]),
        (&["--quiet", "--verbose"], &["--quiet", "--verbose", HELP]),
        (&["-q", "-v"], &["--quiet", "--verbose", HELP]),
        (&["http://127.0.0.1:2/"], &["http://127.0.0.1:2/", HELP]),
        (&["--url", "http://127.0.0.1:2/"], &["--url", HELP]),
    ];
    for (flags, expected) in cases {
        assert_rejected(crawler(&[&[SEED], flags].concat()), expected);
    }
}

#[test]
fn an_invalid_value_names_the_valid_ones() {
    let cases = [
        ("--format", "yaml", "ndjson"),
        ("--format", "JSON", "ndjson"),
        ("--profile", "fast", "conservative"),
        ("--robots", "maybe", "ignore"),
        ("--sitemaps", "yes", "include"),
        ("--scope", "world", "prefix"),
        ("--trailing-slash", "drop", "merge"),
        ("--strip-fragments", "perhaps", "true, false"),
        ("--links", "some", "in-scope"),
        ("--schemes", "ftp", "http, all"),
        ("--traps", "maybe", "on, off"),
        ("--progress", "sometimes", "never"),
        ("--color", "green", "always"),
        ("--log-format", "xml", "text, json"),
    ];
    for (flag, value, known) in cases {
        let ended = crawler(&[SEED, flag, value]);
        assert_rejected(ended, &[flag, &format!("'{value}'"), known, HELP]);
    }
    assert_rejected(crawler(&["completions", "tcsh"]), &["'tcsh'", "zsh", HELP]);
    let ended = crawler(&["map", SEED, "--format", "html"]);
    assert_rejected(ended, &["'html'", "sitemap", HELP]);
}

#[test]
fn numbers_durations_and_sizes() {
    let whole = "whole number";
    let cases: [(&str, &[&str], &[&str]); 7] = [
        (
            "--max-pages",
            &["many", "-1", "1.5", "", "9".repeat(30).leak()],
            &[whole],
        ),
        ("--max-depth", &["deep", "-1", "4294967296"], &[whole]),
        ("--workers", &["x", "-3"], &[whole]),
        ("--rate-ms", &["10ms", "-1"], &[whole]),
        ("--max-attempts", &["-1", "three"], &[whole]),
        (
            "--timeout",
            &["soon", "10x", "1m30", ""],
            &["duration", "500ms"],
        ),
        (
            "--max-bytes",
            &["5 parsecs", "MB", "1e99", ""],
            &["size", "2MB"],
        ),
    ];
    for (flag, values, remedy) in cases {
        for value in values {
            let mut expected = vec![flag, value];
            expected.extend(remedy);
            assert_rejected(crawler(&[SEED, flag, value]), &expected);
        }
    }
    assert_rejected(crawler(&[SEED, "--timeout", "-1s"]), &["-1", HELP]);
}

#[test]
fn numbers_out_of_range() {
    let cases = [
        ("--workers", "0", "1 to 1000"),
        ("--workers", "100000", "1 to 1000"),
        ("--max-parallel", "0", "1 to 1000"),
        ("--max-attempts", "0", "1 to 100"),
        ("--max-redirects", "101", "0 to 100"),
        (
            "--rate-ms",
            "86400001",
            "86400001 is out of range; use 0 to 86400000",
        ),
        ("--timeout", "0", "use 1ms to 1h"),
        ("--timeout", "2h", "2h is out of range; use 1ms to 1h"),
        ("--max-body-bytes", "0", "use 1"),
    ];
    for (flag, value, range) in cases {
        let ended = crawler(&[SEED, flag, value]);
        assert_rejected(ended, &["out of range", range]);
    }
}

#[test]
fn patterns_headers_and_proxies() {
    let cases: [(&str, &str, &[&str]); 15] = [
        (
            "--include",
            "(",
            &["--include", "\"(\"", "( has no closing )"],
        ),
        ("--exclude", "[a", &["--exclude", "\"[a\"", "\\"]),
        ("--exclude", "*", &["--exclude", "\"*\"", "\\"]),
        (
            "--header",
            "nocolon",
            &["--header", "nocolon", "'Name: value'"],
        ),
        ("--header", ": v", &["--header", "header name"]),
        ("--header", "A B: v", &["--header", "A B", "letters"]),
        ("--header", "A: b\r\nInjected: yes", &["--header", "'\\r'"]),
        ("--header", "A: b\nInjected: yes", &["--header", "'\\n'"]),
        (
            "--header",
            "A\r\nInjected: yes",
            &["--header", "A\\r\\nInjected"],
        ),
        (
            "--header",
            "Host: x",
            &["--header", "Host", "set by the crawler"],
        ),
        ("--user-agent", "a\nb", &["--user-agent", "'\\n'"]),
        ("--user-agent", "", &["--user-agent", "empty", "mybot/1.0"]),
        (
            "--proxy",
            "socks5://127.0.0.1:9",
            &["--proxy", "http://127.0.0.1:3128"],
        ),
        (
            "--proxy",
            "127.0.0.1:3128",
            &["--proxy", "http://127.0.0.1:3128"],
        ),
        (
            "--path-delay",
            "search=2s",
            &["--path-delay", "search=2s", "/search=2s"],
        ),
    ];
    for (flag, value, expected) in cases {
        assert_rejected(crawler(&[SEED, flag, value]), expected);
    }
}

#[test]
fn the_password_of_a_proxy_is_not_printed() {
    let ended = crawler(&[SEED, "--proxy", "socks5://me:hunter2@127.0.0.1:9"]);
    ended.stderr_lacks("hunter2");
    assert_rejected(ended, &["--proxy"]);
}

#[test]
fn arguments_cannot_control_the_terminal() {
    let cases = [
        vec!["exa\x1b[31mmple.org"],
        vec![SEED, "--format", "\x1b]0;title\x07"],
        vec![SEED, "--fo\x1b[2Jo"],
        vec![SEED, "--include", "(\x1b[2J"],
        vec![SEED, "--header", "x\x1b[2J"],
    ];
    for args in cases {
        let ended = crawler(&args).with_code(2);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.output());
        let control = ended.stderr.trim_end().chars().find(|c| c.is_control());
        assert_eq!(control, None, "{}", ended.output());
    }
}

#[test]
fn usage_errors_are_json_on_request() {
    for args in [
        &[SEED, "--log-format", "json", "--workers", "0"][..],
        &["example.org", "--log-format=json"],
        &[SEED, "--log-format", "json", "--format", "yaml"],
        &[SEED, "--nonsense", "--log-format=json"],
    ] {
        let ended = Run::new(args).finish().with_code(2);
        let lines = objects(&ended.stderr);
        assert_eq!(lines.len(), 1, "{}", ended.output());
        assert_eq!(lines[0]["level"], "error");
        assert_eq!(lines[0]["event"], "bad_usage");
        assert!(!lines[0]["message"].as_str().unwrap().is_empty());
    }
}
