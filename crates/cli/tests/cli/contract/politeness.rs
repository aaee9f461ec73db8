//! `--rate-ms`, `--path-delay`, `--timeout`, `--max-attempts`, and the `Crawl-delay` of robots.txt:
//! measured at the server.
//!
//! The lower bound cannot be flaky: requests start at least a gap apart, the first not before the command, so request
//! number k cannot arrive before k gaps have passed.

use std::time::{Duration, Instant};

use testsite::{LoggedRequest, Pages, Server, SiteResponse, SocketStep};

use crate::contract::run::{crawl, object, objects, run};
use crate::run::Finished;

fn assert_spaced<'a>(
    hits: impl IntoIterator<Item = &'a LoggedRequest>,
    ended: &Finished,
    gap: Duration,
) -> u32 {
    let mut times: Vec<Instant> = hits.into_iter().map(|hit| hit.at).collect();
    times.sort();
    let mut count = 0;
    for at in times {
        let (since, earliest) = (at - ended.started_at, gap * count);
        assert!(
            since >= earliest,
            "request {count} came after {since:?}, before {earliest:?}"
        );
        count += 1;
    }
    count
}

fn below<'a>(hits: &'a [LoggedRequest], prefix: &str) -> Vec<&'a LoggedRequest> {
    hits.iter()
        .filter(|hit| hit.path_and_query.starts_with(prefix))
        .collect()
}

#[test]
fn rate_ms_applies_to_all_workers_and_all_requests() {
    let links = ["/a", "/b", "/c", "/d", "/e", "/f"];
    let site = links
        .iter()
        .fold(Pages::new().links("/", &links), |site, link| {
            site.links(link, &[])
        });
    let server = Server::start(site);
    let ended = crawl(&server, &["--rate-ms", "80", "--workers", "25"]);
    let count = assert_spaced(&server.hits(), &ended, Duration::from_millis(80));
    assert_eq!(count, 8, "robots.txt and seven pages");
}

#[test]
fn rate_ms_applies_to_redirects_in_place_and_retries() {
    let site = Pages::new()
        .links("/", &["/a", "/broken"])
        .redirect("/a", "/a/")
        .links("/a/", &[])
        .page("/broken", SiteResponse::status(500));
    let server = Server::start(site);
    let ended = crawl(&server, &["--rate-ms", "150", "--max-attempts", "2"]);
    let count = assert_spaced(&server.hits(), &ended, Duration::from_millis(150));
    assert_eq!(count, 6, "robots.txt, the seed, /a, /a/ and twice /broken");
}

#[test]
fn rate_ms_applies_to_the_redirects_of_robots_txt() {
    let site = Pages::new()
        .links("/", &[])
        .redirect("/robots.txt", "/one")
        .redirect("/one", "/two")
        .redirect("/two", "/three")
        .page("/three", SiteResponse::text("User-agent: *"));
    let server = Server::start(site);
    let ended = crawl(&server, &["--rate-ms", "150"]);
    let count = assert_spaced(&server.hits(), &ended, Duration::from_millis(150));
    assert_eq!(count, 5);
}

#[test]
fn path_delay_applies_only_below_its_path() {
    let links = [
        "/slow/1", "/slow/2", "/slow/3", "/slow/4", "/quick/1", "/quick/2",
    ];
    let site = links
        .iter()
        .fold(Pages::new().links("/", &links), |site, link| {
            site.links(link, &[])
        });
    let server = Server::start(site);
    let ended = crawl(&server, &["--path-delay", "/slow=600ms"]);
    let hits = server.hits();
    let count = assert_spaced(below(&hits, "/slow"), &ended, Duration::from_millis(600));
    assert_eq!(count, 4);
    // The other pages did not wait for them: they came before the last of them.
    assert_eq!(hits.last().unwrap().path_and_query, "/slow/4");
}

#[test]
fn path_delay_is_repeatable() {
    let links = ["/a/1", "/a/2", "/a/3", "/b/1", "/b/2", "/b/3"];
    let site = links
        .iter()
        .fold(Pages::new().links("/", &links), |site, link| {
            site.links(link, &[])
        });
    let server = Server::start(site);
    let flags = ["--path-delay", "/a=0.15s", "--path-delay", "/b=250ms"];
    let ended = crawl(&server, &flags);
    let hits = server.hits();
    assert_eq!(
        assert_spaced(below(&hits, "/a"), &ended, Duration::from_millis(150)),
        3
    );
    assert_eq!(
        assert_spaced(below(&hits, "/b"), &ended, Duration::from_millis(250)),
        3
    );
}

#[test]
fn crawl_delay_is_obeyed() {
    let links = ["/a", "/b", "/c"];
    let site = Pages::new()
        .robots("User-agent: *\nCrawl-delay: 0.2\n")
        .links("/", &links)
        .links("/a", &[]);
    let server = Server::start(site);
    let ended = crawl(&server, &[]);
    let count = assert_spaced(&server.hits(), &ended, Duration::from_millis(200));
    assert_eq!(count, 5, "robots.txt and four pages");
}

#[test]
fn crawl_delay_is_ignored_when_robots_txt_is() {
    let site = Pages::new()
        .robots("User-agent: *\nCrawl-delay: 3600\n")
        .links("/", &["/a"])
        .links("/a", &[]);
    let server = Server::start(site);
    assert_eq!(
        crawl(&server, &["--robots", "ignore"]).visited_paths(&server),
        ["/", "/a"]
    );
    assert_eq!(server.count("/robots.txt"), 0);
}

#[test]
fn timeout_is_per_request() {
    let site = Pages::new()
        .links("/", &["/silent", "/drip"])
        .page("/silent", SiteResponse::script(vec![SocketStep::Hang]))
        .page(
            "/drip",
            SiteResponse::script(vec![
                SocketStep::send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"),
                SocketStep::Hang,
            ]),
        );
    let server = Server::start(site);
    let url = server.url("/");
    let args = [
        &url,
        "--timeout",
        "300ms",
        "--max-attempts",
        "1",
        "--format",
        "ndjson",
    ];
    // Shorter than the timeout of any profile.
    let ended = run(&args)
        .within(Duration::from_millis(7_500))
        .finish()
        .success();
    let pages = ended.objects();
    for path in ["/silent", "/drip"] {
        let page = object(&pages, &server.url(path));
        assert_eq!(page["error_kind"], "timeout", "{path}");
    }
    let silent = object(&pages, &server.url("/silent"));
    assert!(silent["ms"].as_u64().unwrap() >= 300, "{silent}");
}

#[test]
fn max_attempts_include_the_first() {
    for attempts in [1, 2, 3] {
        let site = Pages::new()
            .links("/", &["/broken", "/gone"])
            .page("/broken", SiteResponse::status(503));
        let server = Server::start(site);
        let pages = objects(&server, &["--max-attempts", &attempts.to_string()]);
        assert_eq!(server.count("/broken"), attempts);
        assert_eq!(object(&pages, &server.url("/broken"))["attempts"], attempts);
        assert_eq!(server.count("/gone"), 1, "a dead link is not retried");
    }
}

#[test]
fn each_origins_robots_txt_is_fetched_once() {
    let other = Server::start(Pages::new().links("/x", &["/y"]).links("/y", &[]));
    let site = Pages::new()
        .links("/", &["/a", "/b", &other.url("/x")])
        .links("/a", &[])
        .links("/b", &[]);
    let server = Server::start(site);
    crawl(&server, &[]);
    assert_eq!(
        (server.count("/robots.txt"), other.count("/robots.txt")),
        (1, 1)
    );
    assert_eq!((server.total(), other.total()), (4, 3));
}
