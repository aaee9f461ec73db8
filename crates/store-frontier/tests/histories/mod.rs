//! Sites whose robots.txt changes, fails, redirects and comes back, crawled by workers that are restarted.

use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::{Delivery, Frontier, Moment, Next, Work};
use crawler_model::StopReason;
use crawler_store::{WorkerId, WrappedStore};
use crawler_store_frontier::{Planner, StoreFrontier, StoreFrontierSettings};
use crawler_weburl::CrawlUrl;
use tokio::time::{Instant, sleep_until};

use crate::fake::faults::Odds;
use crate::fake::memory_store::seed;
use crate::fake::{Faults, MemoryStore};
use crate::robots_history::RobotsHistory;
use crate::world::{Dice, url_of};

const HOUR: Duration = Duration::from_hours(1);

/// Runs a worker until everything is finished or it is stopped after this many steps.
async fn run(
    history: &mut RobotsHistory,
    store: &MemoryStore,
    (number, stop_after): (u64, Option<u64>),
    started: Instant,
) {
    let plan = Arc::clone(history.world.plan.rules());
    let site_file_plan = Arc::clone(&plan);
    let planner: Planner = Arc::new(move |_, _| Ok(Arc::clone(&plan)));
    // Requests take days here, so the store is called rarely.
    let settings = StoreFrontierSettings {
        workers: history.world.plan.workers,
        host_interval: Duration::ZERO,
        lease: 72 * HOUR,
        heartbeat: 12 * HOUR,
        housekeeping: 12 * HOUR,
        min_poll: Duration::from_secs(10),
        max_poll: HOUR,
        ..StoreFrontierSettings::default()
    };
    // A lookup that fails must not make a worker forget the stored rules.
    let odds = Odds {
        lookups: 5,
        ..Odds::default()
    };
    let store_calls = WrappedStore::new(store.clone(), Faults::new(number, odds));
    let mut frontier = StoreFrontier::new(
        store_calls,
        WorkerId::fresh(),
        settings,
        planner,
        site_file_plan,
        number,
    );
    let mut out: Vec<Delivery> = Vec::new();
    let mut in_flight: Vec<(Moment, Work)> = Vec::new();
    for step in 0..50_000 {
        let now = started.elapsed();
        if store.is_done() || stop_after == Some(step) {
            frontier.stop(StopReason::Signal);
        }
        let free = history.world.plan.workers - in_flight.len();
        let dispatch = frontier.take(free, now, &mut out).await.unwrap();
        for work in dispatch.work {
            history.check(&work, now);
            in_flight.push((now + history.takes(&work), work));
        }
        let until = match dispatch.next {
            Next::Finished(_) => return,
            Next::Until(at) => Some(at),
            Next::Report => None,
        };
        let soonest = in_flight.iter().map(|(done, _)| *done).chain(until).min();
        let wake = started + soonest.unwrap_or(now + HOUR);
        tokio::select! {
            () = frontier.changed() => (),
            () = sleep_until(wake) => (),
        }
        let now = started.elapsed();
        let done = in_flight.iter().position(|(done, _)| *done <= now);
        match done.map(|index| in_flight.remove(index).1) {
            Some(Work::Page(task)) => {
                let report = history.page(task, now);
                frontier.settle(report, now, &mut out).await.unwrap();
            }
            Some(Work::SiteFile(site_file)) => {
                let report = history.site_file(site_file, now);
                let settled = Frontier::settle_site_file(&mut frontier, report, now, &mut out);
                settled.await.unwrap();
            }
            None => (),
        }
    }
    panic!("history {number} does not end: {frontier:?} {in_flight:?}");
}

#[test]
fn no_request_of_a_worker_violates_the_robots_rules_in_force() {
    let (mut requests, mut kept, mut refetches, mut restarts) = (0, 0, 0, 0);
    for number in 0..1_000 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut dice = Dice(number ^ 0x5707e);
            let mut history = RobotsHistory::random(number, |_| ());
            let url = CrawlUrl::parse(&url_of(0)).unwrap();
            let key = history.world.plan.keys.key_text(url.parts());
            let seed = seed(url.as_str(), key, url.host_key());
            let store = MemoryStore::new(seed, Duration::ZERO);
            let started = Instant::now();
            while !store.is_done() {
                let stop_after = dice.one_in(2).then(|| 1 + dice.below(60));
                run(&mut history, &store, (number, stop_after), started).await;
                restarts += 1;
            }
            requests += history.requests;
            kept += history.kept;
            refetches += history.refetches;
        });
    }
    assert!(
        requests > 2_000 && kept > 50 && refetches > 2_000 && restarts > 1_200,
        "{requests} page requests, {kept} under kept rules, {refetches} refetches, {restarts} runs"
    );
}
