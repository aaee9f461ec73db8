//! Hosts that throttle requests. Each has its own server, because a polite crawler slows down for the whole host.

use std::time::{Duration, Instant};

use testsite::hostile::{Behavior, Expect, Hostile, healthy_paths, throttlers};
use testsite::{Pages, Server, SiteResponse};

use crate::worlds::crawl::{Crawl, Crawled};
use crate::worlds::machine_lock;

const FLAGS: &str = "--format ndjson --max-pages 0 --max-depth 0 --timeout 2s --workers 8";
const SECOND: Duration = Duration::from_secs(1);

/// Throttlers that send a Retry-After, with the minimum pause.
const PAUSES: [(&str, Duration); 3] = [
    ("429-twice-retry-1", SECOND),
    ("503-retry-seconds", SECOND),
    // Two seconds, as a date with a resolution of one second.
    ("503-retry-date", SECOND),
];
/// Hosts whose Retry-After is longer than any crawl.
const PARKED: [&str; 3] = ["503-retry-huge", "503-retry-overflow", "503-retry-far-date"];
/// Throttlers whose requests can be repeated immediately.
const NO_PAUSE: [&str; 2] = ["429-twice-retry-0", "503-retry-past"];

#[test]
fn each_throttler_has_its_outcome_and_the_crawl_ends() {
    let _lock = machine_lock::shared();
    let all = throttlers();
    assert!(all.len() >= 13, "{}", all.len());
    for name in PAUSES
        .map(|(name, _)| name)
        .iter()
        .chain(&PARKED)
        .chain(&NO_PAUSE)
    {
        assert!(
            all.iter().any(|one| one.name == *name),
            "{name} does not exist"
        );
    }
    std::thread::scope(|scope| {
        for one in &all {
            scope.spawn(move || crawl_with_healthy_pages(one));
        }
    });
}

fn crawl_with_healthy_pages(one: &Behavior) {
    let name = one.name;
    let server = Server::start(Hostile::only(name).unwrap());
    let ended = Crawl::of(&server.url("/"))
        .flags(FLAGS)
        .flags("--max-attempts 3")
        .within(40 * SECOND)
        .run();
    ended.assert_sound();
    assert_eq!(ended.code(), Some(0), "{name}: {}", ended.stderr());
    let outcome = outcome_of(&ended, &server.url(&one.path));
    assert!(
        outcome.is_some_and(|seen| one.expect.accepts(&seen)),
        "{name}: {outcome:?} is not {:?} ({})",
        one.expect,
        one.why
    );
    let requests = server.count_below(&one.prefix());
    let max = one.max_pages.unwrap_or(3) as u64;
    assert!(requests <= max.min(3), "{name}: {requests} requests");
    if PARKED.contains(&name) {
        assert_eq!(ended.summary("stop_reason"), "host_parked", "{name}");
        assert_eq!(
            requests, 1,
            "{name}: requested again despite its Retry-After"
        );
        assert!(ended.took() < 10 * SECOND, "{name}: {:?}", ended.took());
    } else {
        ended.assert_done();
        for path in healthy_paths() {
            assert_eq!(server.count(&path), 1, "{name}: {path}");
        }
    }
    if NO_PAUSE.contains(&name) {
        assert!(ended.took() < 10 * SECOND, "{name}: {:?}", ended.took());
    }
    if let Some((_, pause)) = PAUSES.iter().find(|(known, _)| *known == name) {
        assert_host_is_paused(&server, one, *pause);
    }
}

/// Asserts that nothing is requested after each refusal, except requests already in flight.
fn assert_host_is_paused(server: &Server, one: &Behavior, pause: Duration) {
    let hits = server.hits();
    let requests: Vec<Instant> = hits
        .iter()
        .filter(|hit| hit.path_and_query == one.path)
        .map(|hit| hit.at)
        .collect();
    assert!(requests.len() >= 2, "{}: never retried", one.name);
    for refused in &requests[..requests.len() - 1] {
        let on_its_way = *refused + pause / 4;
        let early = hits
            .iter()
            .filter(|hit| hit.at > on_its_way && hit.at < *refused + pause.mul_f64(0.95))
            .count();
        assert_eq!(early, 0, "{}: {early} requests during the pause", one.name);
    }
}

fn outcome_of(ended: &Crawled, url: &str) -> Option<Expect> {
    let pages = ended.pages();
    pages
        .iter()
        .find(|page| page.url == url)
        .map(crate::worlds::page::Page::outcome)
}

/// Every page of the host returns 429: the pauses grow until the time limit.
#[test]
fn a_host_that_always_throttles_gets_few_requests() {
    let _lock = machine_lock::shared();
    let links: Vec<String> = (0..200).map(|page| format!("/{page}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let site = links
        .iter()
        .fold(Pages::new(), |site, path| {
            site.page(path, SiteResponse::status(429).after(SECOND / 10))
        })
        .links("/", &links);
    let server = Server::start(site);
    let ended = Crawl::of(&server.url("/"))
        .flags(FLAGS)
        .flags("--max-duration 8s")
        .within(15 * SECOND)
        .run();
    ended.assert_sound();
    assert_eq!(
        (ended.code(), ended.summary("stop_reason")),
        (Some(0), "max_duration".into())
    );
    assert!(ended.took() < 11 * SECOND, "{:?}", ended.took());
    // Eight were in flight at the first refusal; then one at a time, after 1 s, 2 s and 4 s.
    let requests = server.total() - server.count("/") - server.count("/robots.txt");
    assert!((9..=20).contains(&requests), "{requests} requests");
    assert_eq!(server.most_in_flight(), 8);
}

/// The seed itself is always throttled: reported, and an error.
#[test]
fn a_seed_that_always_refuses_ends_with_an_error() {
    let _lock = machine_lock::shared();
    for (name, expect) in [
        ("429-always", Expect::Failed("rate_limited")),
        ("503-always", Expect::Failed("server_error")),
        ("503-retry-overflow", Expect::Failed("server_error")),
    ] {
        let server = Server::start(Hostile::only(name).unwrap());
        let seed = server.url(&format!("/{name}/in"));
        let ended = Crawl::of(&seed)
            .flags(FLAGS)
            .flags("--max-attempts 3")
            .run();
        ended.assert_sound();
        assert_eq!(ended.code(), Some(1), "{name}: {}", ended.stderr());
        assert_eq!(outcome_of(&ended, &seed), Some(expect), "{name}");
        assert!(server.count_below("/") <= 4, "{name}: {}", server.total());
    }
}
