//! A worker that dies, and another one that takes over its page: at default settings, on a paused clock.

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
    let planner: Planner = Arc::new(move |_| Ok(Arc::clone(&plan)));
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

#[test]
fn the_page_of_a_dead_worker_is_taken_over_within_45_seconds() {
    let (mut times, mut dice) = (Vec::new(), Dice(45));
    for number in 0..400 {
        let lives = Duration::from_millis(dice.below(60_000));
        let odds = Odds {
            slowest: 500,
            ..Odds::default()
        };
        let time = std::cell::Cell::new(None);
        crawl(number..number + 1, async |number| {
            // The site is the same each time; the workers and the moment are not.
            let mut test = CrawlTest::new(0, odds, 0);
            test.faults = crate::Faults::new(number, odds);
            let mut first = worker(&test, number);
            let far = Duration::from_mins(2);
            assert!(
                drive(&test, &mut first, 1, far).await,
                "the page is fetched"
            );
            let mut second = worker(&test, number + 1_000);
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
