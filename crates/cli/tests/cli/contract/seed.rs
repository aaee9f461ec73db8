//! `<URL>` or `--url URL`: the seed, absolute http(s); anything else is exit 2 with what was wrong and
//! an example.

use testsite::{Pages, Server};

use crate::contract::run::{crawler, object, objects};

#[test]
fn the_seed_is_the_argument_or_a_flag() {
    let server = Server::start(Pages::new().links("/start", &[]));
    let url = server.url("/start");
    let expected = format!("Visited: {url}\nLinks found:\n");
    assert_eq!(crawler(&[&url]).success().stdout, expected);
    assert_eq!(crawler(&["--url", &url]).success().stdout, expected);
    assert_eq!(
        crawler(&["crawl", "--url", &url]).success().stdout,
        expected
    );
}

#[test]
fn two_seeds_are_bad_usage() {
    for args in [
        ["http://127.0.0.1:1/", "--url", "http://127.0.0.1:1/"].as_slice(),
        &["http://127.0.0.1:1/", "http://127.0.0.1:1/"],
    ] {
        let ended = crawler(args);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(2), ""),
            "{args:?}"
        );
    }
}

#[test]
fn anything_but_an_absolute_web_url_is_rejected_with_an_example() {
    for (typed, wrong) in [
        ("example.org", "\"example.org\" is not an absolute URL"),
        (
            "www.example.org/docs",
            "\"www.example.org/docs\" is not an absolute URL",
        ),
        ("/docs/", "\"/docs/\" is a file path"),
        ("ftp://example.org/", "\"ftp:\""),
        ("mailto:me@example.org", "\"mailto:\""),
        ("file:///etc/passwd", "\"file:\""),
        ("javascript:alert(1)", "\"javascript:\""),
        ("http://", "no host"),
        (
            "http://exa mple.org/",
            "\"http://exa mple.org/\" is not a valid URL",
        ),
    ] {
        for args in [
            ["crawl", typed].as_slice(),
            &["--url", typed],
            &["map", typed],
        ] {
            let ended = crawler(args);
            assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.stderr);
            assert_eq!(ended.stdout, "", "{args:?}");
            assert!(ended.stderr.contains(wrong), "{args:?}: {}", ended.stderr);
            assert!(
                ended.stderr.contains("https://"),
                "{args:?}: {}",
                ended.stderr
            );
        }
    }
}

#[test]
fn no_seed_and_an_empty_one_are_bad_usage() {
    for args in [
        [].as_slice(),
        &["crawl"],
        &["map"],
        &["--max-pages", "3"],
        &[""],
    ] {
        let ended = crawler(args);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(2), ""),
            "{args:?}"
        );
        assert!(!ended.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn the_seed_is_printed_normalized() {
    let server = Server::start(Pages::new().links("/", &[]).links("/b", &[]));
    let host = server.addr();
    for (typed, printed) in [
        (format!("http://{host}"), server.url("/")),
        (format!("HTTP://{host}/#top"), server.url("/")),
        (format!("http://{host}/a/../b"), server.url("/b")),
    ] {
        let ended = crawler(&[&typed]).success();
        assert_eq!(
            ended.stdout,
            format!("Visited: {printed}\nLinks found:\n"),
            "{typed}"
        );
    }
}

#[test]
fn http_and_https_are_different_pages() {
    let site = |request: &testsite::Request| match request.path() {
        "/" => {
            let secure = request.origin().replace("http:", "https:");
            testsite::SiteResponse::html(format!("<a href=\"{secure}/\">the same, but https</a>"))
        }
        _ => testsite::SiteResponse::status(404),
    };
    let server = Server::start(site);
    let pages = objects(&server, &["--max-attempts", "1"]);
    let secure = server.url("/").replace("http:", "https:");
    assert_eq!(pages.len(), 2);
    assert_eq!(object(&pages, &server.url("/"))["status"], 200);
    // The server does not support TLS: the https page is reported separately, as failed.
    assert_eq!(object(&pages, &secure)["outcome"], "failed");
}
