//! Politeness toward hosts, whatever the number of workers.

use std::time::{Duration, Instant};

use crawler_weburl::HostKey;
use futures_util::future::join_all;

use super::StoreFixture;
use super::builders::{
    EXPIRED, LEASE, crawl, done, fast, page, pages, read_job, settle, start, take, take_all,
};
use crate::{HostDefaults, HostTurns, JobLimits, JobState, MAX_START_DELAY};

/// A start as observed from outside: the claim happened between two readings of the clock.
struct Start {
    earliest: Instant,
    latest: Instant,
}

/// Five requests per second and two in flight, with three claimers that settle as soon as they can.
pub async fn three_claimers_respect_one_hosts_rate_and_slots<G: StoreFixture>(fixture: &G) {
    const TASKS: usize = 12;
    let interval = Duration::from_millis(200);
    let hosts = HostDefaults {
        in_flight: 2,
        interval,
    };
    let first = fixture.open(hosts).await;
    let job = start(&first, crawl(pages("a.test", TASKS), JobLimits::default())).await;
    let stores = [first, fixture.open(hosts).await, fixture.open(hosts).await];
    let deadline = Instant::now() + Duration::from_mins(1);
    let claimers = stores.iter().map(|store| async move {
        let mut starts = Vec::new();
        while read_job(store, job).await.state != JobState::Completed {
            assert!(Instant::now() < deadline, "the job does not end");
            let before = Instant::now();
            let tasks = take(store, 10, LEASE).await;
            let after = Instant::now();
            assert!(tasks.len() <= 2);
            for task in &tasks {
                starts.push(Start {
                    earliest: before + task.delay,
                    latest: after + task.delay,
                });
                let held = read_job(store, job).await.counts.processing;
                assert!(held <= 2, "{held} in flight");
                settle(store, vec![done(task, Vec::new())]).await;
            }
        }
        starts
    });
    let mut starts: Vec<Start> = join_all(claimers).await.into_iter().flatten().collect();
    starts.sort_by_key(|start| start.latest);
    assert_eq!(starts.len(), TASKS);
    for (index, early) in starts.iter().enumerate() {
        for (steps, late) in starts[index..].iter().enumerate() {
            let min = interval * u32::try_from(steps).unwrap_or(0);
            // Milliseconds are the store's unit, so one may be lost to rounding.
            let apart = late.latest.duration_since(early.earliest) + Duration::from_millis(2);
            assert!(apart >= min, "{steps} requests in {apart:?}");
        }
    }
}

/// A pause applies to all tasks of a host, the longest one wins, and other hosts are not affected.
pub async fn a_paused_host_is_not_claimed_and_blocks_no_other<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let paused = HostKey::new("a.test");
    let seeds = [pages("a.test", 3), pages("b.test", 3)].concat();
    start(&store, crawl(seeds, JobLimits::default())).await;
    store
        .pause_host(&paused, Duration::from_hours(1))
        .await
        .expect("paused");
    store
        .pause_host(&paused, Duration::ZERO)
        .await
        .expect("paused");
    let tasks = take(&store, 10, LEASE).await;
    assert_eq!(tasks.len(), 3);
    assert!(tasks.iter().all(|task| task.host.as_str() == "b.test"));
    // Neither new tasks for the host nor a settled one ends a pause.
    let found = vec![page("a.test", "new", 1)];
    settle(&store, vec![done(&tasks[0], found)]).await;
    assert!(take(&store, 10, LEASE).await.is_empty());
    // A host may be paused before it is known.
    store
        .pause_host(&HostKey::new("c.test"), Duration::from_hours(1))
        .await
        .expect("paused");
    start(&store, crawl(pages("c.test", 1), JobLimits::default())).await;
    assert!(take(&store, 10, LEASE).await.is_empty());
}

/// The longest crawl-delay applies.
pub async fn a_crawl_delay_is_obeyed<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let host = HostKey::new("a.test");
    store
        .slow_host(&host, Duration::from_mins(10))
        .await
        .expect("slowed");
    store
        .slow_host(&host, Duration::from_secs(1))
        .await
        .expect("slowed");
    start(&store, crawl(pages("a.test", 3), JobLimits::default())).await;
    let tasks = take(&store, 10, LEASE).await;
    assert_eq!(tasks.len(), 1);
    assert_eq!(tasks[0].delay, Duration::ZERO);
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    assert!(take(&store, 10, LEASE).await.is_empty());
}

