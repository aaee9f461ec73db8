//! Messages on stderr: the start line, levels, JSON, color, the summary. stdout carries data only.

use std::time::Duration;

use serde_json::Value;
use testsite::{Graph, Pages, Server, SiteResponse};

use crate::run::{Finished, Run, crawler, objects};

fn small_site() -> Server {
    let site = Pages::new()
        .links("/", &["/a", "/gone", "/old", "/file", "/private"])
        .links("/a", &["/", "https://example.org/out"])
        .redirect("/old", "/a")
        .page("/file", SiteResponse::text("text"))
        .robots("User-agent: *\nDisallow: /private\n");
    Server::start(site)
}

#[test]
fn one_line_shows_the_resolved_configuration() {
    let server = small_site();
    let ended = crawler(&[server.url("/")]).with_code(0);
    let first = ended.stderr.lines().next().unwrap();
    let seed = server.url("/");
    for text in [
        &*seed,
        "profile balanced",
        "max pages 2,000",
        "max depth 5",
        "workers 25",
        "timeout 10s",
        "attempts 3",
        "robots respect",
        "scope host",
        "trailing slash merge",
        "text to stdout",
    ] {
        assert!(first.contains(text), "{text}: {first}");
    }
    assert_eq!(
        ended.stderr_lines("Crawling ").len(),
        1,
        "{}",
        ended.output()
    );
}

#[test]
fn the_start_line_shows_the_configuration() {
    let server = small_site();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.csv");
    let name = file.to_str().unwrap();
    let cases: [(&[&str], &[&str]); 5] = [
        (
            &["--profile", "exhaustive"],
            &[
                "profile exhaustive",
                "max pages no limit",
                "max depth no limit",
                "workers 8",
                "attempts 1",
                "trailing slash keep",
                "traps off",
            ],
        ),
        (
            &[
                "--profile",
                "conservative",
                "--max-pages",
                "7",
                "--workers",
                "3",
            ],
            &[
                "profile conservative",
                "max pages 7",
                "max depth 3",
                "workers 3",
            ],
        ),
        (
            &[
                "--max-duration",
                "10m",
                "--max-bytes",
                "500MB",
                "--rate-ms",
                "5",
            ],
            &["max duration 600s", "max bytes 500.0 MB", "rate 5ms"],
        ),
        (
            &[
                "--robots",
                "ignore",
                "--scope",
                "prefix",
                "--strip-query",
                "--sitemaps",
                "include",
            ],
            &[
                "robots ignore",
                "scope prefix",
                "query stripped",
                "sitemaps include",
            ],
        ),
        (&["--format", "csv", "-o", name], &["csv to", name]),
    ];
    for (flags, texts) in cases {
        let ended = crawler(&[&[&*server.url("/")], flags].concat()).with_code(0);
        let first = ended.stderr.lines().next().unwrap();
        for text in texts {
            assert!(first.contains(text), "{text}: {first}");
        }
    }
}

#[test]
fn passwords_are_not_printed() {
    let server = small_site();
    let seed = server.url("/").replace("http://", "http://me:hunter2@");
    let proxy = testsite::Proxy::start_guarded("me", "hunter3");
    let ended = crawler(&[&seed, "-v", "--proxy", &proxy.url_with("me", "hunter3")]).with_code(0);
    ended.stderr_lacks("hunter2").stderr_lacks("hunter3");
    assert!(!ended.stdout.contains("hunter"));
}

#[test]
fn quiet_prints_nothing_on_success() {
    let server = small_site();
    for flag in ["-q", "--quiet"] {
        let ended = crawler(&[&server.url("/"), flag]).with_code(0);
        assert_eq!(ended.stderr, "");
        assert_eq!(ended.visited().len(), 5);
    }
    let ended = crawler(&[&server.url("/"), "-q", "--progress", "always"]).with_code(0);
    assert_eq!(ended.stderr, "");
}

