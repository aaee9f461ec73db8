//! Retries: which failures, how often, and how long a host is paused.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use testsite::{Pages, Request, Server, Site, SiteResponse, SocketStep};

use crate::run::crawler;

/// Returns a fixed response to the first requests for a path, then responds like the site.
struct FirstRequests<S> {
    path: &'static str,
    times: u64,
    response: SiteResponse,
    seen: AtomicU64,
    then: S,
}

impl<S> FirstRequests<S> {
    fn new(path: &'static str, times: u64, response: SiteResponse, then: S) -> Self {
        let seen = AtomicU64::new(0);
        Self {
            path,
            times,
            response,
            seen,
            then,
        }
    }
}

impl<S: Site> Site for FirstRequests<S> {
    fn respond(&self, request: &Request) -> SiteResponse {
        if request.path() == self.path && self.seen.fetch_add(1, Ordering::Relaxed) < self.times {
            return self.response.clone();
        }
        self.then.respond(request)
    }
}

/// Closes the connection after each response. A request that fails on a reused connection is sent once more within the
/// same attempt; here every connection is new.
struct NoReuse<S>(S);

impl<S: Site> Site for NoReuse<S> {
    fn respond(&self, request: &Request) -> SiteResponse {
        self.0.respond(request).header("Connection", "close")
    }
}

/// Arrival times of the requests for a path.
fn times_of(server: &Server, path: &str) -> Vec<Instant> {
    let hits = server.hits();
    hits.iter()
        .filter(|hit| hit.path_and_query == path)
        .map(|hit| hit.at)
        .collect()
}

#[test]
fn temporary_failures_are_retried_up_to_the_limit() {
    let responses = [
        ("/500", SiteResponse::status(500)),
        ("/502", SiteResponse::status(502)),
        ("/503", SiteResponse::status(503)),
        ("/504", SiteResponse::status(504)),
        ("/408", SiteResponse::status(408)),
        ("/hangs", SiteResponse::script(vec![SocketStep::Hang])),
        ("/resets", SiteResponse::script(vec![SocketStep::Reset])),
        ("/closes", SiteResponse::script(vec![SocketStep::Close])),
    ];
    let paths = responses.clone().map(|(path, _)| path);
    let mut site = Pages::new().links("/", &paths);
    for (path, response) in responses {
        site = site.page(path, response);
    }
    let server = Server::start(NoReuse(site));
    let args = [
        &server.url("/"),
        "--format",
        "ndjson",
        "--max-attempts",
        "3",
        "--timeout",
        "400ms",
    ];
    let ended = crawler(&args).with_code(0);
    for path in paths {
        assert_eq!(server.count(path), 3, "{path}");
        assert_eq!(ended.object(path)["attempts"], 3, "{path}");
        let line = format!("Failed to fetch {}: ", server.url(path));
        assert_eq!(ended.stderr_lines(&line).len(), 1, "{}", ended.output());
    }
    for path in ["/500", "/resets"] {
        let times = times_of(&server, path);
        let (first, second) = (times[1] - times[0], times[2] - times[1]);
        assert!(first >= Duration::from_millis(240), "{first:?}");
        assert!(second >= Duration::from_millis(490), "{second:?}");
    }
}

#[test]
fn one_attempt_is_one_request() {
    let site = Pages::new()
        .links("/", &["/500", "/resets"])
        .page("/500", SiteResponse::status(500))
        .page("/resets", SiteResponse::script(vec![SocketStep::Reset]));
    let server = Server::start(NoReuse(site));
    crawler(&[&server.url("/"), "--max-attempts", "1"]).with_code(0);
    assert_eq!((server.count("/500"), server.count("/resets")), (1, 1));
}

#[test]
fn a_lost_connection_is_replaced_at_most_once_per_attempt() {
    let site = Pages::new()
        .links("/", &["/resets"])
        .page("/resets", SiteResponse::script(vec![SocketStep::Reset]));
    let server = Server::start(site);
    let args = [
        &server.url("/"),
        "--max-attempts",
        "2",
        "--format",
        "ndjson",
    ];
    let ended = crawler(&args).with_code(0);
    assert_eq!(ended.object("/resets")["attempts"], 2);
    assert!((2..=4).contains(&server.count("/resets")));
}

