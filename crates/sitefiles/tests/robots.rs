//! Cases beyond Google's table: spellings, limits, delays, sitemaps and the deciding line.

use std::time::Duration;

use crawler_sitefiles::{Robots, RobotsMatch, robots_token};

fn robots(body: &str) -> Robots {
    Robots::parse(body.as_bytes(), "crawler")
}

/// A file with one rule for everyone.
fn rule(line: &str) -> Robots {
    robots(&format!("User-agent: *\n{line}\n"))
}

#[test]
fn the_match_names_the_line() {
    let robots = robots(
        "User-agent: *\n  Disallow:   /private  # keep out\nALLOW: /private/open\ndisallow /tmp\n",
    );
    let table = [
        ("/", RobotsMatch::Allowed),
        (
            "/private/x",
            RobotsMatch::DisallowedBy("Disallow:   /private"),
        ),
        (
            "/private/open/x",
            RobotsMatch::AllowedBy("ALLOW: /private/open"),
        ),
        ("/tmp", RobotsMatch::DisallowedBy("disallow /tmp")),
    ];
    for (path, expected) in table {
        assert_eq!(robots.match_for(path), expected, "{path}");
    }
}

#[test]
fn all_or_nothing() {
    let nothing = rule("Disallow: /");
    assert_eq!(Robots::allow_all().match_for("/x"), RobotsMatch::Allowed);
    assert_eq!(
        nothing.match_for("/x"),
        RobotsMatch::DisallowedBy("Disallow: /")
    );
    assert_eq!(nothing.match_for("/robots.txt"), RobotsMatch::Allowed);
    assert!(!nothing.allows("/robots.txt.bak"));
    assert!(!nothing.allows("?query"));
}

#[test]
fn accepted_spellings() {
    let rules = [
        "dissallow",
        "dissalow",
        "disalow",
        "diasllow",
        "disallaw",
        "Disallow-all",
    ];
    for name in rules {
        assert!(!rule(&format!("{name}: /x")).allows("/x"), "{name}");
        assert!(!rule(&format!("{name} /x")).allows("/x"), "{name}");
    }
    for name in [
        "user-agent",
        "user agent",
        "useragent",
        "USERAGENT",
        " User-Agent ",
    ] {
        let body = format!("{name}: crawler\ndisallow: /x");
        assert!(!robots(&body).allows("/x"), "{name}");
    }
    for name in ["sitemap", "site-map", "Sitemaps"] {
        assert_eq!(
            robots(&format!("{name}: /s.xml")).sitemaps(),
            ["/s.xml"],
            "{name}"
        );
    }
    for line in [
        "disallow",
        "disallow : ",
        ": /x",
        "dis allow: /x",
        "please disallow /x",
        "disallow /x y",
    ] {
        assert!(rule(line).allows("/x"), "{line}");
    }
}

#[test]
fn agents() {
    let table = [
        ("crawler", "crawler", true),
        ("Crawler/2.1 (+http://x)", "crawler", true),
        ("crawler-news", "crawler", false),
        ("crawl", "crawler", false),
        ("* every one", "crawler", true),
        ("*crawler", "crawler", false),
        ("MJ12bot", "MJ12bot", true),
        ("mj12bot/1.4", "MJ12bot", true),
        ("MJ13bot", "MJ12bot", false),
    ];
    for (value, agent, named) in table {
        let body = format!("User-agent: {value}\nDisallow: /\n");
        assert_eq!(
            !Robots::parse(body.as_bytes(), agent).allows("/x"),
            named,
            "{value} {agent}"
        );
    }
    assert_eq!(
        robots_token("crawler/1.0 (+https://example.org)"),
        "crawler"
    );
    assert_eq!(robots_token("crawler beta"), "crawler");
    assert_eq!(robots_token(""), "");
}

/// Our own group counts even when it has no rules, or only an empty one.
#[test]
fn an_empty_group_allows() {
    assert!(robots("User-agent: *\nDisallow: /\n\nUser-agent: crawler\nDisallow:\n").allows("/x"));
    assert!(robots("User-agent: *\nDisallow: /\n\nUser-agent: crawler\n").allows("/x"));
    assert!(!robots("User-agent: crawler\nUser-agent: other\nDisallow: /\n").allows("/x"));
}

#[test]
fn escapes() {
    let table = [
        ("/a%2fb", "/a%2Fb", false),
        ("/a%2fb", "/a/b", true),
        ("/%7Ejoe", "/~joe", false),
        ("/~joe", "/%7ejoe", false),
        ("/ü", "/%c3%bc", false),
        ("/a b", "/a%20b", false),
        ("/100%", "/100%", false),
        ("/100%2", "/100%2", false),
        ("/file-%2A.html", "/file-*.html", false),
        ("/file-%2A.html", "/file-%2A.html", false),
        ("/file-%2A.html", "/file-x.html", true),
        ("/price%24", "/price$", false),
        ("/price%24", "/price$5", false),
        ("/price%24", "/price", true),
        ("/a$b", "/a$b", false),
        ("/a$b", "/a", true),
        ("/a$$", "/a$", false),
        ("/a$$", "/a", true),
    ];
    for (path_rule, path, allowed) in table {
        assert_eq!(
            rule(&format!("Disallow: {path_rule}")).allows(path),
            allowed,
            "{path_rule} {path}"
        );
    }
}

