//! The rules of the normal form, one row each.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

use std::borrow::Cow;

use crawler_weburl::{CrawlUrl, Resolved, Resolver, UrlError};

fn resolve(base: &str, href: &str) -> Option<String> {
    let mut out = String::new();
    match Resolver::new(&CrawlUrl::parse(base).unwrap()).resolve(href, &mut out) {
        Resolved::Web(url) => Some(url.as_str().to_owned()),
        Resolved::Other => Some(out),
        Resolved::Invalid => None,
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn every_rule_of_the_normal_form() {
    let base = "https://example.org/dir/page.html?q=1";
    for (rule, href, expected) in [
        ("relative", "about", "https://example.org/dir/about"),
        ("relative up", "../about", "https://example.org/about"),
        (
            "up beyond the root",
            "../../../about",
            "https://example.org/about",
        ),
        ("root relative", "/about", "https://example.org/about"),
        ("scheme relative", "//other.org/x", "https://other.org/x"),
        (
            "query only",
            "?page=2",
            "https://example.org/dir/page.html?page=2",
        ),
        ("empty", "", "https://example.org/dir/page.html?q=1"),
        (
            "fragment only",
            "#top",
            "https://example.org/dir/page.html?q=1",
        ),
        ("fragment stripped", "/a#b", "https://example.org/a"),
        (
            "lower-case scheme and host",
            "HTTPS://EXAMPLE.Org/Path",
            "https://example.org/Path",
        ),
        (
            "path case kept",
            "/About/US",
            "https://example.org/About/US",
        ),
        (
            "default port 443",
            "https://example.org:443/a",
            "https://example.org/a",
        ),
        (
            "default port 80",
            "http://example.org:80/a",
            "http://example.org/a",
        ),
        (
            "other port kept",
            "http://example.org:8080/a",
            "http://example.org:8080/a",
        ),
        (
            "https on 80 kept",
            "https://example.org:80/a",
            "https://example.org:80/a",
        ),
        ("empty path", "https://other.org", "https://other.org/"),
        (
            "empty path with query",
            "https://other.org?x",
            "https://other.org/?x",
        ),
        ("query kept", "/a?b=1&c=2", "https://example.org/a?b=1&c=2"),
        (
            "trailing slash kept",
            "/about/",
            "https://example.org/about/",
        ),
        (
            "no trailing slash kept",
            "/about",
            "https://example.org/about",
        ),
        (
            "tab and newline removed",
            "/a\tb\nc\r",
            "https://example.org/abc",
        ),
        ("surrounding space", "  /a  ", "https://example.org/a"),
        ("inner space encoded", "/a b", "https://example.org/a%20b"),
        (
            "idn as punycode",
            "https://bücher.example/",
            "https://xn--bcher-kva.example/",
        ),
        (
            "full-width host",
            "https://ｅｘａｍｐｌｅ.org/",
            "https://example.org/",
        ),
        (
            "userinfo dropped",
            "https://me:secret@example.org/a",
            "https://example.org/a",
        ),
        (
            "userinfo trick",
            "https://example.org@evil.com/",
            "https://evil.com/",
        ),
        ("backslashes", "\\a\\b", "https://example.org/a/b"),
        ("dot segments", "/a/./b/../c", "https://example.org/a/c"),
        (
            "encoded dot segments",
            "/a/%2e%2E/c",
            "https://example.org/c",
        ),
        ("non-ascii path", "/ü", "https://example.org/%C3%BC"),
        ("ipv6", "http://[0:0::1]:8080/", "http://[::1]:8080/"),
        ("decimal ipv4", "http://2130706433/", "http://127.0.0.1/"),
        (
            "mailto is another scheme",
            "mailto:a@b.org",
            "mailto:a@b.org",
        ),
        (
            "javascript is another scheme",
            "javascript:void(0)",
            "javascript:void(0)",
        ),
        ("scheme with tabs", "java\tscript:x", "javascript:x"),
    ] {
        assert_eq!(
            resolve(base, href).as_deref(),
            Some(expected),
            "{rule}: {href:?}"
        );
    }
    for href in [
        "http://",
        "http://a b/",
        "http://example.org:99999/",
        "http://[::1/",
        "http://a%00b/",
    ] {
        assert_eq!(resolve(base, href), None, "{href:?}");
    }
}

#[test]
fn fragments_are_kept_after_the_page_url() {
    let mut out = String::new();
    let page = CrawlUrl::parse("https://example.org/").unwrap();
    let resolver = Resolver::new(&page);
    let Resolved::Web(url) = resolver.resolve("/a?b#c", &mut out) else {
        unreachable!("it is a web URL")
    };
    assert_eq!(url.as_str(), "https://example.org/a?b");
    assert_eq!(out, "https://example.org/a?b#c");
}

#[test]
fn base_href() {
    let page = CrawlUrl::parse("https://example.org/dir/page").unwrap();
    for (base, accepted, expected) in [
        ("/other/", true, "https://example.org/other/x"),
        ("https://cdn.example/a/b", true, "https://cdn.example/a/x"),
        ("sub/", true, "https://example.org/dir/sub/x"),
        ("data:text/plain,hi", false, "https://example.org/dir/x"),
        ("javascript:1", false, "https://example.org/dir/x"),
        ("http://", false, "https://example.org/dir/x"),
        (
            "https://me:pw@example.org/s/",
            true,
            "https://example.org/s/x",
        ),
    ] {
        let mut resolver = Resolver::new(&page);
        assert_eq!(resolver.set_base(base), accepted, "{base}");
        let mut out = String::new();
        resolver.resolve("x", &mut out);
        assert_eq!(out, expected, "{base}");
    }
}

#[test]
fn a_query_is_encoded_in_the_pages_charset() {
    fn latin1(text: &str) -> Cow<'_, [u8]> {
        text.chars().map(|c| c as u8).collect()
    }
    let page = CrawlUrl::parse("https://example.org/").unwrap();
    let mut out = String::new();
    Resolver::new(&page)
        .with_query_encoding(&latin1)
        .resolve("/ü?q=ü", &mut out);
    assert_eq!(out, "https://example.org/%C3%BC?q=%FC");
}

#[test]
fn invalid_input_is_explained() {
    for (typed, message) in [
        ("", "empty"),
        ("example.org", "did you mean https://example.org"),
        ("//example.org/a", "did you mean https://example.org/a"),
        ("/tmp/page.html", "\"/tmp/page.html\" is a file path"),
        ("./page.html", "is a file path"),
        ("../page.html", "is a file path"),
        ("~/page.html", "is a file path"),
        ("ftp://example.org/", "the scheme \"ftp:\""),
        ("mailto:me@example.org", "the scheme \"mailto:\""),
        ("http://", "no host"),
        ("http://[::1", "not a valid URL"),
        ("http://exa mple.org/", "not a valid URL"),
        ("https://example.org:99999/", "invalid port"),
    ] {
        let error = CrawlUrl::parse(typed).unwrap_err().to_string();
        assert!(error.contains(message), "{typed:?}: {error}");
        assert!(
            error.contains("https://"),
            "{typed:?}: no example in {error}"
        );
    }
    for (typed, suggestion) in [
        ("localhost:8080", "http://localhost:8080"),
        ("localhost:8080/a", "http://localhost:8080/a"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("example.org:8443/a", "https://example.org:8443/a"),
        ("https//example.org", "https://example.org"),
        ("htp://example.org/", "http://example.org/"),
        ("htps://example.org/", "https://example.org/"),
    ] {
        let suggestion = suggestion.to_owned();
        let typed = typed.to_owned();
        let error = CrawlUrl::parse(&typed).unwrap_err();
        assert_eq!(error, UrlError::NotAbsolute { typed, suggestion });
    }
}

#[test]
fn a_password_is_not_repeated_in_an_error() {
    for typed in [
        "http://me:secret@example.org:99999/",
        "ftp://me:secret@example.org/",
        "http://me:secret@/",
    ] {
        let error = CrawlUrl::parse(typed).unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn a_typed_url_is_normalized() {
    for (typed, expected) in [
        (" https://Example.ORG ", "https://example.org/"),
        ("http://example.org:80/a#b", "http://example.org/a"),
        ("https://u:p@example.org/a", "https://example.org/a"),
    ] {
        assert_eq!(CrawlUrl::parse(typed).unwrap().as_str(), expected);
    }
}

#[test]
fn toascii_table() {
    let table: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("data/toascii.json")).unwrap();
    // The `url` crate is stricter than the newest revision of the table: it rejects these hosts.
    let mut refused = Vec::new();
    let mut run = 0;
    for case in table.iter().filter(|case| case.is_object()) {
        let input = case["input"].as_str().unwrap();
        let typed = format!("https://{input}/x");
        let ours = CrawlUrl::parse(&typed)
            .ok()
            .map(|url| url.parts().host().to_owned());
        run += 1;
        match (&ours, case["output"].as_str()) {
            (None, Some(_)) => refused.push(input),
            (ours, expected) => assert_eq!(ours.as_deref(), expected, "{input:?}"),
        }
    }
    assert!(run > 60, "{run}");
    assert!(
        refused.iter().all(|host| host.contains("xn--")),
        "{refused:?}"
    );
    assert!(refused.len() <= 20, "{}: {refused:?}", refused.len());
}
