//! With a depth limit, depth is the shortest distance and the visited set does not depend on timing: a
//! page of depth d+1 is not started while one of depth ≤ d is queued or in flight.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use testsite::{Graph, Request, Server, Site, SiteResponse};

use crate::contract::run::{crawl, objects, visited};

const GRAPH: Graph = Graph {
    pages: 250,
    links_per_page: 4,
    body_bytes: 0,
    seed: 7,
    gzip: false,
    latency: Duration::ZERO,
};

/// The graph, with a delay for each page that differs from run to run.
fn shuffled(run: u64) -> Server {
    let site = GRAPH.site();
    Server::start(move |request: &Request| {
        let mut hasher = DefaultHasher::new();
        (run, request.path()).hash(&mut hasher);
        let delay = Duration::from_millis(hasher.finish() % 25);
        site.respond(request).after(delay)
    })
}

/// The distance of each path, up to a limit.
fn distances(limit: u32) -> BTreeMap<String, u32> {
    GRAPH
        .depths()
        .into_iter()
        .zip(0..)
        .filter(|(depth, _)| *depth <= limit)
        .map(|(depth, page)| (GRAPH.path(page), depth))
        .collect()
}

#[test]
fn the_visited_set_does_not_depend_on_timing() {
    for limit in [1, 3, 4] {
        let expected: Vec<String> = distances(limit).into_keys().collect();
        for run in 0..3 {
            let server = shuffled(run);
            let flags = ["--max-depth", &limit.to_string(), "--workers", "12"];
            assert_eq!(
                visited(&server, &flags),
                expected,
                "depth {limit}, run {run}"
            );
        }
    }
}

#[test]
fn depth_is_the_shortest_distance() {
    let server = shuffled(11);
    let pages = objects(&server, &["--max-depth", "6", "--workers", "12"]);
    let depths: BTreeMap<String, u32> = pages
        .iter()
        .map(|page| {
            let url = page["url"].as_str().unwrap();
            let path = url.strip_prefix(&server.origin()).unwrap().to_owned();
            (
                path,
                u32::try_from(page["depth"].as_u64().unwrap()).unwrap(),
            )
        })
        .collect();
    assert_eq!(depths, distances(6));
}

#[test]
fn levels_are_crawled_in_order() {
    let depths = distances(u32::MAX);
    let server = shuffled(23);
    crawl(&server, &["--max-depth", "5", "--workers", "12"]);
    let requested_depths: Vec<u32> = server
        .hits()
        .iter()
        .filter_map(|hit| depths.get(&hit.path_and_query).copied())
        .collect();
    assert_eq!(requested_depths.len(), distances(5).len());
    assert!(requested_depths.is_sorted(), "{requested_depths:?}");
}

#[test]
fn a_page_first_found_too_deep_is_not_lost() {
    // /far is found at depth 3 through the quick pages, and at depth 2 through the slow one.
    let server = Server::start(|request: &Request| {
        let page = |links: &str| SiteResponse::html(links.to_owned());
        match request.path() {
            "/" => page("<a href=/quick>q</a><a href=/slow>s</a>"),
            "/quick" => page("<a href=/quicker>q</a>"),
            "/quicker" => page("<a href=/far>f</a>"),
            "/slow" => page("<a href=/far>f</a>").after(Duration::from_millis(150)),
            "/far" => page("here"),
            _ => SiteResponse::status(404),
        }
    });
    assert_eq!(
        visited(&server, &["--max-depth", "2"]),
        ["/", "/far", "/quick", "/quicker", "/slow"]
    );
}

#[test]
fn a_page_waiting_for_a_retry_does_not_block_others() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::html("<a href=/broken>b</a><a href=/a>a</a>"),
        "/a" => SiteResponse::html("<a href=/a/a>a</a>"),
        "/a/a" => SiteResponse::html("deep"),
        "/broken" => SiteResponse::status(500),
        _ => SiteResponse::status(404),
    });
    let ended = crawl(&server, &["--max-depth", "3", "--max-attempts", "2"]);
    assert_eq!(ended.visited_paths(&server), ["/", "/a", "/a/a", "/broken"]);
    let hits = server.hits();
    let order: Vec<&str> = hits.iter().map(|hit| hit.path_and_query.as_str()).collect();
    assert_eq!(order.last(), Some(&"/broken"), "{order:?}");
    assert_eq!(server.count("/broken"), 2);
}

#[test]
fn without_a_depth_limit_a_slow_page_does_not_block_others() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::html("<a href=/slow>s</a><a href=/1>1</a>"),
        "/slow" => {
            SiteResponse::html("<a href=/after-slow>a</a>").after(Duration::from_millis(600))
        }
        "/1" => SiteResponse::html("<a href=/2>2</a>"),
        "/2" => SiteResponse::html("<a href=/3>3</a>"),
        "/3" => SiteResponse::html("deep"),
        _ => SiteResponse::status(404),
    });
    crawl(&server, &["--max-depth", "0"]);
    let hits = server.hits();
    let last = hits.last().unwrap().path_and_query.as_str();
    assert_eq!(last, "/after-slow");
    assert_eq!(server.count("/3"), 1);
}

#[test]
fn a_redirect_does_not_add_depth() {
    let server = Server::start(|request: &Request| match request.path() {
        "/" => SiteResponse::html("<a href=/moved>m</a>"),
        "/moved" => SiteResponse::redirect(301, "/here"),
        "/here" => SiteResponse::html("<a href=/too-deep>d</a>"),
        _ => SiteResponse::status(404),
    });
    let pages = objects(&server, &["--max-depth", "1"]);
    let depth =
        |path: &str| crate::contract::run::object(&pages, &server.url(path))["depth"].clone();
    assert_eq!(
        (pages.len(), depth("/moved"), depth("/here")),
        (3, 1.into(), 1.into())
    );
}
