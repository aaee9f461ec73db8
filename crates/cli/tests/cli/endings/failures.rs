//! Failed pages: one line each on stderr, worded as in the contract, and an error in machine formats.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use testsite::{Pages, Server, SiteResponse, SocketStep};

use crate::run::{Finished, crawler};

/// Path, message, label, kind.
pub(crate) type Case = (&'static str, &'static str, &'static str, &'static str);

const STATUSES: [(u16, Case); 12] = [
    (404, ("/404", "not found (404)", "dead link", "dead_link")),
    (410, ("/410", "gone (410)", "dead link", "dead_link")),
    (
        400,
        ("/400", "client error (400)", "client error", "client_error"),
    ),
    (
        401,
        ("/401", "client error (401)", "client error", "client_error"),
    ),
    (
        403,
        ("/403", "client error (403)", "client error", "client_error"),
    ),
    (
        451,
        ("/451", "client error (451)", "client error", "client_error"),
    ),
    (
        500,
        (
            "/500",
            "server error (500)",
            "server error (retry-able)",
            "server_error",
        ),
    ),
    (
        501,
        (
            "/501",
            "server error (501)",
            "server error (retry-able)",
            "server_error",
        ),
    ),
    (
        503,
        (
            "/503",
            "server error (503)",
            "server error (retry-able)",
            "server_error",
        ),
    ),
    (
        599,
        (
            "/599",
            "server error (599)",
            "server error (retry-able)",
            "server_error",
        ),
    ),
    (
        408,
        ("/408", "timeout (408)", "timeout (retry-able)", "timeout"),
    ),
    (
        504,
        ("/504", "timeout (504)", "timeout (retry-able)", "timeout"),
    ),
];

pub(crate) const NETWORK: &str = "network (retry-able)";

/// Asserts that every failure has one line on stderr, and its error in ndjson.
#[track_caller]
pub(crate) fn check(ended: &Finished, origin: &str, cases: &[Case]) {
    let objects: HashMap<String, Value> = ended
        .objects()
        .into_iter()
        .map(|object| (object["url"].as_str().unwrap().to_owned(), object))
        .collect();
    for (path, message, label, kind) in cases {
        let url = format!("{origin}{path}");
        let lines = ended.stderr_lines(&format!("Failed to fetch {url}: "));
        let expected = format!("Failed to fetch {url}: {message} [{label}]");
        assert_eq!(lines, [expected.as_str()], "{}", ended.output());
        let object = &objects[&url];
        assert_eq!(object["error"], format!("fetch failed: {message}"), "{url}");
        assert_eq!(object["error_kind"], *kind, "{url}");
        assert_eq!(object["outcome"], "failed", "{url}");
        assert_eq!(object["links"], Value::Array(Vec::new()), "{url}");
    }
    let lines = ended.stderr_lines("Failed to fetch ");
    assert_eq!(lines.len(), cases.len(), "{}", ended.output());
    let errors = objects.values().filter(|page| page.get("error").is_some());
    assert_eq!(errors.count(), cases.len(), "{}", ended.output());
}

#[test]
fn statuses() {
    let cases: Vec<Case> = STATUSES.iter().map(|(_, case)| *case).collect();
    let mut pages = Pages::new().html("/fine", "fine");
    let mut links = vec!["/fine"];
    for (status, (path, ..)) in STATUSES {
        pages = pages.page(path, SiteResponse::status(status));
        links.push(path);
    }
    let server = Server::start(pages.links("/", &links));
    let args = [
        &server.url("/"),
        "--format",
        "ndjson",
        "--max-attempts",
        "1",
    ];
    let ended = crawler(&args).with_code(0);
    check(&ended, &server.origin(), &cases);
    for (status, (path, ..)) in STATUSES {
        assert_eq!(ended.object(path)["status"], status, "{path}");
    }
    ended
        .stderr_contains("14 pages")
        .stderr_contains("12 failed (");
    for group in [
        "2 dead links",
        "4 client errors",
        "4 server errors",
        "2 timeouts",
    ] {
        ended.stderr_contains(group);
    }
}

