//! The commands: `crawl` and its short form, `map`, `completions`, `man`; help and version.

use testsite::{Pages, Server};

use crate::contract::run::crawler;

/// Every flag of the contract that exists today.
const FLAGS: [&str; 36] = [
    "--profile",
    "--workers",
    "--max-pages",
    "--max-depth",
    "--max-duration",
    "--max-bytes",
    "--rate-ms",
    "--timeout",
    "--max-attempts",
    "--max-redirects",
    "--max-body-bytes",
    "--robots",
    "--sitemaps",
    "--scope",
    "--include",
    "--exclude",
    "--trailing-slash",
    "--strip-query",
    "--strip-fragments",
    "--links",
    "--schemes",
    "--unique-links",
    "--path-delay",
    "--user-agent",
    "--header",
    "--proxy",
    "--traps",
    "--format",
    "--output-file",
    "--verbose",
    "--quiet",
    "--progress",
    "--color",
    "--log-format",
    "--help",
    "-o",
];

#[test]
fn crawl_is_the_default_command() {
    let site = Pages::new()
        .links("/", &["/a", "https://other.test/"])
        .links("/a", &["/"]);
    let server = Server::start(site);
    let url = server.url("/");
    let short = crawler(&[&url, "--workers", "1"]).success();
    let long = crawler(&["crawl", &url, "--workers", "1"]).success();
    assert_eq!(short.stdout, long.stdout);
    assert_eq!(short.stderr.lines().next(), long.stderr.lines().next());
    assert_eq!(short.visited_paths(&server), ["/", "/a"]);
}

#[test]
fn stdout_carries_data_only() {
    let server = Server::start(Pages::new().links("/", &["/gone"]));
    let ended = crawler(&[&server.url("/"), "-vv"]).success();
    let origin = server.origin();
    assert_eq!(
        ended.stdout,
        format!(
            "Visited: {origin}/\nLinks found:\n{origin}/gone\nVisited: {origin}/gone\nLinks found:\n"
        )
    );
}

#[test]
fn completions_for_each_shell() {
    for (shell, sign) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef crawler"),
        ("fish", "complete -c crawler"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion:arg-completer"),
    ] {
        let script = crawler(&["completions", shell]).success().stdout;
        assert!(script.contains(sign), "{shell}");
        for flag in FLAGS {
            let name = flag.trim_start_matches('-');
            assert!(script.contains(name), "{shell}: {flag}");
        }
        for command in ["crawl", "map", "completions", "man"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn completions_of_an_unknown_shell_are_bad_usage() {
    let ended = crawler(&["completions", "cmd.exe"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("bash"), "{}", ended.stderr);
}

#[test]
fn the_man_page_lists_every_flag() {
    let page = crawler(&["man"]).success().stdout;
    assert!(page.contains(".TH crawler 1"), "{page}");
    let plain = page.replace('\\', "");
    for flag in FLAGS {
        assert!(plain.contains(flag), "{flag}");
    }
}

#[test]
fn the_main_help_is_short_and_crawl_help_is_complete() {
    for flag in ["--help", "-h", "help"] {
        let help = crawler(&[flag]).success().stdout;
        for command in ["crawl", "map", "completions", "man"] {
            assert!(
                help.lines()
                    .any(|line| line.trim_start().starts_with(command)),
                "{flag}: {command}"
            );
        }
        assert!(help.contains("crawler <URL>"), "{help}");
        assert!(help.lines().count() < 40, "{help}");
    }
    let help = crawler(&["crawl", "--help"]).success().stdout;
    for flag in FLAGS {
        assert!(help.contains(flag), "{flag}");
    }
    let help = crawler(&["map", "--help"]).success().stdout;
    assert!(
        help.contains("sitemap") && help.contains("--max-pages"),
        "{help}"
    );
}

#[test]
fn version() {
    for flag in ["--version", "-V"] {
        let ended = crawler(&[flag]).success();
        assert_eq!(
            ended.stdout,
            concat!("crawler ", env!("CARGO_PKG_VERSION"), "\n")
        );
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn an_unknown_flag_is_bad_usage_and_named() {
    let ended = crawler(&["http://127.0.0.1:1/", "--max-page", "3"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(
        ended.stderr.contains("--max-page") && ended.stderr.contains("--max-pages"),
        "{}",
        ended.stderr
    );
}