/// Slots are counted from live leases, so those of a dead worker are free once its leases expire.
pub async fn a_dead_worker_leaks_no_slot<G: StoreFixture>(fixture: &G) {
    let hosts = HostDefaults {
        in_flight: 2,
        interval: Duration::ZERO,
    };
    let store = fixture.open(hosts).await;
    start(&store, crawl(pages("a.test", 4), JobLimits::default())).await;
    assert_eq!(take(&store, 10, EXPIRED).await.len(), 2);
    assert_eq!(take(&store, 10, LEASE).await.len(), 2, "before any rescue");
    assert!(take(&store, 10, LEASE).await.is_empty());
}

/// Two of three at a time; each that ends frees a slot for the next.
pub async fn a_full_host_opens_when_a_task_settles<G: StoreFixture>(fixture: &G) {
    let hosts = HostDefaults {
        in_flight: 2,
        interval: Duration::ZERO,
    };
    let store = fixture.open(hosts).await;
    start(&store, crawl(pages("a.test", 3), JobLimits::default())).await;
    let tasks = take(&store, 10, LEASE).await;
    assert_eq!(tasks.len(), 2);
    assert!(take(&store, 10, LEASE).await.is_empty());
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    assert_eq!(take_all(&store, 1).await.len(), 1);
}

/// A request without a claim takes the host's next start, and later ones wait.
pub async fn a_reserved_start_is_used_once<G: StoreFixture>(fixture: &G) {
    const MINUTE: Duration = Duration::from_mins(1);
    let hosts = HostDefaults {
        in_flight: 10,
        interval: MINUTE,
    };
    let store = fixture.open(hosts).await;
    start(&store, crawl(pages("a.test", 3), JobLimits::default())).await;
    assert_eq!(take(&store, 10, LEASE).await.len(), 1);
    let started = Instant::now();
    for index in 1..=3 {
        let reserved = store.reserve_start(&HostKey::new("a.test")).await;
        let delay = reserved.expect("a start");
        let due = MINUTE * index;
        // Time has passed since the claim, and the store's unit is milliseconds.
        assert!(delay <= due, "{delay:?}");
        assert!(
            delay + started.elapsed() + Duration::from_secs(5) >= due,
            "{delay:?}"
        );
    }
    // An unknown host is free immediately, once.
    let unknown = HostKey::new("b.test");
    let delay = store.reserve_start(&unknown).await.expect("a start");
    assert_eq!(delay, Duration::ZERO);
    assert!(store.reserve_start(&unknown).await.expect("a start") > MINUTE / 2);
}

/// A task with a start after the end of its lease would be taken back before it starts.
pub async fn no_start_is_after_the_end_of_the_lease<G: StoreFixture>(fixture: &G) {
    let hosts = HostDefaults {
        in_flight: 100,
        interval: Duration::from_millis(100),
    };
    let store = fixture.open(hosts).await;
    start(&store, crawl(pages("a.test", 50), JobLimits::default())).await;
    let lease = Duration::from_millis(350);
    let tasks = take(&store, 50, lease).await;
    assert!(!tasks.is_empty() && tasks.len() <= 4, "{}", tasks.len());
    assert!(tasks.iter().all(|task| task.delay <= lease));
    let store = fixture.open(hosts).await;
    start(&store, crawl(pages("b.test", 50), JobLimits::default())).await;
    let tasks = take(&store, 50, LEASE).await;
    assert!(tasks.iter().all(|task| task.delay <= MAX_START_DELAY));
}

/// Hosts wait in the order in which they became ready: a job that keeps finding new hosts is not served before those that
/// wait.
pub async fn new_hosts_queue_behind_waiting_ones<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("zzz.test", 2), JobLimits::default())).await;
    for host in ["aaa.test", "bbb.test", "ccc.test"] {
        start(&store, crawl(pages(host, 1), JobLimits::default())).await;
    }
    let first = take(&store, 1, LEASE).await;
    assert_eq!(first[0].host.as_str(), "zzz.test");
}
