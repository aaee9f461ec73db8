//! Realistic pages, and different transports: plain, TLS with HTTP/2, gzip, IPv6.

use std::collections::{BTreeMap, BTreeSet};

use testsite::hostile::Expect;
use testsite::{Graph, REALISTIC_DEAD_PATH, REALISTIC_LINKS_PER_PAGE, Realistic, Server, Tls};

use crate::worlds::crawl::{Crawl, Crawled};
use crate::worlds::machine_lock;

const FLAGS: &str = "--format ndjson --max-pages 0 --max-depth 0";

/// Each page has 120 links in many spellings: all are found, in order, and nothing else.
#[test]
fn all_links_of_each_page_are_found_in_order() {
    let _lock = machine_lock::shared();
    let site = Realistic::default();
    let server = Server::start(site);
    let ended = Crawl::of(&server.url("/")).flags(FLAGS).run();
    ended.assert_done();
    let origin = server.origin();
    let mut reported: BTreeMap<String, Expect> = BTreeMap::new();
    for page in ended.pages() {
        let target = page.url.strip_prefix(&origin).unwrap();
        if let Some(links) = site.links_of(target, &origin) {
            assert_eq!(page.links, links, "{target}");
            assert_eq!(links.len(), REALISTIC_LINKS_PER_PAGE);
        }
        let again = reported.insert(page.url.clone(), page.outcome());
        assert_eq!(again, None, "{target} is reported twice");
    }
    let mut expected: BTreeMap<String, Expect> = site
        .urls(&origin)
        .into_iter()
        .map(|url| {
            let links = REALISTIC_LINKS_PER_PAGE;
            (url, Expect::Fetched { links })
        })
        .collect();
    expected.insert(server.url(REALISTIC_DEAD_PATH), Expect::Failed("dead_link"));
    assert_eq!(reported, expected);
    let once = server.counts();
    assert!(once.iter().all(|(_, count)| *count == 1), "{once:?}");
}

/// Asserts that every page of a graph is found and printed once with its links.
fn assert_found(graph: Graph, server: &Server, ended: &Crawled) {
    ended.assert_done();
    assert_eq!(ended.summary("failed"), 0, "{}", ended.stderr());
    let origin = server.origin();
    let urls = graph.urls(&origin);
    let pages = ended.pages();
    let reported: BTreeSet<&str> = pages.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(reported, urls.iter().map(String::as_str).collect());
    assert_eq!(pages.len(), urls.len());
    for page in &pages {
        let number = graph.page(page.url.strip_prefix(&origin).unwrap()).unwrap();
        let links = graph.links_of(number);
        let links: Vec<&str> = links
            .iter()
            .map(|link| urls[*link as usize].as_str())
            .collect();
        assert_eq!(page.links, links, "{}", page.url);
    }
}

/// Asserts that every page was requested once.
fn assert_requested_once(graph: Graph, server: &Server, ended: &Crawled) {
    assert_found(graph, server, ended);
    for page in 0..graph.pages {
        let path = graph.path(page);
        assert_eq!(server.count(&path), 1, "{path}");
    }
    assert_eq!(server.total(), u64::from(graph.pages) + 1);
}

fn crawl_over_tls(tls: &Tls, graph: Graph, flags: &str) -> (Server, Crawled) {
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("authority.pem");
    tls.write_authority(&authority);
    let server = Server::start_tls(graph.site(), tls);
    let ended = Crawl::of(&server.url("/"))
        .flags(FLAGS)
        .flags(flags)
        .env("SSL_CERT_FILE", &authority)
        .run();
    (server, ended)
}

#[test]
fn over_tls_with_http_2_nothing_is_lost() {
    let _lock = machine_lock::shared();
    let graph = Graph::new(2_000);
    let (server, ended) = crawl_over_tls(&Tls::generate(), graph, "--max-attempts 1");
    assert_requested_once(graph, &server, &ended);
    let connections = server.connections();
    assert!(connections <= 4, "{connections} connections for 25 workers");
}

/// A server that sends GOAWAY after every seventh request processes some requests and drops others. None may be lost, and a
/// dropped request is not a failed attempt. The HTTP library loses a few responses that arrive together with the GOAWAY:
/// only those pages are requested again.
#[test]
fn http_2_connections_that_keep_closing_lose_nothing() {
    let _lock = machine_lock::shared();
    let graph = Graph::new(1_000);
    let tls = Tls::generate().goaway_every(7).max_streams(10);
    let (server, ended) = crawl_over_tls(&tls, graph, "--max-attempts 2 --timeout 5s");
    assert_found(graph, &server, &ended);
    let retries = ended.summary("retries").as_u64().unwrap();
    assert!(retries <= 2, "{retries} retries");
    let again = server.total() - u64::from(graph.pages) - 1;
    assert!(again <= 20, "{again} pages were requested again");
    assert!(server.connections() >= 1_000 / 20);
}

#[test]
fn over_tls_with_http_1_nothing_is_lost() {
    let _lock = machine_lock::shared();
    let graph = Graph::new(500);
    let (server, ended) = crawl_over_tls(&Tls::generate().http1_only(), graph, "--max-attempts 1");
    assert_requested_once(graph, &server, &ended);
}

/// The same server without its certificate authority.
#[test]
fn an_unknown_authority_is_refused() {
    let _lock = machine_lock::shared();
    let server = Server::start_tls(Graph::new(5).site(), &Tls::generate());
    let seed = server.url("/");
    let ended = Crawl::of(&seed)
        .flags(FLAGS)
        .flags("--max-attempts 1")
        .run();
    assert_eq!(ended.code(), Some(1), "{}", ended.stderr());
    let outcomes: Vec<Expect> = ended
        .pages()
        .iter()
        .map(crate::worlds::page::Page::outcome)
        .collect();
    assert!(
        outcomes.iter().all(|seen| *seen == Expect::Failed("tls")),
        "{outcomes:?}"
    );
    assert_eq!(server.total(), 0);
}

#[test]
fn compressed_pages_are_crawled_completely() {
    let _lock = machine_lock::shared();
    let graph = Graph {
        gzip: true,
        ..Graph::new(1_000)
    };
    let server = Server::start(graph.site());
    let ended = Crawl::of(&server.url("/")).flags(FLAGS).run();
    assert_requested_once(graph, &server, &ended);
    let plain: usize = (0..graph.pages).map(|page| graph.body(page).len()).sum();
    let sent = server.total_bytes_sent();
    assert!(
        sent * 2 < plain as u64,
        "{sent} bytes: nothing was compressed"
    );
}

#[test]
fn over_ipv6_nothing_is_lost() {
    let _lock = machine_lock::shared();
    let graph = Graph::new(300);
    let server = Server::start_ipv6(graph.site());
    let ended = Crawl::of(&server.url("/")).flags(FLAGS).run();
    assert_requested_once(graph, &server, &ended);
}