#[test]
fn permanent_failures_are_not_retried() {
    let statuses = [400, 401, 403, 404, 410, 451];
    let paths: Vec<String> = statuses.iter().map(|status| format!("/{status}")).collect();
    let links: Vec<&str> = paths
        .iter()
        .map(String::as_str)
        .chain(["/nowhere"])
        .collect();
    let mut site = Pages::new()
        .links("/", &links)
        .page("/nowhere", SiteResponse::status(301));
    for (path, status) in paths.iter().zip(statuses) {
        site = site.page(path, SiteResponse::status(status));
    }
    let server = Server::start(site);
    crawler(&[&server.url("/"), "--max-attempts", "5"]).with_code(0);
    for path in links {
        assert_eq!(server.count(path), 1, "{path}");
    }
}

#[test]
fn a_page_that_recovers_is_not_a_failure() {
    for fault in [
        SiteResponse::status(500),
        SiteResponse::status(504),
        SiteResponse::script(vec![SocketStep::Reset]),
        SiteResponse::status(429).header("Retry-After", "0"),
    ] {
        let site = Pages::new()
            .links("/", &["/shaky"])
            .links("/shaky", &["/behind"])
            .html("/behind", "behind");
        let server = Server::start(NoReuse(FirstRequests::new(
            "/shaky",
            2,
            fault.clone(),
            site,
        )));
        let ended = crawler(&[&server.url("/"), "--format", "ndjson"]).with_code(0);
        assert_eq!(server.count("/shaky"), 3, "{fault:?}");
        assert_eq!(server.count("/behind"), 1, "{fault:?}");
        ended.stderr_lacks("Failed").stderr_lacks("failed");
        let shaky = ended.object("/shaky");
        assert_eq!(shaky["outcome"], "fetched");
        assert!(shaky.get("error").is_none());
        assert_eq!(shaky["attempts"], 3);
        assert_eq!(ended.objects().len(), 3, "{}", ended.output());
    }
}

#[test]
fn a_seed_that_recovers_is_crawled() {
    let site = FirstRequests::new(
        "/",
        1,
        SiteResponse::status(503),
        Pages::new().html("/", "here"),
    );
    let server = Server::start(site);
    let ended = crawler(&[server.url("/")]).with_code(0);
    ended.stderr_lacks("Failed").stderr_lacks("error:");
}

/// A site that gives `/busy` this response once, with four pages queued after it.
fn busy_site(response: SiteResponse) -> (Server, Vec<&'static str>) {
    let rest = vec!["/1", "/2", "/3", "/4"];
    let mut links = vec!["/busy"];
    links.extend(&rest);
    let mut site = Pages::new().links("/", &links).html("/busy", "better now");
    for path in &rest {
        site = site.html(path, "page");
    }
    (
        Server::start(FirstRequests::new("/busy", 1, response, site)),
        rest,
    )
}

#[test]
fn retry_after_in_seconds_pauses_the_whole_host() {
    for status in [429, 503, 502] {
        let (server, rest) = busy_site(SiteResponse::status(status).header("Retry-After", "2"));
        let ended = crawler(&[&server.url("/"), "--workers", "1"]).with_code(0);
        let busy = times_of(&server, "/busy");
        assert_eq!(busy.len(), 2);
        for path in rest.iter().chain([&"/busy"]) {
            let last = *times_of(&server, path).last().unwrap();
            let waited = last - busy[0];
            assert!(waited >= Duration::from_secs(2), "{path}: {waited:?}");
        }
        ended
            .stderr_contains(&format!("answered {status}"))
            .stderr_contains("waiting 2.0 s");
        ended.stderr_lacks("Failed");
    }
}

