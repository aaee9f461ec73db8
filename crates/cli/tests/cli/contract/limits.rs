//! `--max-pages`, `--max-depth`, `--max-duration`, `--max-bytes`, `--max-redirects`,
//! `--max-body-bytes`: limits of a crawl and of a page, and how they are reported.

use std::time::Duration;

use testsite::{Graph, Pages, Request, Server, SiteResponse};

use crate::contract::run::{crawl, crawl_from, object, objects, visited};
use crate::run::Finished;

/// Every page links to two more pages.
fn endless(delay: Duration, bytes: usize) -> impl Fn(&Request) -> SiteResponse {
    move |request| {
        if request.path() == "/robots.txt" {
            return SiteResponse::status(404);
        }
        let here: u64 = request.path()[1..].parse().unwrap_or(0);
        let mut body = format!(
            "<a href=\"/{}\">left</a><a href=\"/{}\">right</a>",
            here * 2 + 1,
            here * 2 + 2
        );
        body.push_str(&" ".repeat(bytes.saturating_sub(body.len())));
        SiteResponse::html(body).after(delay)
    }
}

/// Asserts that the summary names the limit, how many known URLs were left, and the flag that lifts it.
fn assert_reports_limit(ended: &Finished, limit: &str) {
    let line = ended
        .stderr
        .lines()
        .find(|line| line.contains("Stopped at --max"))
        .unwrap_or_else(|| panic!("no ending in {}", ended.stderr));
    let (flag, _) = limit.split_once(' ').unwrap();
    assert!(line.contains(&format!("{limit} with ")), "{line}");
    let (number, rest) = line
        .split_once(" with ")
        .unwrap()
        .1
        .split_once(' ')
        .unwrap();
    assert!(
        number.replace(',', "").parse::<u64>().unwrap() > 0,
        "{line}"
    );
    assert!(rest.starts_with("known URLs left; "), "{line}");
    let advice = rest.split_once("; ").unwrap().1;
    assert!(advice.contains(flag) && advice.contains("use "), "{line}");
}

#[test]
fn max_pages_ends_the_crawl_and_is_reported() {
    let server = Server::start(endless(Duration::ZERO, 0));
    let ended = crawl(&server, &["--max-pages", "20", "--max-depth", "0"]);
    assert_eq!(ended.visited_paths(&server).len(), 20);
    assert_reports_limit(&ended, "--max-pages 20");
}

#[test]
fn zero_is_no_limit() {
    let server = Server::start(Graph::new(2_300).site());
    let flags = ["--max-pages", "0", "--max-depth", "0"];
    assert_eq!(visited(&server, &flags).len(), 2_300);
}

#[test]
fn a_limit_that_is_not_reached_is_not_mentioned() {
    let server = Server::start(Graph::new(30).site());
    let ended = crawl(&server, &["--max-pages", "30"]);
    assert_eq!(ended.visited_paths(&server).len(), 30);
    assert!(!ended.stderr.contains("Stopped"), "{}", ended.stderr);
}

#[test]
fn links_beyond_max_depth_are_reported_with_the_flag() {
    let server = Server::start(Pages::new().links("/", &["/a"]).links("/a", &["/b", "/c"]));
    let ended = crawl(&server, &["--max-depth", "1"]);
    assert_eq!(ended.visited_paths(&server), ["/", "/a"]);
    assert!(
        ended.stderr.contains("2 links beyond --max-depth 1"),
        "{}",
        ended.stderr
    );
    assert!(
        ended
            .stderr
            .contains("use --max-depth 0 to follow all links"),
        "{}",
        ended.stderr
    );
}

#[test]
fn max_duration() {
    let server = Server::start(endless(Duration::from_millis(30), 0));
    let ended = crawl(
        &server,
        &["--max-duration", "400ms", "--profile", "exhaustive"],
    );
    let last = server.hits().last().unwrap().at;
    assert!(ended.started_at.elapsed() >= Duration::from_millis(400));
    assert!(last > ended.started_at);
    assert!(ended.visited_paths(&server).len() > 1);
    assert_reports_limit(&ended, "--max-duration 0.4 s");
    // Requests in flight were finished: every request is a page.
    let pages = server.total() - server.count("/robots.txt");
    assert_eq!(ended.visited_paths(&server).len() as u64, pages);
}

