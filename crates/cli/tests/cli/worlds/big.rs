//! A site of 200,000 pages: complete, each page once, in little memory.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::Duration;

use testsite::{Graph, LogDetail, Request, Server, ServerSetup, Site};

use crate::worlds::crawl::Crawl;
use crate::worlds::machine_lock;

const PAGES: u32 = 200_000;
const MAX_MB: f64 = 250.0;

#[test]
fn two_hundred_thousand_pages_each_exactly_once() {
    let _lock = machine_lock::exclusive();
    let graph = Graph {
        pages: PAGES,
        body_bytes: 1_000,
        ..Graph::default()
    };
    let visits: Arc<[AtomicU8]> = (0..PAGES).map(|_| AtomicU8::new(0)).collect();
    let (site, counts) = (graph.site(), Arc::clone(&visits));
    let counting = move |request: &Request| {
        if let Some(page) = graph.page(request.target()) {
            counts[page as usize].fetch_add(1, Relaxed);
        }
        site.respond(request)
    };
    let setup = ServerSetup {
        log_detail: LogDetail::Totals,
        threads: 2,
        ..ServerSetup::default()
    };
    let server = Server::start_with(counting, setup);
    let ended = Crawl::of(&server.url("/"))
        .flags("--profile exhaustive --workers 32")
        .within(Duration::from_secs(110))
        .run();
    ended.assert_done();
    let (took, peak) = (ended.took(), ended.peak_mb);
    let rate = f64::from(PAGES) / took.as_secs_f64();
    eprintln!("big: {PAGES} pages in {took:.1?} ({rate:.0}/s), peak {peak:.0} MB");

    let wrong = visits.iter().filter(|one| one.load(Relaxed) != 1).count();
    assert_eq!(wrong, 0, "pages not requested exactly once");
    assert_eq!(server.total(), u64::from(PAGES) + 1, "with robots.txt");

    let (origin, mut printed, mut links) = (server.origin(), HashSet::new(), 0_u64);
    for line in ended.lines() {
        if let Some(url) = line.strip_prefix("Visited: ") {
            let path = url.strip_prefix(&origin).unwrap();
            let page = graph.page(path).expect("a page of the site");
            assert!(printed.insert(page), "{path} is printed twice");
        } else if line != "Links found:" {
            links += 1;
        }
    }
    assert_eq!(printed.len(), PAGES as usize);
    assert_eq!(links, u64::from(PAGES) * u64::from(graph.links_per_page));
    assert!(peak < MAX_MB, "{peak} MB");
}