#[test]
fn a_retry_after_date_pauses_the_whole_host() {
    let (now, clock) = (Instant::now(), SystemTime::now());
    let until = clock.duration_since(UNIX_EPOCH).unwrap().as_secs() + 4;
    let date = Command::new("date")
        .args([
            "-u",
            "-d",
            &format!("@{until}"),
            "+%a, %d %b %Y %H:%M:%S GMT",
        ])
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    let date = String::from_utf8(date.stdout).unwrap();
    let until = UNIX_EPOCH + Duration::from_secs(until);
    let until = now + until.duration_since(clock).unwrap();
    let (server, rest) = busy_site(SiteResponse::status(503).header("Retry-After", date.trim()));
    crawler(&[&server.url("/"), "--workers", "1"]).with_code(0);
    assert!(
        times_of(&server, "/busy")[0] < until,
        "the test was too slow"
    );
    // The test and the crawler use the same clock; allow for rounding.
    let until = until.checked_sub(Duration::from_millis(50)).unwrap();
    for path in rest.iter().chain([&"/busy"]) {
        assert!(*times_of(&server, path).last().unwrap() >= until, "{path}");
    }
}

#[test]
fn an_invalid_retry_after_is_ignored() {
    for garbage in ["soon", "-5", "", "1.5", "Thu, 99 Foo 2020 99:99:99 GMT"] {
        let (server, rest) = busy_site(SiteResponse::status(503).header("Retry-After", garbage));
        let ended = crawler(&[server.url("/")]).with_code(0);
        assert_eq!(server.count("/busy"), 2, "{garbage:?}");
        for path in rest {
            assert_eq!(server.count(path), 1, "{garbage:?}");
        }
        assert!(ended.took < Duration::from_secs(20), "{garbage:?}");
        ended
            .stderr_lacks("Failed")
            .stderr_lacks("no more requests");
    }
}

#[test]
fn a_retry_after_in_the_past_does_not_delay() {
    let past = "Sun, 06 Nov 1994 08:49:37 GMT";
    let (server, _) = busy_site(SiteResponse::status(503).header("Retry-After", past));
    let ended = crawler(&[server.url("/")]).with_code(0);
    assert_eq!(server.count("/busy"), 2);
    assert!(ended.took < Duration::from_secs(20));
}

#[test]
fn status_429_without_retry_after_pauses_the_host_too() {
    let (server, rest) = busy_site(SiteResponse::status(429));
    crawler(&[&server.url("/"), "--workers", "1"]).with_code(0);
    let first = times_of(&server, "/busy")[0];
    for path in rest {
        let waited = times_of(&server, path)[0] - first;
        assert!(waited >= Duration::from_secs(1), "{path}: {waited:?}");
    }
}

#[test]
fn a_host_with_a_long_retry_after_gets_no_more_requests() {
    for (status, retry_after) in [
        (503, "86400"),
        (429, "1000000"),
        (503, "99999999999999999999999"),
        (503, "Fri, 31 Dec 2100 23:59:59 GMT"),
        (500, "86400"),
        (504, "86400"),
    ] {
        let (server, rest) =
            busy_site(SiteResponse::status(status).header("Retry-After", retry_after));
        let args = [&server.url("/"), "--workers", "1", "--format", "ndjson"];
        let ended = crawler(&args).with_code(0);
        assert_eq!(server.count("/busy"), 1, "{retry_after}");
        for path in rest {
            assert_eq!(server.count(path), 0, "{retry_after}");
        }
        assert!(ended.took < Duration::from_secs(20), "{retry_after}");
        let last = ended.stderr_lines("Stopped with ");
        assert_eq!(last.len(), 1, "{}", ended.output());
        for text in [
            "127.0.0.1",
            "asked for a pause of",
            "4 known URLs left",
            "later",
        ] {
            assert!(last[0].contains(text), "{}", ended.output());
        }
        let busy = format!("Failed to fetch {}: ", server.url("/busy"));
        assert_eq!(ended.stderr_lines(&busy).len(), 1, "{}", ended.output());
    }
}

#[test]
fn a_seed_with_a_long_retry_after_fails() {
    let busy = SiteResponse::status(503).header("Retry-After", "86400");
    let server = Server::start(Pages::new().page("/", busy));
    let ended = crawler(&[server.url("/")]).with_code(1);
    assert_eq!(server.count("/"), 1);
    ended
        .stderr_contains("error: cannot fetch the seed")
        .stderr_contains("server error (503)");
    assert!(ended.took < Duration::from_secs(20));
}