#[test]
fn max_bytes() {
    let server = Server::start(endless(Duration::ZERO, 10_000));
    let flags = [
        "--max-bytes",
        "50KB",
        "--workers",
        "1",
        "--profile",
        "exhaustive",
    ];
    let ended = crawl(&server, &flags);
    let pages = ended.visited_paths(&server).len();
    assert!((5..=6).contains(&pages), "{pages}");
    assert_reports_limit(&ended, "--max-bytes 50.0 kB");
}

#[test]
fn a_longer_body_is_truncated_and_marked() {
    let page = |padding: usize| {
        format!(
            "<a href=\"/early\">a</a>{}<a href=\"/late\">b</a>",
            " ".repeat(padding)
        )
    };
    let server = Server::start(Pages::new().html("/", &page(1_000)));
    for (flags, truncated) in [
        (["--max-body-bytes", "1000"].as_slice(), true),
        (&["--max-body-bytes", "1KB"], true),
        (&["--max-body-bytes", "2000"], false),
        (&[], false),
    ] {
        let pages = objects(&server, flags);
        let seed = object(&pages, &server.url("/"));
        assert_eq!(seed["truncated"] == true, truncated, "{flags:?}");
        let links = seed["links"].as_array().unwrap().len();
        assert_eq!(links, if truncated { 1 } else { 2 }, "{flags:?}");
        assert_eq!(seed["status"], 200, "{flags:?}");
    }
}

