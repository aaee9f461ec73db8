//! Crawls random sites through the frontier, over a store that fails, loses responses and takes leases away.
//!
//! The sites are those of the in-memory frontier's tests. The clock is paused, so no test waits. Checked for every crawl: it
//! ends; every admitted URL is finished by exactly one write; no task is fetched more often than it was claimed; one lease is
//! never settled with two outcomes; a drain leaves nothing held.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

mod fake;
mod histories;
mod refusals;
#[path = "../../frontier/tests/robots_history/mod.rs"]
mod robots_history;
mod scope;
mod sitemap_starts;
mod takeover;
#[path = "../../frontier/tests/world/mod.rs"]
mod world;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::{Delivery, Frontier, Moment, Next, SiteFileTask, Work};
use crawler_model::StopReason;
use crawler_store::{TaskState, WorkerId, WrappedStore};
use crawler_store_frontier::{Planner, StoreFrontier, StoreFrontierSettings};
use crawler_weburl::CrawlUrl;
use tokio::time::{Instant, sleep_until};

use fake::faults::Odds;
use fake::memory_store::seed;
use fake::{Faults, MemoryStore, Record};
use world::{Behavior, Dice, World, page_of, url_of};

type Crawl = StoreFrontier<WrappedStore<MemoryStore, Faults>>;

/// No crawl of these sites takes longer.
const LONGEST_CRAWL: Duration = Duration::from_hours(2);

struct CrawlTest {
    world: World,
    store: MemoryStore,
    faults: Faults,
    dice: Dice,
    /// Fetches of each task, by its URL before redirects that are followed in place.
    fetches: BTreeMap<String, u32>,
    /// A lease is taken away in one of this many steps; 0 is never.
    theft: u64,
    /// Steps in which leases may still be taken away: a page that redirects to itself many times would never finish.
    thefts_left: u32,
    started: Instant,
}

impl CrawlTest {
    fn new(number: u64, odds: Odds, theft: u64) -> Self {
        let mut dice = Dice(number ^ 0x5707e);
        let world = World::random(number, |_| ());
        let url = CrawlUrl::parse(&url_of(0)).unwrap();
        let key = world.plan.keys.key_text(url.parts());
        let interval = Duration::from_millis(if dice.one_in(3) { dice.below(80) } else { 0 });
        Self {
            store: MemoryStore::new(seed(url.as_str(), key, url.host_key()), interval),
            faults: Faults::new(number, odds),
            world,
            dice,
            fetches: BTreeMap::new(),
            theft,
            thefts_left: 40,
            started: Instant::now(),
        }
    }

    fn frontier(&self, number: u64) -> Crawl {
        let store = WrappedStore::new(self.store.clone(), self.faults.clone());
        let plan = Arc::clone(self.world.plan.rules());
        let planner: Planner = Arc::new(move |_, _| Ok(Arc::clone(&plan)));
        let settings = StoreFrontierSettings {
            workers: self.world.plan.workers,
            host_interval: Duration::ZERO,
            ..StoreFrontierSettings::default()
        };
        let site_files = Arc::clone(self.world.plan.rules());
        StoreFrontier::new(
            store,
            WorkerId::fresh(),
            settings,
            planner,
            site_files,
            number,
        )
    }

    /// Runs a frontier until it has stopped. It is stopped when everything is finished, or after this many steps.
    async fn run(&mut self, number: u64, stop_after: Option<u64>) {
        let mut frontier = self.frontier(number);
        let mut in_flight: Vec<(Moment, Work)> = Vec::new();
        let mut out: Vec<Delivery> = Vec::new();
        let mut steps = 0;
        loop {
            steps += 1;
            let now = self.started.elapsed();
            assert!(
                now < LONGEST_CRAWL,
                "world {number} does not end: {frontier:?} {in_flight:?}"
            );
            if self.store.is_done() || stop_after == Some(steps) {
                frontier.stop(StopReason::Signal);
            }
            if self.thefts_left > 0 && self.theft > 0 && self.dice.one_in(self.theft) {
                self.thefts_left -= 1;
                self.store.steal(self.dice.below(100));
            }
            let free = self.world.plan.workers - in_flight.len();
            let dispatch = frontier.take(free, now, &mut out).await.unwrap();
            assert!(dispatch.work.len() <= free, "world {number}: too much work");
            for work in dispatch.work {
                self.note(&work, number);
                let takes = Duration::from_millis(1 + self.dice.below(400));
                in_flight.push((now + takes, work));
            }
            let until = match dispatch.next {
                Next::Finished(_) => return,
                Next::Until(at) => Some(at),
                Next::Report => None,
            };
            let soonest = in_flight.iter().map(|(done, _)| *done).chain(until).min();
            let wake = self.started + soonest.unwrap_or(LONGEST_CRAWL);
            tokio::select! {
                () = frontier.changed() => (),
                () = sleep_until(wake) => (),
            }
            let now = self.started.elapsed();
            if let Some(index) = in_flight.iter().position(|(done, _)| *done <= now) {
                match in_flight.remove(index).1 {
                    Work::Page(task) => {
                        let report = self.world.answer(task);
                        frontier.settle(report, now, &mut out).await.unwrap();
                    }
                    Work::SiteFile(SiteFileTask::Robots(task)) => {
                        let report = self.world.answer_robots(task);
                        Frontier::settle_site_file(&mut frontier, report, now, &mut out)
                            .await
                            .unwrap();
                    }
                    Work::SiteFile(SiteFileTask::Sitemap(_)) => panic!("no sitemap was requested"),
                }
            }
        }
    }