#[test]
fn invalid_responses() {
    let broken_off = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<p>";
    let not_gzip = SiteResponse::html("not gzip at all").header("Content-Encoding", "gzip");
    let site = Pages::new()
        .page("/hangs", SiteResponse::script(vec![SocketStep::Hang]))
        .page("/resets", SiteResponse::script(vec![SocketStep::Reset]))
        .page("/closes", SiteResponse::script(vec![SocketStep::Close]))
        .page("/breaks-off", SiteResponse::raw(broken_off))
        .page("/no-http", SiteResponse::raw("SSH-2.0-OpenSSH_9.2\r\n\r\n"))
        .page("/no-gzip", not_gzip)
        .links(
            "/",
            &[
                "/hangs",
                "/resets",
                "/closes",
                "/breaks-off",
                "/no-http",
                "/no-gzip",
            ],
        );
    let server = Server::start(site);
    let args = [
        &server.url("/"),
        "--format",
        "ndjson",
        "--max-attempts",
        "1",
        "--timeout",
        "1500ms",
    ];
    let ended = crawler(&args).with_code(0);
    let closed = "the connection was closed before the response";
    let cases: [Case; 4] = [
        (
            "/hangs",
            "no response within 1.5 s",
            "timeout (retry-able)",
            "timeout",
        ),
        ("/resets", closed, NETWORK, "reset"),
        ("/closes", closed, NETWORK, "reset"),
        (
            "/breaks-off",
            "the body ended after 3 of 100 bytes",
            NETWORK,
            "reset",
        ),
    ];
    let invalid: [Case; 2] = [
        (
            "/no-http",
            "the response is not valid HTTP",
            "invalid response",
            "protocol",
        ),
        ("/no-gzip", "", "undecodable body", "decode"),
    ];
    // The decoder's message is not part of the contract.
    let undecoded = ended.object("/no-gzip")["error"]
        .as_str()
        .unwrap()
        .to_owned();
    let undecoded = undecoded.strip_prefix("fetch failed: ").unwrap();
    assert!(!undecoded.is_empty());
    let invalid = [
        invalid[0],
        (
            invalid[1].0,
            undecoded.to_owned().leak(),
            invalid[1].2,
            invalid[1].3,
        ),
    ];
    check(&ended, &server.origin(), &[&cases[..], &invalid].concat());
    for (path, ..) in &cases[..3] {
        assert_eq!(ended.object(path)["status"], Value::Null, "{path}");
    }
}

#[test]
fn redirects_that_lead_nowhere() {
    let site = Pages::new()
        .links(
            "/",
            &["/1", "/to-mail", "/no-target", "/bad-target", "/short"],
        )
        .redirect("/1", "/2")
        .redirect("/2", "/3")
        .redirect("/3", "/4")
        .redirect("/4", "/5")
        .redirect("/short", "/here")
        .html("/here", "here")
        .redirect("/to-mail", "mailto:a@example.org")
        .redirect("/bad-target", "http://a b:x/")
        .page("/no-target", SiteResponse::status(302));
    let server = Server::start(site);
    let args = [
        &server.url("/"),
        "--format",
        "ndjson",
        "--max-redirects",
        "3",
    ];
    let ended = crawler(&args).with_code(0);
    let cases: [Case; 4] = [
        (
            "/4",
            "too many redirects (3)",
            "too many redirects",
            "too_many_redirects",
        ),
        (
            "/to-mail",
            "redirect to a mailto: URL (301)",
            "bad redirect",
            "bad_redirect",
        ),
        (
            "/no-target",
            "redirect without a target (302)",
            "bad redirect",
            "bad_redirect",
        ),
        (
            "/bad-target",
            "redirect to an invalid URL (301)",
            "bad redirect",
            "bad_redirect",
        ),
    ];
    check(&ended, &server.origin(), &cases);
    assert_eq!(server.count("/5"), 0);
    assert_eq!(ended.object("/here")["outcome"], "fetched");
}

#[test]
fn rate_limited() {
    let site = Pages::new()
        .links("/", &["/429"])
        .page("/429", SiteResponse::status(429));
    let server = Server::start(site);
    let args = [
        &server.url("/"),
        "--format",
        "ndjson",
        "--max-attempts",
        "1",
    ];
    let ended = crawler(&args).with_code(0);
    let label = "rate limited (retry-able)";
    let case = ("/429", "rate limited (429)", label, "rate_limited");
    check(&ended, &server.origin(), &[case]);
}

