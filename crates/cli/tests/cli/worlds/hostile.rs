//! Everything that can go wrong, in one crawl.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use testsite::Server;
use testsite::hostile::{Behaviour, Expect, Hostile, behaviours, healthy_paths};

use crate::worlds::crawl::{Crawl, Crawled};
use crate::worlds::machine_lock;
use crate::worlds::page::Page;

const TIMEOUT: Duration = Duration::from_secs(2);
const ATTEMPTS: u64 = 2;
const MOST_MB: f64 = 400.0;

/// Followed in place, under the name of the page that sent us there.
const SAME_PAGE: &str = "/location-slash/in/";

struct Seen {
    server: Server,
    pages: BTreeMap<String, Page>,
    ended: Crawled,
}

impl Seen {
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

    /// What is wrong with how one path was reported.
    fn complaint(&self, path: &str, expect: Expect) -> Option<String> {
        let asked = self.server.count(path);
        let seen = self.pages.get(path).map(Page::outcome);
        let right = match seen {
            None => expect == Expect::Never && asked == 0,
            Some(seen) => expect.accepts(&seen) && asked > 0,
        };
        (!right).then(|| format!("{path}: {seen:?} after {asked} requests, not {expect:?}"))
    }

    fn complaints(&self, one: &Behaviour) -> Vec<String> {
        let first = self.complaint(&one.path, one.expect);
        let others = one
            .also
            .iter()
            .filter_map(|(path, expect)| self.complaint(path, *expect));
        let asked = self.server.count_below(&one.prefix());
        let most = one.max_pages.map_or(u64::MAX, |most| most as u64);
        let often = (asked > most).then(|| format!("{}: {asked} requests", one.prefix()));
        let found: Vec<String> = first.into_iter().chain(others).chain(often).collect();
        let why = |complaint| format!("{complaint} ({})", one.why);
        found.into_iter().map(why).collect()
    }
}

#[test]
fn every_behaviour_at_once_has_its_outcome() {
    let _lock = machine_lock::exclusive();
    let seen = Seen::crawl();
    seen.ended.assert_done();
    let all = behaviours();
    assert!(all.len() >= 150, "{}", all.len());
    let complaints: Vec<String> = all.iter().flat_map(|one| seen.complaints(one)).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));

    nothing_is_lost_or_asked_too_often(&seen);
    nobody_holds_us_up(&seen);
    nothing_is_read_that_is_not_wanted(&seen);

    let (peak, took) = (seen.ended.peak_mb, seen.ended.took());
    let pages = seen.pages.len();
    eprintln!("hostile: {pages} pages in {took:.1?}, peak {peak:.0} MB");
    assert!(peak <= MOST_MB, "{peak} MB");
}

/// The requested pages are the reported ones, and include the healthy pages.
fn nothing_is_lost_or_asked_too_often(seen: &Seen) {
    for path in healthy_paths() {
        assert_eq!(seen.server.count(&path), 1, "{path}");
        let outcome = seen.pages[&path].outcome();
        assert!(
            matches!(outcome, Expect::Fetched { .. }),
            "{path}: {outcome:?}"
        );
    }
    let counts = seen.server.counts();
    let asked: BTreeSet<&str> = counts.iter().map(|(path, _)| path.as_str()).collect();
    let mut told: BTreeSet<&str> = seen.pages.keys().map(String::as_str).collect();
    told.extend(["/robots.txt", SAME_PAGE]);
    let different: Vec<_> = asked.symmetric_difference(&told).collect();
    assert!(different.is_empty(), "{different:?}");
    for (path, count) in counts {
        // A kept connection that breaks before an answer says nothing about the page: the same attempt
        // is made once more on a new one.
        let breaks = ["/close-", "/reset-"]
            .iter()
            .any(|way| path.starts_with(way));
        let most = match path.as_str() {
            "/redirect-self/in" => 11,
            _ if breaks => 2 * ATTEMPTS,
            _ => ATTEMPTS,
        };
        assert!(count <= most, "{path} was asked for {count} times");
    }
    for page in seen.pages.values() {
        assert!(page.attempts <= ATTEMPTS, "{}: {}", page.url, page.attempts);
    }
}

/// No page takes longer than its timeout, whatever the others do.
fn nobody_holds_us_up(seen: &Seen) {
    let most = TIMEOUT + Duration::from_secs(1);
    let slowest = seen.pages.values().max_by_key(|page| page.ms).unwrap();
    assert!(
        u128::from(slowest.ms) <= most.as_millis(),
        "{} took {} ms",
        slowest.url,
        slowest.ms
    );
}

/// Bodies that are not for us stay with their server, and secrets out of the output.
fn nothing_is_read_that_is_not_wanted(seen: &Seen) {
    // What a server can write into socket buffers before it notices that the reader stopped.
    let in_buffers = 16 << 20;
    for (name, most) in [
        ("pdf-endless", 512 << 10),
        ("zip-fast", in_buffers),
        ("status-404-endless", 512 << 10),
        ("redirect-endless-body", 512 << 10),
        ("endless-body", in_buffers),
        ("bomb-gzip", 4 << 20),
    ] {
        let sent = seen.server.bytes_sent(&format!("/{name}/in"));
        assert!(sent <= most, "{name}: {sent} bytes");
    }
    let output = std::fs::read_to_string(seen.ended.output_file()).unwrap();
    assert!(!output.contains("secret") && !seen.ended.stderr().contains("secret"));
}