    fn note(&mut self, work: &Work, number: u64) {
        let Work::Page(task) = work else { return };
        assert!(
            !self.world.disallowed.contains(&page_of(&task.url)),
            "world {number}: a disallowed page is fetched"
        );
        // A page that redirects to itself is followed in place, under the same lease.
        if task.reported_url.is_none() {
            *self.fetches.entry(task.url.to_string()).or_default() += 1;
        }
    }

    /// Checks the invariants at the end of a crawl.
    fn check(&self, number: u64) {
        let records = self.store.records();
        for record in &records {
            let Record { task, finished, .. } = record;
            assert_eq!(
                *finished, 1,
                "world {number}: {} is finished once",
                task.url
            );
            assert!(record.holder.is_none(), "world {number}: {}", task.url);
            let repeats = record.requeued + record.taken_away;
            assert_eq!(record.claims, 1 + repeats, "world {number}: {}", task.url);
            let fetches = self.fetches.get(&task.url).copied().unwrap_or(0);
            assert!(
                fetches <= record.claims,
                "world {number}: {} was claimed {} times and fetched {fetches} times",
                task.url,
                record.claims
            );
        }
        self.check_visited(&records, number);
    }

    /// The visited set is the reachable set, where that does not depend on the order of discovery or on the number of
    /// attempts that lost leases use up.
    fn check_visited(&self, records: &[Record], number: u64) {
        let flaky = |one: &Behavior| matches!(one, Behavior::Flaky { .. });
        if self.world.plan.limits.depth.is_some() || self.world.behaviors.iter().any(flaky) {
            return;
        }
        let page = |record: &Record| page_of(&CrawlUrl::parse(&record.task.url).unwrap());
        let visited: BTreeSet<usize> = records.iter().map(page).collect();
        let reachable: BTreeSet<usize> = self.world.reachable().into_keys().collect();
        assert_eq!(visited, reachable, "world {number}");
    }
}

/// Crawls many sites, each with its own clock.
fn crawl(worlds: std::ops::Range<u64>, run: impl AsyncFn(u64)) {
    for number in worlds {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(run(number));
    }
}

#[test]
fn without_faults_every_attempt_is_one_fetch() {
    crawl(0..400, async |number| {
        let mut test = CrawlTest::new(number, Odds::default(), 0);
        test.run(number, None).await;
        test.check(number);
        for record in test.store.records() {
            assert_eq!(record.taken_away, 0, "world {number}: a lease was lost");
        }
    });
}

#[test]
fn lost_responses_and_failed_calls_lose_no_page() {
    let lost = Cell::new(0);
    crawl(0..600, async |number| {
        let odds = Odds {
            refused: 6,
            lost: 6,
            slowest: 40,
            ..Odds::default()
        };
        let mut test = CrawlTest::new(number, odds, 0);
        test.run(number, None).await;
        test.check(number);
        lost.set(lost.get() + test.faults.lost());
    });
    assert!(lost.get() > 1_000, "{} responses lost", lost.get());
}

#[test]
fn a_lost_lease_loses_only_its_own_result() {
    let stolen = Cell::new(0);
    crawl(0..400, async |number| {
        let odds = Odds {
            slowest: 40,
            ..Odds::default()
        };
        let mut test = CrawlTest::new(number, odds, 5);
        test.run(number, None).await;
        test.check(number);
        let records = test.store.records();
        let taken: u32 = records.iter().map(|record| record.taken_away).sum();
        stolen.set(stolen.get() + taken);
    });
    assert!(stolen.get() > 500, "{} leases taken away", stolen.get());
}

