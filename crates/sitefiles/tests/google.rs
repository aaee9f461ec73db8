//! The assertions of Google's robots.txt parser, run against ours.

#[path = "google/table.rs"]
mod table;

use crawler_sitefiles::Robots;
use table::{CASES, DIFFERENCES};

/// Every verdict in the table is Google's; ours differ exactly in the listed cases.
#[test]
fn verdicts_match_those_of_google() {
    let mut asserted = 0;
    let mut misses = Vec::new();
    for case in CASES {
        for (agent, path, allowed) in case.checks {
            asserted += 1;
            if Robots::parse(case.body.as_bytes(), agent).allows(path) != *allowed {
                misses.push((case.name, *path));
            }
        }
    }
    assert_eq!(asserted, 140);
    assert_eq!(misses, DIFFERENCES);
}

const LINE: usize = 2083 * 8;

/// A path that fills the rest of a line after `name`, and one byte more.
fn long_path(name: &str, letter: &str) -> String {
    let length = LINE - "/x/".len() - name.len() + 1;
    format!("/x/{}", letter.repeat(length - "/x/".len()))
}

#[test]
fn a_long_disallow_is_cut() {
    let path = long_path("disallow: ", "a");
    let body = format!("user-agent: FooBot\ndisallow: {path}/qux\n");
    let robots = Robots::parse(body.as_bytes(), "FooBot");
    assert!(robots.allows("/fux"));
    assert!(!robots.allows(&format!("{path}/fux")));
}

#[test]
fn a_long_allow_is_cut() {
    let (path_a, path_b) = (long_path("allow: ", "a"), long_path("allow: ", "b"));
    let body =
        format!("user-agent: FooBot\ndisallow: /\nallow: {path_a}/qux\nallow: {path_b}/qux\n");
    let robots = Robots::parse(body.as_bytes(), "FooBot");
    assert!(!robots.allows("/"));
    assert!(robots.allows(&format!("{path_a}/qux")));
    assert!(robots.allows(&format!("{path_b}/fux")));
}

/// Google's test counts lines; here each line ending must yield the same rules.
#[test]
fn every_line_ending_is_read() {
    let files = [
        "User-Agent: foo\nAllow: /some/path\nUser-Agent: bar\n\n\nDisallow: /\n",
        "User-Agent: foo\r\nAllow: /some/path\r\nUser-Agent: bar\r\n\r\n\r\nDisallow: /\r\n",
        "User-Agent: foo\rAllow: /some/path\rUser-Agent: bar\r\r\rDisallow: /\r",
        "User-Agent: foo\nAllow: /some/path\nUser-Agent: bar\n\n\nDisallow: /",
        "User-Agent: foo\nAllow: /some/path\r\nUser-Agent: bar\n\r\n\nDisallow: /",
    ];
    for file in files {
        assert!(
            Robots::parse(file.as_bytes(), "foo").allows("/x"),
            "{file:?}"
        );
        assert!(
            !Robots::parse(file.as_bytes(), "bar").allows("/x"),
            "{file:?}"
        );
    }
}

/// A whole or partial mark is skipped at the start of the file, and nowhere else.
#[test]
fn byte_order_marks() {
    let files: [(&[u8], bool); 5] = [
        (b"\xEF\xBB\xBFUser-Agent: foo\nDisallow: /AnyValue\n", false),
        (b"\xEF\xBBUser-Agent: foo\nDisallow: /AnyValue\n", false),
        (b"\xEFUser-Agent: foo\nDisallow: /AnyValue\n", false),
        (b"\xEF\x11\xBFUser-Agent: foo\nDisallow: /AnyValue\n", true),
        (b"User-Agent: foo\n\xEF\xBB\xBFDisallow: /AnyValue\n", true),
    ];
    for (file, allowed) in files {
        assert_eq!(
            Robots::parse(file, "foo").allows("/AnyValue"),
            allowed,
            "{file:?}"
        );
    }
}

#[test]
fn sitemap_lines_may_be_anywhere() {
    let groups = "User-Agent: foo\nAllow: /some/path\nUser-Agent: bar\n\n\n";
    let sitemap = "Sitemap: http://foo.bar/sitemap.xml\n";
    for file in [format!("{groups}{sitemap}"), format!("{sitemap}{groups}")] {
        let robots = Robots::parse(file.as_bytes(), "foo");
        assert_eq!(robots.sitemaps(), ["http://foo.bar/sitemap.xml"]);
    }
}

/// Google's test of escaping: raw bytes are escaped, and hex digits have one case.
#[test]
fn rules_are_escaped() {
    let robots =
        |rule: &str| Robots::parse(format!("user-agent: *\ndisallow: {rule}").as_bytes(), "foo");
    assert!(!robots("/á").allows("/%C3%A1"));
    assert!(!robots("/%aa").allows("/%AA"));
    assert!(!robots("/a/b/c").allows("/a/b/c"));
}

/// Only a name that is a token, or that the file has in full, is matched.
#[test]
fn matched_agents() {
    let named = |agent: &str| {
        let body = format!("user-agent: {agent}\ndisallow: /\n");
        !Robots::parse(body.as_bytes(), agent).allows("/")
    };
    for agent in ["Foobot", "Foobot-Bar", "Foo_Bar"] {
        assert!(named(agent), "{agent:?}");
    }
    for agent in ["", " Foobot ", "Foobot/2.1", "Foobot Bar"] {
        assert!(!named(agent), "{agent:?}");
    }
}