#[test]
fn verbose_logs_each_page_and_very_verbose_each_link() {
    let server = small_site();
    let url = |path| server.url(path);
    let plain = crawler(&[url("/")]).with_code(0);
    plain
        .stderr_lacks("Fetched")
        .stderr_lacks("Skipped")
        .stderr_lacks("  link ");
    let verbose = crawler(&[&url("/"), "-v"]).with_code(0);
    assert_eq!(
        verbose
            .stderr_lines(&format!("Fetched {} (200, 5 links", url("/")))
            .len(),
        1
    );
    assert_eq!(
        verbose
            .stderr_lines(&format!("Fetched {} (200, 2 links", url("/a")))
            .len(),
        1
    );
    verbose.stderr_contains("(200, not html");
    let old = format!("Redirected {} to {} (301)", url("/old"), url("/a"));
    verbose.stderr_contains(&old);
    verbose.stderr_contains(&format!(
        "Skipped {}: blocked by robots.txt (Disallow: /private)",
        url("/private")
    ));
    assert_eq!(verbose.stderr_lines("Failed to fetch ").len(), 1);
    verbose.stderr_lacks("  link ");
    for flags in [&["-vv"][..], &["-v", "-v"], &["--verbose", "--verbose"]] {
        let all = crawler(&[&[&*url("/")], flags].concat()).with_code(0);
        // Five on the seed, two on /a, one redirect.
        assert_eq!(all.stderr_lines("  link ").len(), 8, "{}", all.output());
        all.stderr_contains(&old)
            .stderr_contains("  link https://example.org/out");
    }
}

#[test]
fn stdout_carries_data_only() {
    let server = small_site();
    let quiet = crawler(&[&server.url("/"), "-q", "--workers", "1"]).with_code(0);
    for flags in [
        &["-vv"][..],
        &["--progress", "always"],
        &["--color", "always"],
        &["--log-format", "json"],
    ] {
        let seed = server.url("/");
        let args = [&[&*seed, "--workers", "1"], flags].concat();
        let loud = crawler(&args).with_code(0);
        assert_eq!(loud.stdout, quiet.stdout, "{flags:?}");
    }
}

#[test]
fn json_log_lines_are_objects() {
    let server = small_site();
    let args = [
        &server.url("/"),
        "--log-format",
        "json",
        "-vv",
        "--max-attempts",
        "1",
    ];
    let ended = crawler(&args).with_code(0);
    let lines = objects(&ended.stderr);
    for line in &lines {
        for field in ["level", "event", "message"] {
            assert!(line[field].is_string(), "{field}: {line}");
        }
    }
    let of = |event: &str| -> Vec<&Value> {
        lines.iter().filter(|line| line["event"] == event).collect()
    };
    assert_eq!(lines[0]["event"], "start");
    assert_eq!(of("start").len(), 1);
    assert_eq!(of("page_fetched").len(), 3);
    assert_eq!(of("link").len(), 8);
    assert_eq!(of("page_skipped").len(), 1);
    assert_eq!(of("page_redirected").len(), 1);
    let failed = of("page_failed");
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["level"], "warning");
    assert_eq!(failed[0]["url"], server.url("/gone"));
    assert_eq!(failed[0]["status"], 404);
    assert_eq!(failed[0]["error_kind"], "dead_link");
    assert_eq!(failed[0]["kind"], "dead_link");
    let summary = of("summary");
    assert_eq!(summary.len(), 1);
    for (field, number) in [
        ("pages", 5),
        ("fetched", 3),
        ("failed", 1),
        ("redirected", 1),
        ("skipped", 1),
        ("left", 0),
    ] {
        assert_eq!(summary[0][field], number, "{field}");
    }
    assert_eq!(summary[0]["stop_reason"], "done");
}

