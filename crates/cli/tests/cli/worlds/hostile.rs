//! All hostile behaviors in one crawl.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use testsite::Server;
use testsite::hostile::{Behavior, Expect, Hostile, behaviors, healthy_paths};

use crate::worlds::crawl::{Crawl, Crawled};
use crate::worlds::machine_lock;
use crate::worlds::page::Page;

const TIMEOUT: Duration = Duration::from_secs(2);
const ATTEMPTS: u64 = 2;
const MAX_MB: f64 = 400.0;

/// Followed in place and reported under the URL of the redirecting page.
const FOLLOWED_IN_PLACE: &str = "/location-slash/in/";

struct HostileCrawl {
    server: Server,
    pages: BTreeMap<String, Page>,
    ended: Crawled,
}

impl HostileCrawl {
    fn crawl() -> Self {
        let server = Server::start(Hostile::new());
        let ended = Crawl::of(&server.url("/"))
            .flags("--format ndjson --max-pages 0 --max-depth 0")
            .flags("--timeout 2s --max-attempts 2 --workers 64")
            .within(Duration::from_secs(90))
            .run();
        let mut pages = BTreeMap::new();
        for page in ended.pages() {
            let path = page.url.strip_prefix(&server.origin()).unwrap().to_owned();
            assert!(
                pages.insert(path.clone(), page).is_none(),
                "{path} is reported twice"
            );
        }
        Self {
            server,
            pages,
            ended,
        }
    }

    /// Describes how the report of one path differs from the expected outcome.
    fn mismatch(&self, path: &str, expect: Expect) -> Option<String> {
        let requests = self.server.count(path);
        let seen = self.pages.get(path).map(Page::outcome);
        let right = match seen {
            None => expect == Expect::Never && requests == 0,
            Some(seen) => expect.accepts(&seen) && requests > 0,
        };
        (!right).then(|| format!("{path}: {seen:?} after {requests} requests, not {expect:?}"))
    }

    fn mismatches(&self, one: &Behavior) -> Vec<String> {
        let first = self.mismatch(&one.path, one.expect);
        let others = one
            .also
            .iter()
            .filter_map(|(path, expect)| self.mismatch(path, *expect));
        let requests = self.server.count_below(&one.prefix());
        let max = one.max_pages.map_or(u64::MAX, |max| max as u64);
        let too_often = (requests > max).then(|| format!("{}: {requests} requests", one.prefix()));
        let found: Vec<String> = first.into_iter().chain(others).chain(too_often).collect();
        let why = |mismatch| format!("{mismatch} ({})", one.why);
        found.into_iter().map(why).collect()
    }
}

#[test]
fn every_hostile_behavior_has_its_outcome() {
    let _lock = machine_lock::exclusive();
    let seen = HostileCrawl::crawl();
    seen.ended.assert_done();
    let all = behaviors();
    assert!(all.len() >= 150, "{}", all.len());
    let mismatches: Vec<String> = all.iter().flat_map(|one| seen.mismatches(one)).collect();
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));

    assert_nothing_is_lost_or_requested_too_often(&seen);
    assert_no_page_exceeds_its_timeout(&seen);
    assert_unwanted_bodies_are_not_read(&seen);

    let (peak, took) = (seen.ended.peak_mb, seen.ended.took());
    let pages = seen.pages.len();
    eprintln!("hostile: {pages} pages in {took:.1?}, peak {peak:.0} MB");
    assert!(peak <= MAX_MB, "{peak} MB");
}

/// The requested pages are the reported ones, and include the healthy pages.
fn assert_nothing_is_lost_or_requested_too_often(seen: &HostileCrawl) {
    for path in healthy_paths() {
        assert_eq!(seen.server.count(&path), 1, "{path}");
        let outcome = seen.pages[&path].outcome();
        assert!(
            matches!(outcome, Expect::Fetched { .. }),
            "{path}: {outcome:?}"
        );
    }
    let counts = seen.server.counts();
    let requests: BTreeSet<&str> = counts.iter().map(|(path, _)| path.as_str()).collect();
    // A page that turned out to be in a trap is reported and not requested.
    let requested = seen.pages.iter().filter(|(_, page)| !page.is_skipped());
    let mut reported: BTreeSet<&str> = requested.map(|(path, _)| path.as_str()).collect();
    reported.extend(["/robots.txt", FOLLOWED_IN_PLACE]);
    let different: Vec<_> = requests.symmetric_difference(&reported).collect();
    assert!(different.is_empty(), "{different:?}");
    for (path, count) in counts {
        // A reused connection that breaks before the response says nothing about the page: the same attempt is made
        // once more on a new connection.
        let breaks = ["/close-", "/reset-"]
            .iter()
            .any(|way| path.starts_with(way));
        let max = match path.as_str() {
            "/redirect-self/in" => 11,
            _ if breaks => 2 * ATTEMPTS,
            _ => ATTEMPTS,
        };
        assert!(count <= max, "{path} was requested {count} times");
    }
    for page in seen.pages.values() {
        assert!(page.attempts <= ATTEMPTS, "{}: {}", page.url, page.attempts);
    }
}

/// No page takes longer than its timeout, whatever the others do.
fn assert_no_page_exceeds_its_timeout(seen: &HostileCrawl) {
    let max = TIMEOUT + Duration::from_secs(1);
    let slowest = seen.pages.values().max_by_key(|page| page.ms).unwrap();
    assert!(
        u128::from(slowest.ms) <= max.as_millis(),
        "{} took {} ms",
        slowest.url,
        slowest.ms
    );
}

/// Unwanted bodies are not downloaded, and secrets do not appear in the output.
fn assert_unwanted_bodies_are_not_read(seen: &HostileCrawl) {
    // What a server can write into socket buffers before it notices that the reader stopped.
    let in_buffers = 16 << 20;
    for (name, max) in [
        ("pdf-endless", 512 << 10),
        ("zip-fast", in_buffers),
        ("status-404-endless", 512 << 10),
        ("redirect-endless-body", 512 << 10),
        ("endless-body", in_buffers),
        ("bomb-gzip", 4 << 20),
    ] {
        let sent = seen.server.bytes_sent(&format!("/{name}/in"));
        assert!(sent <= max, "{name}: {sent} bytes");
    }
    let output = std::fs::read_to_string(seen.ended.output_file()).unwrap();
    assert!(!output.contains("secret") && !seen.ended.stderr().contains("secret"));
}