#[test]
fn stars() {
    let table = [
        ("*", "/x", false),
        ("*$", "/x", false),
        ("$", "/x", true),
        ("/*$", "/", false),
        ("/a**b", "/axxb", false),
        ("/a*b*$", "/axbx", false),
        ("/*ab$", "/abab", false),
        ("/*ab*ab$", "/ab", true),
        ("/aba*ba$", "/aba", true),
        ("/aba*ba$", "/ababa", false),
        ("x", "/x", true),
    ];
    for (pattern, path, allowed) in table {
        assert_eq!(
            rule(&format!("Disallow: {pattern}")).allows(path),
            allowed,
            "{pattern} {path}"
        );
    }
}

#[test]
fn crawl_delays() {
    let table = [
        ("10", Some(Duration::from_secs(10))),
        ("0.5", Some(Duration::from_millis(500))),
        (".5", Some(Duration::from_millis(500))),
        ("0", Some(Duration::ZERO)),
        ("10 # seconds", Some(Duration::from_secs(10))),
        ("99999999999999999999999", Some(Duration::MAX)),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("1e3", None),
        ("10s", None),
        ("", None),
        (".", None),
        ("1.2.3", None),
    ];
    for (value, delay) in table {
        assert_eq!(
            rule(&format!("Crawl-delay: {value}")).crawl_delay(),
            delay,
            "{value}"
        );
    }
    let digits = "9".repeat(400);
    assert_eq!(
        rule(&format!("Crawl-delay: {digits}")).crawl_delay(),
        Some(Duration::MAX)
    );
}

#[test]
fn the_delay_comes_from_our_group() {
    let ours = "User-agent: *\nCrawl-delay: 9\nDisallow: /\n\nUser-agent: crawler\nCrawl-delay: 2\nCrawl-delay: 1\n";
    assert_eq!(robots(ours).crawl_delay(), Some(Duration::from_secs(2)));
    let none = "User-agent: *\nCrawl-delay: 9\nDisallow: /\n\nUser-agent: crawler\nDisallow: /x\n";
    assert_eq!(robots(none).crawl_delay(), None);
    assert_eq!(
        robots("Crawl-delay: 9\nUser-agent: *\n").crawl_delay(),
        None
    );
}

#[test]
fn sitemaps_are_bounded_and_listed_once() {
    let twice = robots("Sitemap: /b\nSitemap: /a\nsitemap:/b\nSitemap:\n");
    assert_eq!(twice.sitemaps(), ["/b", "/a"]);
    let many = (0..20_000)
        .map(|n| format!("Sitemap: /{n}\n"))
        .collect::<Vec<_>>()
        .concat();
    let many = robots(&many);
    assert_eq!(many.sitemaps().len(), 1_000);
    assert_eq!(many.sitemaps().last().unwrap(), "/999");
}

/// A body of `length` bytes that ends with `end`.
fn padded(length: usize, end: &str) -> String {
    let start = "User-agent: *\n";
    let mut body = String::from(start);
    while body.len() + end.len() + 100 < length {
        body.push_str("# a comment to fill the file up with, of no meaning\n");
    }
    body.push_str(&"#".repeat(length - body.len() - end.len() - 1));
    body.push('\n');
    body + end
}

#[test]
fn only_the_first_500_kib_count() {
    let whole = padded(Robots::MAX_BYTES, "Disallow: /x");
    assert!(!robots(&whole).allows("/x"));
    assert!(!robots(&format!("{whole}\nAllow: /x")).allows("/x"));
    // The limit would cut `/x/open` to `/x`, which is another rule.
    assert!(robots(&format!("{whole}/open")).allows("/x"));
    assert!(robots(&format!("{}Disallow: /", padded(Robots::MAX_BYTES + 1, ""))).allows("/"));
}

#[test]
fn a_line_of_two_megabytes_is_cut_like_any_long_line() {
    let long = rule(&format!("Disallow: /{}", "a".repeat(2_000_000)));
    assert!(long.allows("/a"));
    assert!(!long.allows(&format!("/{}", "a".repeat(20_000))));
}

#[test]
fn other_files_have_no_rules() {
    let utf16 = "\u{FEFF}User-agent: *\nDisallow: /\n";
    let little: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let html = b"<!DOCTYPE html>\n<html><head><title>Not found</title></head>\n<p>Disallow: /</p>";
    let noise: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    for body in [&little[..], &big[..], html, &noise[..], &[0; 1000][..]] {
        assert_eq!(
            Robots::parse(body, "crawler").match_for("/x"),
            RobotsMatch::Allowed
        );
    }
}