#[test]
fn a_crawl_survives_an_outage_longer_than_its_leases() {
    crawl(0..200, async |number| {
        let odds = Odds {
            slowest: 20,
            ..Odds::default()
        };
        let mut test = CrawlTest::new(number, odds, 0);
        let after = Duration::from_millis(test.dice.below(1_500));
        test.faults.outage(after, Duration::from_secs(90));
        test.run(number, None).await;
        test.check(number);
    });
}

/// The leases expire, but the worker renews them before anyone may take them away.
#[test]
fn an_outage_longer_than_its_leases_loses_no_task() {
    crawl(0..200, async |number| {
        let mut test = CrawlTest::new(number, Odds::default(), 0);
        let after = Duration::from_millis(test.dice.below(1_500));
        test.faults.outage(after, Duration::from_secs(90));
        test.run(number, None).await;
        test.check(number);
        for record in test.store.records() {
            assert_eq!(record.taken_away, 0, "world {number}: a lease was lost");
        }
    });
}

#[test]
fn a_short_outage_loses_no_lease() {
    crawl(0..200, async |number| {
        let mut test = CrawlTest::new(number, Odds::default(), 0);
        let after = Duration::from_millis(test.dice.below(1_500));
        test.faults.outage(after, Duration::from_secs(10));
        test.run(number, None).await;
        test.check(number);
        for record in test.store.records() {
            assert_eq!(record.taken_away, 0, "world {number}: a lease was lost");
        }
    });
}

#[test]
fn a_drain_hands_everything_back_and_another_worker_finishes() {
    crawl(0..400, async |number| {
        let odds = Odds {
            slowest: 20,
            ..Odds::default()
        };
        let mut test = CrawlTest::new(number, odds, 0);
        let stop = 1 + test.world.stop_after.unwrap_or(number % 20);
        test.run(number, Some(stop)).await;
        for record in test.store.records() {
            assert_ne!(
                record.state,
                TaskState::Processing,
                "world {number}: {} is still held",
                record.task.url
            );
        }
        test.run(number + 1, None).await;
        test.check(number);
    });
}

/// A page takes far longer than a lease, so only renewals keep the lease.
#[test]
fn a_slow_page_keeps_its_lease() {
    crawl(0..1, async |number| {
        let mut test = CrawlTest::new(number, Odds::default(), 0);
        let mut frontier = test.frontier(number);
        let mut out = Vec::new();
        let page = loop {
            let now = test.started.elapsed();
            let dispatch = frontier.take(1, now, &mut out).await.unwrap();
            match dispatch.work.into_iter().next() {
                Some(Work::Page(task)) => break task,
                Some(Work::SiteFile(SiteFileTask::Robots(task))) => {
                    let report = test.world.answer_robots(task);
                    Frontier::settle_site_file(&mut frontier, report, now, &mut out)
                        .await
                        .unwrap();
                }
                Some(other) => panic!("{other:?}"),
                None => wait(&mut frontier, test.started, dispatch.next).await,
            }
        };
        test.note(&Work::Page(page.clone()), number);
        let done = test.started.elapsed() + Duration::from_mins(5);
        while test.started.elapsed() < done {
            let now = test.started.elapsed();
            let dispatch = frontier.take(0, now, &mut out).await.unwrap();
            wait(&mut frontier, test.started, dispatch.next).await;
        }
        let report = test.world.answer(page);
        let now = test.started.elapsed();
        frontier.settle(report, now, &mut out).await.unwrap();
        frontier.stop(StopReason::Signal);
        loop {
            let now = test.started.elapsed();
            let dispatch = frontier.take(0, now, &mut out).await.unwrap();
            if let Next::Finished(_) = dispatch.next {
                break;
            }
            wait(&mut frontier, test.started, dispatch.next).await;
        }
        let seed = &test.store.records()[0];
        assert_eq!((seed.taken_away, seed.claims), (0, 1), "{seed:?}");
    });
}

async fn wait(frontier: &mut Crawl, started: Instant, next: Next) {
    let until = match next {
        Next::Until(at) => started + at,
        Next::Report | Next::Finished(_) => started + LONGEST_CRAWL,
    };
    tokio::select! {
        () = frontier.changed() => (),
        () = sleep_until(until) => (),
    }
}