#[test]
fn connection_refused() {
    let server = Server::start(Pages::new().links("/", &["http://127.0.0.1:1/"]));
    let args = [
        &server.url("/"),
        "--format",
        "ndjson",
        "--max-attempts",
        "1",
    ];
    let ended = crawler(&args).with_code(0);
    let case = ("/", "connection refused", NETWORK, "connect");
    check(&ended, "http://127.0.0.1:1", &[case]);
}

#[test]
fn an_unknown_host_name() {
    let args = [
        "http://nowhere.invalid/",
        "--format",
        "ndjson",
        "--max-attempts",
        "1",
        // Resolving an unknown name is slow on some systems.
        "--timeout",
        "40s",
    ];
    let ended = crawler(&args).with_code(1);
    let object = ended.object("http://nowhere.invalid/");
    assert_eq!(object["error_kind"], "dns");
    let error = object["error"].as_str().unwrap();
    let message = error.strip_prefix("fetch failed: ").unwrap();
    assert!(message.contains("nowhere.invalid"), "{message}");
    let line = format!("Failed to fetch http://nowhere.invalid/: {message} [{NETWORK}]");
    assert_eq!(ended.stderr_lines("Failed to fetch "), [line.as_str()]);
}

#[test]
fn responses_that_are_not_html_are_not_failures() {
    let site = Pages::new()
        .links("/", &["/picture", "/plain", "/empty", "/nothing"])
        .page("/picture", SiteResponse::new(200, "image/png", "\u{1}png"))
        .page("/plain", SiteResponse::text("<a href=/never>"))
        .page("/empty", SiteResponse::new(200, "", ""))
        .page("/nothing", SiteResponse::status(204));
    let server = Server::start(site);
    let ended = crawler(&[&server.url("/"), "--format", "ndjson"]).with_code(0);
    check(&ended, &server.origin(), &[]);
    for path in ["/picture", "/plain", "/empty", "/nothing"] {
        assert_eq!(ended.object(path)["outcome"], "fetched", "{path}");
    }
    assert_eq!(server.count("/never"), 0);
    let text = crawler(&[server.url("/")]).with_code(0);
    let block = format!("Visited: {}\nLinks found:\n", server.url("/picture"));
    assert!(text.stdout.contains(&block), "{}", text.output());
}

#[test]
fn each_format_has_the_failed_page() {
    let server = Server::start(Pages::new().links("/", &["/gone"]));
    let gone = server.url("/gone");
    let expected = "fetch failed: not found (404)";
    let text = crawler(&[server.url("/")]).with_code(0);
    let end = format!("Visited: {gone}\nLinks found:\n");
    assert!(text.stdout.ends_with(&end), "{}", text.output());
    for format in ["json", "csv", "html"] {
        let ended = crawler(&[&server.url("/"), "--format", format]).with_code(0);
        assert!(ended.stdout.contains("/gone"), "{format}");
        assert!(ended.stdout.contains("not found (404)"), "{format}");
        assert_eq!(ended.stderr_lines("Failed to fetch ").len(), 1, "{format}");
        if format == "json" {
            let pages: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
            assert_eq!(pages[1]["error"], expected);
            assert!(pages[0].get("error").is_none());
        } else if format == "csv" {
            let row = ended.stdout.lines().last().unwrap();
            let end = format!(",{expected},,");
            assert!(row.starts_with(&gone) && row.ends_with(&end), "{row}");
        }
    }
}

#[test]
fn a_stalled_body_is_a_timeout() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/a>";
    let stalls = SiteResponse::script(vec![SocketStep::send(head), SocketStep::Hang]);
    let site = Pages::new()
        .links("/", &["/stalls"])
        .page("/stalls", stalls);
    let server = Server::start(site);
    let args = [
        &server.url("/"),
        "--format",
        "ndjson",
        "--max-attempts",
        "1",
        "--timeout",
        "1s",
    ];
    let ended = crawler(&args).with_code(0);
    let message = "the body stalled for 500 ms";
    let case = ("/stalls", message, "timeout (retry-able)", "timeout");
    check(&ended, &server.origin(), &[case]);
    assert!(ended.took < Duration::from_secs(10));
}
