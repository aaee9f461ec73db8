//! A worker that dies, and another one that takes over its page, or must not: at default settings, on a paused clock.

use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::{Frontier, Moment, Next, SiteFileTask, Work};
use crawler_store::{WorkerId, WrappedStore};
use crawler_store_frontier::{Planner, StoreFrontier, StoreFrontierSettings};
use tokio::time::sleep_until;

use crate::fake::faults::Odds;
use crate::world::Dice;
use crate::{Crawl, CrawlTest, crawl};

/// Maximum time until another worker fetches the page of a dead one.
const LONGEST_TAKEOVER: Duration = Duration::from_secs(45);

/// A worker at default settings.
fn worker(test: &CrawlTest, number: u64) -> Crawl {
    let plan = Arc::clone(test.world.plan.rules());
    let site_files = Arc::clone(&plan);
    let planner: Planner = Arc::new(move |_, _| Ok(Arc::clone(&plan)));
    StoreFrontier::new(
        WrappedStore::new(test.store.clone(), test.faults.clone()),
        WorkerId::fresh(),
        StoreFrontierSettings::default(),
        planner,
        site_files,
        number,
    )
}

/// Drives a worker that can fetch this many pages until it fetches one, or until this moment; returns whether it did.
async fn drive(test: &CrawlTest, worker: &mut Crawl, free: usize, end: Moment) -> bool {
    let mut out = Vec::new();
    loop {
        let now = test.started.elapsed();
        if now >= end {
            return false;
        }
        let dispatch = worker.take(free, now, &mut out).await.unwrap();
        match dispatch.work.into_iter().next() {
            Some(Work::Page(_)) => return true,
            Some(Work::SiteFile(SiteFileTask::Robots(task))) => {
                let report = test.world.answer_robots(task);
                let settled = Frontier::settle_site_file(worker, report, now, &mut out);
                settled.await.unwrap();
            }
            Some(other) => panic!("{other:?}"),
            None => {
                let until = match dispatch.next {
                    Next::Until(at) => at.min(end),
                    Next::Report | Next::Finished(_) => end,
                };
                tokio::select! {
                    () = worker.changed() => (),
                    () = sleep_until(test.started + until) => (),
                }
            }
        }
    }
}

/// A worker that is fetching the only page, and another one. The site is the same for every number; the workers and the delays
/// of the store are not.
async fn two_workers(number: u64) -> (CrawlTest, Crawl, Crawl) {
    let odds = Odds {
        slowest: 500,
        ..Odds::default()
    };
    let mut test = CrawlTest::new(0, odds, 0);
    test.faults = crate::Faults::new(number, odds);
    let mut first = worker(&test, number);
    let fetched = drive(&test, &mut first, 1, Duration::from_mins(2)).await;
    assert!(fetched, "the page is fetched");
    let second = worker(&test, number + 1_000);
    (test, first, second)
}

#[test]
fn the_page_of_a_dead_worker_is_taken_over_within_45_seconds() {
    let (mut times, mut dice) = (Vec::new(), Dice(45));
    for number in 0..400 {
        let lives = Duration::from_millis(dice.below(60_000));
        let time = std::cell::Cell::new(None);
        crawl(number..number + 1, async |number| {
            let (test, mut first, mut second) = two_workers(number).await;
            let death = test.started.elapsed() + lives;
            let (_, early) = tokio::join!(
                drive(&test, &mut first, 0, death),
                drive(&test, &mut second, 1, death)
            );
            assert!(!early, "its lease is renewed while the worker lives");
            drop(first);
            let taken_over = drive(&test, &mut second, 1, death + 2 * LONGEST_TAKEOVER).await;
            assert!(taken_over, "run {number}: never");
            time.set(test.started.elapsed().checked_sub(death));
        });
        times.extend(time.get());
    }
    times.sort();
    let (middle, last) = (times[times.len() / 2], times[times.len() - 1]);
    assert_eq!(times.len(), 400);
    assert!(last <= LONGEST_TAKEOVER, "{last:?}");
    assert!(middle <= Duration::from_secs(35), "{middle:?}");
}

/// A worker's calls fail long after the end of an outage in which calls hang, so it renews its leases late. The other one,
/// whose calls may have failed earlier, must wait for that.
#[test]
fn an_outage_in_which_calls_hang_takes_no_task_away() {
    let mut dice = Dice(46);
    for number in 0..400 {
        let after = Duration::from_millis(dice.below(20_000));
        let length = Duration::from_millis(20_000 + dice.below(60_000));
        crawl(number..number + 1, async |number| {
            let (test, mut first, mut second) = two_workers(number).await;
            test.faults.hang(after, length);
            let end = test.started.elapsed() + after + length + LONGEST_TAKEOVER;
            let (_, taken) = tokio::join!(
                drive(&test, &mut first, 0, end),
                drive(&test, &mut second, 1, end)
            );
            let record = &test.store.records()[0];
            assert_eq!(
                (taken, record.taken_away),
                (false, 0),
                "run {number}: {length:?} after {after:?}"
            );
        });
    }
}

/// Processes that were suspended together, as on one machine, renew their leases before they look for expired ones.
#[test]
fn workers_that_were_suspended_together_take_no_task_away() {
    let mut dice = Dice(47);
    for number in 0..200 {
        let runs = Duration::from_millis(dice.below(20_000));
        let suspended = Duration::from_millis(31_000 + dice.below(60_000));
        crawl(number..number + 1, async |number| {
            let (test, mut first, mut second) = two_workers(number).await;
            let mut end = test.started.elapsed() + runs;
            tokio::join!(
                drive(&test, &mut first, 0, end),
                drive(&test, &mut second, 1, end)
            );
            sleep_until(test.started + end + suspended).await;
            end += suspended + LONGEST_TAKEOVER;
            let (_, taken) = tokio::join!(
                drive(&test, &mut first, 0, end),
                drive(&test, &mut second, 1, end)
            );
            let record = &test.store.records()[0];
            assert_eq!(
                (taken, record.taken_away),
                (false, 0),
                "run {number}: {suspended:?}"
            );
        });
    }
}