#[test]
fn a_truncated_page_is_reported_on_stderr_and_in_the_summary() {
    let page = format!("<a href=\"/early\">a</a>{}", " ".repeat(1_000));
    let server = Server::start(Pages::new().html("/", &page).html("/early", "<p>short"));
    let ended = crawl(&server, &["--max-body-bytes", "1000"]);
    let url = server.url("/");
    for message in [
        format!("{url} is larger than --max-body-bytes (1.0 kB): links after that point are not found"),
        "1 page not read to the end, so links may be missing; use a higher --max-body-bytes (now 1.0 kB)"
            .to_owned(),
    ] {
        assert!(ended.stderr.contains(&message), "{message}: {}", ended.stderr);
    }
    let ended = crawl(&server, &[]);
    assert!(
        !ended.stderr.contains("--max-body-bytes"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_body_is_truncated_at_2_mb() {
    let mut body = String::from("<a href=\"/early\">a</a>");
    body.push_str(&" ".repeat(2_000_000 - body.len()));
    let longer = format!("{body}<a href=\"/late\">b</a>");
    let server = Server::start(
        Pages::new()
            .links("/", &["/exact", "/longer"])
            .html("/exact", &body)
            .html("/longer", &longer),
    );
    let pages = objects(&server, &[]);
    assert!(
        object(&pages, &server.url("/exact"))
            .get("truncated")
            .is_none()
    );
    let cut = object(&pages, &server.url("/longer"));
    assert_eq!(cut["truncated"], true);
    assert_eq!(cut["links"], serde_json::json!([server.url("/early")]));
}

/// `/0` redirects to `/1`, and so on; the last is a page.
fn redirects(count: usize) -> Server {
    Server::start(
        move |request: &Request| match request.path()[1..].parse::<usize>() {
            Ok(at) if at < count => SiteResponse::redirect(302, &format!("/{}", at + 1)),
            Ok(at) if at == count => SiteResponse::html("the end"),
            _ if request.path() == "/" => SiteResponse::html("<a href=\"/0\">go</a>"),
            _ => SiteResponse::status(404),
        },
    )
}

#[test]
fn verbose_names_the_page_that_a_failed_link_is_on() {
    let site = Pages::new()
        .links("/", &["/dead", "/moved"])
        .redirect("/moved", "/gone");
    let server = Server::start(site);
    let (url, moved) = (server.url("/"), server.url("/moved"));
    let ended = crawl(&server, &["-v"]);
    for origin in [
        format!("[dead link], linked from {url}"),
        format!("[dead link], redirected from {moved}"),
    ] {
        assert!(ended.stderr.contains(&origin), "{origin}: {}", ended.stderr);
    }
    let ended = crawl(&server, &[]);
    assert!(!ended.stderr.contains(" from "), "{}", ended.stderr);
}

#[test]
fn max_redirects() {
    for (flags, hops) in [
        ([].as_slice(), 10),
        (&["--max-redirects", "3"], 3),
        (&["--max-redirects", "1"], 1),
        (&["--max-redirects", "0"], 0),
    ] {
        let server = redirects(hops);
        let pages = objects(&server, flags);
        let last = object(&pages, &server.url(&format!("/{hops}")));
        assert_eq!(last["outcome"], "fetched", "{flags:?}");

        let server = redirects(hops + 1);
        let pages = objects(&server, flags);
        let last = object(&pages, &server.url(&format!("/{hops}")));
        let error = format!("fetch failed: too many redirects ({hops})");
        assert_eq!(last["error"], error, "{flags:?}");
        assert_eq!(server.count(&format!("/{}", hops + 1)), 0, "{flags:?}");
    }
}

#[test]
fn a_loop_of_redirects_ends() {
    let server = Server::start(
        Pages::new()
            .links("/", &["/a"])
            .redirect("/a", "/b")
            .redirect("/b", "/a"),
    );
    assert_eq!(visited(&server, &[]), ["/", "/a", "/b"]);
    assert_eq!(crawl_from(&server, "/", &[]).links(&server, "/b"), ["/a"]);
}

#[test]
fn a_redirect_that_closes_a_loop_fails() {
    let server = Server::start(
        Pages::new()
            .links("/", &["/in", "/old"])
            .redirect("/in", "/a")
            .redirect("/a", "/b")
            .redirect("/b", "/c")
            .redirect("/c", "/a")
            .redirect("/old", "/new")
            .html("/new", "<p>new"),
    );
    let pages = objects(&server, &[]);
    let error = format!("redirect loop back to {}", server.url("/a"));
    let closing = object(&pages, &server.url("/c"));
    assert_eq!(closing["outcome"], "failed");
    assert_eq!(closing["error"], format!("fetch failed: {error}"));
    assert_eq!(closing["error_kind"], "too_many_redirects");
    for path in ["/in", "/a", "/b", "/old"] {
        let outcome = &object(&pages, &server.url(path))["outcome"];
        assert_eq!(outcome, "redirected", "{path}");
    }
    let ended = crawl(&server, &[]);
    let url = server.url("/c");
    let message = format!("Failed to fetch {url}: {error} [too many redirects]");
    assert!(ended.stderr.contains(&message), "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("redirect loop").count(), 1);
    assert!(
        ended.stderr.contains("1 failed (1 redirects)"),
        "{}",
        ended.stderr
    );
}

#[test]
fn one_page_of_each_loop_fails_whatever_the_order() {
    // Every page is also found as a link, so that any page of a loop may come last.
    let server = Server::start(
        Pages::new()
            .links("/", &["/a", "/b", "/x", "/y", "/z", "/tail", "/self"])
            .redirect("/a", "/b")
            .redirect("/b", "/a")
            .redirect("/x", "/y")
            .redirect("/y", "/z")
            .redirect("/z", "/x")
            .redirect("/tail", "/x")
            .redirect("/self", "/self"),
    );
    for workers in ["1", "2", "8"] {
        let pages = objects(&server, &["--workers", workers]);
        assert_eq!(pages.len(), 8);
        for pages_of_loop in [&["/a", "/b"][..], &["/x", "/y", "/z"], &["/self"]] {
            let failed = |path: &&&str| {
                let kind = &object(&pages, &server.url(path))["error_kind"];
                kind == "too_many_redirects"
            };
            let failed = pages_of_loop.iter().filter(failed).count();
            assert_eq!(failed, 1, "{pages_of_loop:?}, {workers} workers: {pages:?}");
        }
        let tail = object(&pages, &server.url("/tail"));
        assert_eq!(tail["outcome"], "redirected");
    }
}
