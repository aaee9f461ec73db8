//! `--max-pages N` is exact: it counts reported URLs, including redirects and failures, and exactly N are reported
//! if the site has at least N. URLs that robots.txt disallows do not count.

use std::time::Duration;

use testsite::{Graph, Request, Server, SiteResponse};

use crate::contract::run::{crawl, objects, visited};

/// A site with every outcome: pages, redirects, dead links, errors, files, and disallowed pages.
fn mixed(pages: usize) -> Server {
    Server::start(move |request: &Request| {
        if request.path() == "/robots.txt" {
            return SiteResponse::text("User-agent: *\nDisallow: /private\n");
        }
        if request.path() == "/" {
            let links: String = (1..pages)
                .map(|page| {
                    let folder = if page % 3 == 0 { "private" } else { "p" };
                    format!("<a href=\"/{folder}/{page}\">link</a>\n")
                })
                .collect();
            return SiteResponse::html(links);
        }
        let page: usize = request
            .path()
            .rsplit('/')
            .next()
            .unwrap()
            .parse()
            .unwrap_or(0);
        match page % 7 {
            0 => SiteResponse::status(404),
            1 => SiteResponse::redirect(302, &format!("/moved/{page}")),
            2 => SiteResponse::status(403),
            3 => SiteResponse::new(200, "application/pdf", "%PDF"),
            _ => SiteResponse::html("a page").after(Duration::from_millis((page % 4) as u64 * 5)),
        }
    })
}

#[test]
fn redirects_and_failures_count_and_skips_do_not() {
    for limit in [1, 2, 7, 30, 61] {
        let server = mixed(150);
        let number = limit.to_string();
        let pages = objects(&server, &["--max-pages", &number]);
        let skipped = pages
            .iter()
            .filter(|page| page["outcome"] == "skipped")
            .count();
        assert_eq!(pages.len() - skipped, limit);
        if limit == 61 {
            for outcome in ["fetched", "redirected", "failed", "skipped"] {
                assert!(
                    pages.iter().any(|page| page["outcome"] == outcome),
                    "{outcome}"
                );
            }
        }
        assert_eq!(server.count_below("/private"), 0);
        assert_eq!(
            visited(&mixed(150), &["--max-pages", &number]).len(),
            limit,
            "text"
        );
    }
}

#[test]
fn as_many_pages_as_allowed_are_reported_if_the_site_has_them() {
    let server = mixed(150);
    let all = visited(&server, &["--max-pages", "0"]).len();
    assert!(all > 100);
    for limit in [all - 1, all, all + 1] {
        let count = visited(&mixed(150), &["--max-pages", &limit.to_string()]).len();
        assert_eq!(count, limit.min(all));
    }
}

#[test]
fn it_is_exact_with_many_workers() {
    for limit in [1, 9, 40, 64] {
        let server = Server::start(
            Graph {
                latency: Duration::from_millis(5),
                ..Graph::new(500)
            }
            .site(),
        );
        let flags = ["--max-pages", &limit.to_string(), "--workers", "50"];
        assert_eq!(visited(&server, &flags).len(), limit);
        // No page is requested that would not be reported.
        assert_eq!(
            server.count_below("/") - server.count("/robots.txt"),
            limit as u64
        );
    }
}

#[test]
fn a_retried_page_is_one_page() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::html("<a href=/broken>b</a><a href=/a>a</a><a href=/b>b</a>"),
        "/broken" => SiteResponse::status(500),
        "/robots.txt" => SiteResponse::status(404),
        _ => SiteResponse::html("a page"),
    });
    let paths = visited(&server, &["--max-pages", "4", "--max-attempts", "2"]);
    assert_eq!(paths, ["/", "/a", "/b", "/broken"]);
    let paths = visited(
        &server,
        &["--max-pages", "2", "--max-attempts", "2", "--workers", "1"],
    );
    assert_eq!(paths, ["/", "/broken"]);
}

#[test]
fn a_redirect_in_place_is_one_page() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::html("<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>"),
        "/a" => SiteResponse::redirect(301, "/a/"),
        "/robots.txt" => SiteResponse::status(404),
        _ => SiteResponse::html("a page"),
    });
    assert_eq!(
        visited(&server, &["--max-pages", "3", "--workers", "1"]),
        ["/", "/a", "/b"]
    );
}

#[test]
fn urls_left_are_counted() {
    let server = Server::start(
        Graph {
            links_per_page: 20,
            ..Graph::new(21)
        }
        .site(),
    );
    let ended = crawl(&server, &["--max-pages", "1", "--log-format", "json"]);
    let summary = ended.event("summary");
    let known = ended
        .stdout
        .lines()
        .skip(2)
        .collect::<std::collections::BTreeSet<_>>();
    let left = known
        .iter()
        .filter(|link| **link != server.url("/"))
        .count();
    assert_eq!(
        (summary["pages"].as_u64(), summary["left"].as_u64()),
        (Some(1), Some(left as u64))
    );
}
