//! `--profile`: presets, which explicit flags override.

use std::time::Duration;

use testsite::{Pages, Request, Server, SiteResponse};

use crate::contract::run::{crawl, crawler, visited};

/// `/`, `/1`, `/2`, … each linking to the next.
fn chain(pages: usize) -> impl Fn(&Request) -> SiteResponse {
    move |request| {
        let at = request.path()[1..].parse().unwrap_or(0);
        match request.path() {
            "/robots.txt" => SiteResponse::status(404),
            _ if at + 1 == pages => SiteResponse::html("the end"),
            _ => SiteResponse::html(format!("<a href=\"/{}\">next</a>", at + 1)),
        }
    }
}

/// `/` with links to this many pages, each with this latency.
fn star(pages: usize, delay: Duration) -> impl Fn(&Request) -> SiteResponse {
    move |request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        "/" => SiteResponse::html(
            (1..pages)
                .map(|page| format!("<a href=\"/{page}\">page</a>\n"))
                .collect::<String>(),
        ),
        _ => SiteResponse::html("a leaf").after(delay),
    }
}

#[test]
fn the_start_line_shows_the_values_of_the_profile() {
    for (profile, row) in [
        (
            "conservative",
            "max pages 500, max depth 3, workers 10, timeout 10s, attempts 3",
        ),
        (
            "balanced",
            "max pages 2,000, max depth 5, workers 25, timeout 10s, attempts 3",
        ),
        (
            "aggressive",
            "max pages 10,000, max depth 8, workers 50, timeout 8s, attempts 3",
        ),
        (
            "exhaustive",
            "max pages no limit, max depth no limit, workers 8, timeout 10s, attempts 1",
        ),
    ] {
        let server = Server::start(Pages::new().links("/", &[]));
        let ended = crawl(&server, &["--profile", profile]);
        let line = ended.stderr.lines().next().unwrap();
        assert!(
            line.contains(&format!("profile {profile}, {row}, ")),
            "{line}"
        );
        let slash = if profile == "exhaustive" {
            "keep"
        } else {
            "merge"
        };
        assert!(line.contains(&format!("trailing slash {slash}")), "{line}");
    }
}

#[test]
fn balanced_is_the_default() {
    let server = Server::start(chain(12));
    let default = crawl(&server, &[]);
    let balanced = crawl(&server, &["--profile", "balanced"]);
    assert_eq!(default.stdout, balanced.stdout);
    assert_eq!(
        default.stderr.lines().next(),
        balanced.stderr.lines().next()
    );
}

#[test]
fn max_depth() {
    for (profile, deepest) in [
        ("conservative", 3),
        ("balanced", 5),
        ("aggressive", 8),
        ("exhaustive", 11),
    ] {
        let server = Server::start(chain(12));
        let pages = visited(&server, &["--profile", profile]).len();
        assert_eq!(pages, deepest + 1, "{profile}");
    }
}

#[test]
fn max_pages() {
    for (profile, pages) in [
        ("conservative", 500),
        ("balanced", 2_000),
        ("exhaustive", 2_100),
    ] {
        let server = Server::start(star(2_100, Duration::ZERO));
        assert_eq!(
            visited(&server, &["--profile", profile]).len(),
            pages,
            "{profile}"
        );
    }
}

#[test]
fn max_pages_of_aggressive() {
    let server = Server::start(star(10_100, Duration::ZERO));
    assert_eq!(visited(&server, &["--profile", "aggressive"]).len(), 10_000);
}

#[test]
fn workers() {
    for (profile, workers) in [
        ("conservative", 10),
        ("balanced", 25),
        ("aggressive", 50),
        ("exhaustive", 8),
    ] {
        let server = Server::start(star(2 * workers + 1, Duration::from_millis(300)));
        crawl(&server, &["--profile", profile]);
        assert_eq!(server.most_in_flight(), workers as u64, "{profile}");
    }
}

#[test]
fn workers_has_three_names() {
    for flag in ["--workers", "--concurrency", "--max-parallel"] {
        let server = Server::start(star(7, Duration::from_millis(200)));
        crawl(&server, &[flag, "3"]);
        assert_eq!(server.most_in_flight(), 3, "{flag}");
    }
}

#[test]
fn attempts() {
    for (profile, attempts) in [
        ("conservative", 3),
        ("balanced", 3),
        ("aggressive", 3),
        ("exhaustive", 1),
    ] {
        let server = Server::start(
            Pages::new()
                .links("/", &["/broken"])
                .page("/broken", SiteResponse::status(500)),
        );
        crawl(&server, &["--profile", profile]);
        assert_eq!(server.count("/broken"), attempts, "{profile}");
    }
}

#[test]
fn trailing_slash() {
    for (profile, pages) in [
        ("conservative", ["/", "/a"].as_slice()),
        ("balanced", &["/", "/a"]),
        ("aggressive", &["/", "/a"]),
        ("exhaustive", &["/", "/a", "/a/"]),
    ] {
        let server = Server::start(
            Pages::new()
                .links("/", &["/a", "/a/"])
                .links("/a", &[])
                .links("/a/", &[]),
        );
        assert_eq!(
            visited(&server, &["--profile", profile]),
            pages,
            "{profile}"
        );
    }
}

#[test]
fn an_explicit_flag_overrides_the_preset_in_any_position() {
    let server = Server::start(chain(12));
    let url = server.url("/");
    for args in [
        ["--max-depth", "1", "--profile", "exhaustive", &url].as_slice(),
        &[&url, "--profile", "exhaustive", "--max-depth", "1"],
    ] {
        assert_eq!(
            crawler(args).success().visited_paths(&server),
            ["/", "/1"],
            "{args:?}"
        );
    }
    let flags = [
        "--profile",
        "conservative",
        "--max-pages",
        "0",
        "--max-depth",
        "0",
        "--workers",
        "7",
        "--timeout",
        "3s",
        "--max-attempts",
        "2",
        "--trailing-slash",
        "keep",
    ];
    let ended = crawl(&server, &flags);
    assert_eq!(ended.visited_paths(&server).len(), 12);
    let line = ended.stderr.lines().next().unwrap();
    for part in [
        "max pages no limit, max depth no limit, workers 7, timeout 3s, attempts 2",
        "trailing slash keep",
    ] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn an_unknown_profile_is_bad_usage_and_lists_all() {
    let ended = crawler(&["http://127.0.0.1:1/", "--profile", "reckless"]);
    assert_eq!(ended.code, Some(2));
    for word in [
        "reckless",
        "conservative",
        "balanced",
        "aggressive",
        "exhaustive",
    ] {
        assert!(ended.stderr.contains(word), "{}", ended.stderr);
    }
}
