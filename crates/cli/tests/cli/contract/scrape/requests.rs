//! Requests of `scrape`: redirects, robots.txt, retries, headers, statuses.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use testsite::{Pages, Proxy, Request, Server, SiteResponse};

use crate::contract::requests::values;
use crate::contract::run::crawler;

const PAGE: &str = "<!doctype html><title>Here</title><main><p>The words that a reader came for, in a paragraph \
    that is long enough to be one.</p></main>";

fn json(args: &[&str]) -> Value {
    let args = [&["scrape", "--format", "json"], args].concat();
    let ended = crawler(&args);
    serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|_| panic!("{} {}", ended.stdout, ended.stderr))
}

#[test]
fn redirects_are_followed_across_hosts() {
    let other = Server::start(Pages::new().html("/end/", PAGE).redirect("/end", "/end/"));
    let site = Pages::new()
        .redirect("/start", "next?x=1")
        .page("/next?x=1", SiteResponse::redirect(307, &other.url("/end")));
    let server = Server::start(site);
    let document = json(&[&server.url("/start")]);
    assert_eq!(document["url"], other.url("/end/"));
    assert_eq!(document["meta"]["requested_url"], server.url("/start"));
    assert_eq!(document["title"], "Here");
}

#[test]
fn loops_and_long_chains_end() {
    let site = Pages::new()
        .redirect("/a", "/b")
        .redirect("/b", "/a")
        .redirect("/self", "/self")
        .redirect("/mail", "mailto:a@b.example");
    let server = Server::start(site);
    for (path, message) in [
        ("/a", "redirect loop back to"),
        ("/self", "redirect loop back to"),
        ("/mail", "redirect to a mailto: URL"),
    ] {
        let ended = crawler(&["scrape", &server.url(path)]);
        assert_eq!(ended.code, Some(1));
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    let endless = Server::start(|request: &Request| {
        let number: u64 = request.path().trim_start_matches('/').parse().unwrap_or(0);
        match request.path() {
            "/robots.txt" => SiteResponse::status(404),
            _ => SiteResponse::redirect(302, &format!("/{}", number + 1)),
        }
    });
    let ended = crawler(&["scrape", &endless.url("/0")]);
    assert!(
        ended
            .stderr
            .contains("too many redirects (10) [too many redirects]"),
        "{}",
        ended.stderr
    );
    assert_eq!(endless.total(), 12, "robots.txt, the page and ten more");
}

#[test]
fn robots_txt_is_obeyed_at_every_hop() {
    let other = Server::start(
        Pages::new()
            .robots("User-agent: *\nDisallow: /end")
            .html("/end", PAGE),
    );
    let site = Pages::new()
        .robots("User-agent: crawler\nDisallow: /private")
        .html("/private/x", PAGE)
        .html("/open", PAGE)
        .redirect("/moved", &other.url("/end"));
    let server = Server::start(site);
    for (path, rule, at) in [
        ("/private/x", "Disallow: /private", &server),
        ("/moved", "Disallow: /end", &other),
    ] {
        let ended = crawler(&["scrape", &server.url(path)]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
        let message =
            format!("blocked by robots.txt ({rule}); use --robots ignore to fetch it anyway");
        assert!(ended.stderr.contains(&message), "{}", ended.stderr);
        let from = format!(" (redirected from {})", server.url(path));
        assert_eq!(
            ended.stderr.contains(&from),
            path == "/moved",
            "{}",
            ended.stderr
        );
        assert_eq!(
            at.total() - at.count("/moved"),
            at.count("/robots.txt"),
            "{path}"
        );
        let ended = crawler(&["scrape", &server.url(path), "--robots", "ignore"]).success();
        assert!(ended.stdout.starts_with("# Here"), "{}", ended.stdout);
        assert_eq!(json(&[&server.url(path)])["kind"], "robots");
    }
    crawler(&["scrape", &server.url("/open")]).success();
    crawler(&[
        "scrape",
        &server.url("/private/x"),
        "--user-agent",
        "other/1",
    ])
    .success();
}

#[test]
fn a_robots_txt_that_cannot_be_read() {
    let broken = Pages::new()
        .page("/robots.txt", SiteResponse::status(500))
        .html("/", PAGE);
    let server = Server::start(broken);
    let ended = crawler(&["scrape", &server.url("/")]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .stderr
            .contains("cannot read robots.txt (server error (500))"),
        "{}",
        ended.stderr
    );
    assert_eq!(server.count("/"), 0);
    crawler(&["scrape", &server.url("/"), "--robots", "ignore"]).success();
    // No response is a network failure, not blocked by robots.txt.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let ended = crawler(&["scrape", &format!("http://127.0.0.1:{port}/")]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("Failed to fetch") && ended.stderr.contains("[network"),
        "{}",
        ended.stderr
    );
}

#[test]
fn crawl_delay_applies_between_pages_of_a_host() {
    let site = Pages::new()
        .robots("User-agent: *\nCrawl-delay: 0.3")
        .html("/1", PAGE)
        .html("/2", PAGE)
        .html("/3", PAGE);
    let server = Server::start(site);
    let urls = ["/1", "/2", "/3"].map(|path| server.url(path));
    let started_at = std::time::Instant::now();
    crawler(&["scrape", &urls[0], &urls[1], &urls[2]]).success();
    assert!(
        started_at.elapsed() >= Duration::from_millis(900),
        "{:?}",
        started_at.elapsed()
    );
}

#[test]
fn temporary_failures_are_retried() {
    let requests = AtomicU64::new(0);
    let server = Server::start(move |request: &Request| {
        if request.path() != "/" {
            return SiteResponse::status(404);
        }
        match requests.fetch_add(1, Ordering::SeqCst) {
            0 => SiteResponse::status(503).header("Retry-After", "1"),
            1 => SiteResponse::raw(""),
            _ => SiteResponse::html(PAGE),
        }
    });
    let started_at = std::time::Instant::now();
    crawler(&["scrape", &server.url("/")]).success();
    assert_eq!(server.count("/"), 3);
    assert!(
        started_at.elapsed() >= Duration::from_secs(1),
        "Retry-After is obeyed"
    );
}

#[test]
fn an_error_status_is_a_failure_but_json_has_the_page() {
    let error_page = "<!doctype html><title>Gone fishing</title><p>Nothing here but this long sentence about it.";
    for (status, message, attempts) in [
        (404, "not found (404) [dead link]", 1),
        (403, "client error (403) [client error]", 1),
        (500, "server error (500) [server error (retry-able)]", 3),
    ] {
        let server = Server::start(
            Pages::new().page("/x", SiteResponse::new(status, "text/html", error_page)),
        );
        let url = server.url("/x");
        let ended = crawler(&["scrape", &url]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
        assert!(
            ended
                .stderr
                .contains(&format!("Failed to fetch {url}: {message}")),
            "{}",
            ended.stderr
        );
        assert_eq!(server.count("/x"), attempts);
        let document = json(&[&url]);
        assert_eq!(document["meta"]["status_code"], status);
        assert_eq!(document["title"], "Gone fishing");
        assert!(document["error"].as_str().unwrap().contains(message));
        assert!(document["error_kind"].is_string());
        assert_eq!(document["kind"], document["error_kind"]);
    }
}

#[test]
fn the_timeout_is_respected() {
    let server = Server::start(Pages::new().page(
        "/slow",
        SiteResponse::html(PAGE).after(Duration::from_secs(30)),
    ));
    let started_at = std::time::Instant::now();
    let ended = crawler(&["scrape", &server.url("/slow"), "--timeout", "200ms"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("[timeout (retry-able)]"),
        "{}",
        ended.stderr
    );
    assert!(started_at.elapsed() < Duration::from_secs(20));
}

#[test]
fn headers_and_credentials_go_only_to_the_origin_of_their_url() {
    let other = Server::start(Pages::new().html("/end", PAGE));
    let server = Server::start(
        Pages::new()
            .html("/", PAGE)
            .redirect("/away", &other.url("/end")),
    );
    let second = Server::start(Pages::new().html("/", PAGE));
    let with_password = server.url("/").replace("http://", "http://me:s3cret@");
    let ended = crawler(&[
        "scrape",
        "-v",
        &with_password,
        &server.url("/away"),
        &second.url("/"),
        "--header",
        "X-Key: k",
        "--user-agent",
        "Example/1",
    ])
    .success();
    assert!(
        !(ended.stdout.clone() + &ended.stderr).contains("s3cret"),
        "{}",
        ended.stderr
    );
    let page = |server: &Server, path: &str| {
        server
            .hits()
            .into_iter()
            .find(|hit| hit.path_and_query == path)
            .unwrap()
    };
    let own = page(&server, "/");
    assert_eq!(values(&own, "x-key"), ["k"]);
    assert_eq!(values(&own, "authorization"), ["Basic bWU6czNjcmV0"]);
    assert_eq!(values(&page(&server, "/away"), "authorization"), [""; 0]);
    assert_eq!(values(&page(&server, "/away"), "x-key"), ["k"]);
    assert_eq!(values(&page(&second, "/"), "x-key"), ["k"]);
    assert_eq!(values(&page(&second, "/"), "authorization"), [""; 0]);
    for hit in other.hits() {
        assert_eq!(values(&hit, "x-key"), [""; 0]);
        assert_eq!(values(&hit, "authorization"), [""; 0]);
        assert_eq!(values(&hit, "user-agent"), ["Example/1"]);
    }
}

#[test]
fn requests_go_through_a_proxy() {
    let server = Server::start(Pages::new().html("/", PAGE));
    let proxy = Proxy::start();
    crawler(&["scrape", &server.url("/"), "--proxy", &proxy.url()]).success();
    assert_eq!(proxy.total(), 2);
    let ended = crawler(&[
        "scrape",
        &server.url("/"),
        "--proxy",
        "socks5://localhost:1",
    ]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("--proxy"), "{}", ended.stderr);
}

#[test]
fn a_long_page_is_truncated_with_a_warning() {
    let line = "<p>One more paragraph of a page that does not accept to end, however long one reads on.</p>\n";
    let body = format!(
        "<!doctype html><title>Long</title><main>{}",
        line.repeat(120_000)
    );
    let server = Server::start(Pages::new().html("/", &body));
    let ended = crawler(&["scrape", &server.url("/"), "--format", "json"]).success();
    assert!(
        ended.stderr.contains("is too large and was truncated"),
        "{}",
        ended.stderr
    );
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["meta"]["truncated"], true);
    assert_eq!(document["meta"]["bytes"], 10_000_000);
}

#[test]
fn verbosity_of_messages() {
    let server = Server::start(Pages::new().html("/", PAGE));
    let url = server.url("/");
    let message = crawler(&["scrape", &url, "-v"]).success().stderr;
    assert!(
        message.contains(&format!("Scraped {url} (200, ")) && message.contains("quality"),
        "{message}"
    );
    let message = crawler(&["scrape", &url, "-v", "--log-format", "json"])
        .success()
        .stderr;
    let line: Value = serde_json::from_str(&message).unwrap();
    assert_eq!(
        (&line["event"], &line["url"]),
        (&"page_scraped".into(), &url.as_str().into())
    );
    let missing = server.url("/none");
    let both = crawler(&["scrape", &url, &missing, "-q"]);
    assert_eq!((both.code, both.stderr.as_str()), (Some(1), ""));
    let alone = crawler(&["scrape", &missing, "-q", "--color", "always"]);
    assert!(alone.stderr.contains("error: Failed to fetch") && alone.stderr.contains("\u{1b}["));
}