#[test]
fn json_log_lines_stay_objects_whatever_happens() {
    let server = Server::start(
        Graph {
            latency: Duration::from_millis(150),
            ..Graph::new(400)
        }
        .site(),
    );
    let args = [
        &*server.url("/"),
        "--log-format",
        "json",
        "--progress",
        "always",
        "--color",
        "always",
        "--workers",
        "4",
        "--max-duration",
        "3s",
    ];
    let ended = crawler(&args).with_code(0);
    let lines = objects(&ended.stderr);
    assert!(
        lines.iter().any(|line| line["event"] == "progress"),
        "{}",
        ended.output()
    );
    let refused = crawler(&[
        "http://127.0.0.1:1/",
        "--max-attempts",
        "1",
        "--log-format",
        "json",
    ]);
    let lines = objects(&refused.with_code(1).stderr);
    assert_eq!(lines.last().unwrap()["level"], "error");
    assert_eq!(lines.last().unwrap()["event"], "seed_failed");
}

#[test]
fn color_is_used_when_requested() {
    let server = small_site();
    let seed = server.url("/");
    let run = |flags: &[&str], no_color: Option<&str>| {
        let mut start = Run::new(&[&[&*seed], flags].concat());
        if let Some(value) = no_color {
            start = start.env("NO_COLOR", value);
        }
        start.finish().with_code(0)
    };
    let colored = |ended: &Finished| ended.stderr.contains("\x1b[");
    assert!(colored(&run(&["--color", "always"], None)));
    assert!(
        colored(&run(&["--color", "always"], Some("1"))),
        "a flag overrides NO_COLOR"
    );
    // stderr is a pipe here; colors on a terminal are tested in `progress`.
    assert!(!colored(&run(&[], None)));
    assert!(!colored(&run(&["--color", "auto"], Some("1"))));
    assert!(!colored(&run(&["--color", "never"], None)));
    let plain = run(&["--color", "always"], None);
    assert!(!plain.stdout.contains('\x1b'), "stdout is never colored");
}

#[test]
fn text_from_the_web_cannot_control_the_terminal() {
    let site = Pages::new()
        .robots("User-agent: *\nDisallow: /secret\x1b[2J\u{9b}31m\u{202e}\n")
        .links(
            "/",
            &[
                "/%1b[31mred",
                "/raw\x1b[2Jlink",
                "/bell\x07",
                "/rtl\u{202e}gnp",
                "/c1\u{9b}2J",
                "/moved",
                "/secret%1b[2J",
            ],
        )
        .page("/moved", SiteResponse::redirect(302, "mailto:\x1b[2Jx@y"));
    let server = Server::start(site);
    for more in [&["-vv"][..], &["-vv", "--log-format", "json"]] {
        let seed = server.url("/");
        let ended = crawler(&[&[&*seed], more].concat()).with_code(0);
        let control = |text: &str| {
            text.chars()
                .find(|c| (c.is_control() && *c != '\n') || matches!(*c, '\u{202a}'..='\u{202e}'))
        };
        assert_eq!(control(&ended.stderr), None, "{:?}", ended.stderr);
        assert_eq!(control(&ended.stdout), None, "{:?}", ended.stdout);
    }
}

#[test]
fn a_robots_rule_cannot_control_the_terminal() {
    let rule = "User-agent: *\nDisallow: /*\x1b[2J\nDisallow: /\x1b]0;owned\x07\nDisallow: /\n";
    let server = Server::start(Pages::new().robots(rule).html("/", "never"));
    let ended = crawler(&[&server.url("/"), "-v"]).with_code(1);
    assert!(!ended.stderr.contains('\x1b'), "{:?}", ended.stderr);
    assert!(!ended.stderr.contains('\x07'), "{:?}", ended.stderr);
    let only = "User-agent: *\nDisallow: *\x1b[2J\n";
    let server = Server::start(Pages::new().robots(only).html("/%1b[2J", "never"));
    let ended = crawler(&[&server.url("/%1b[2J"), "-v"]).with_code(1);
    ended
        .stderr_contains("Disallow: ")
        .stderr_contains("--robots ignore");
    assert!(!ended.stderr.contains('\x1b'), "{:?}", ended.stderr);
}
