//! Sites whose robots.txt changes, fails, redirects and comes back, crawled by processes that are killed.

use std::time::Duration;

use crawler_frontier::{Frontier, Moment, Next, Work};
use crawler_journal::JournaledFrontier;

use crate::Recording;
use crate::robots_history::RobotsHistory;
use crate::world::Dice;

/// Crawls a site whose robots.txt changes until the crawl ends or is killed at this step; `since_start` includes the time
/// between the runs. Returns the time since the start if it was killed.
async fn run_history(
    history: &mut RobotsHistory,
    frontier: &mut JournaledFrontier,
    recording: &mut Recording,
    (since_start, kill_at): (Duration, Option<u64>),
) -> Option<Duration> {
    let mut now = frontier.resume(since_start);
    let away = since_start.saturating_sub(now);
    let mut in_flight: Vec<(Moment, Work)> = Vec::new();
    let mut recorded = history.observed.clone();
    for step in 0..20_000 {
        if kill_at == Some(step) {
            recording.drop_unmarked();
            // A killed process has not recorded everything.
            history.observed = recorded;
            return Some(now + away);
        }
        let free = history.world.plan.workers - in_flight.len();
        let (mut out, marks) = (Vec::new(), recording.marks.len());
        let dispatch = frontier.take(free, now, &mut out).await.unwrap();
        recording.record(out);
        if recording.marks.len() > marks {
            recorded = history.observed.clone();
        }
        for work in dispatch.work {
            history.check(&work, now + away);
            in_flight.push((now + history.takes(&work), work));
        }
        let until = match dispatch.next {
            Next::Finished(_) => return None,
            Next::Until(at) => Some(at),
            Next::Report => None,
        };
        let soonest = in_flight.iter().map(|(done, _)| *done).chain(until).min();
        now = now.max(soonest.unwrap());
        let done = in_flight.iter().position(|(done, _)| *done <= now);
        let mut out = Vec::new();
        match done.map(|index| in_flight.remove(index).1) {
            Some(Work::Page(task)) => {
                let report = history.page(task, now + away);
                frontier.settle(report, now, &mut out).await.unwrap();
            }
            Some(Work::SiteFile(site_file)) => {
                let report = history.site_file(site_file, now + away);
                let settled = frontier.settle_site_file(report, now, &mut out).await;
                settled.unwrap();
            }
            None => (),
        }
        recording.record(out);
    }
    panic!("does not end");
}

#[tokio::test]
async fn no_request_of_a_resumed_crawl_violates_the_robots_rules_in_force() {
    let (mut requests, mut kept, mut refetches, mut kills) = (0, 0, 0, 0);
    for seed in 0..1_000 {
        let mut dice = Dice(seed ^ 0xaa11);
        let mut history = RobotsHistory::random(seed, |_| ());
        let mut recording = Recording::default();
        let mut since_start = Duration::ZERO;
        loop {
            let mut frontier = JournaledFrontier::new(&history.world.plan, seed);
            let mut replayed = Vec::new();
            for mark in &recording.marks {
                frontier.replay(mark, &mut replayed).await.unwrap();
            }
            let kill_at = (!dice.one_in(6)).then(|| dice.below(12));
            let run = run_history(
                &mut history,
                &mut frontier,
                &mut recording,
                (since_start, kill_at),
            );
            let Some(killed_at) = run.await else { break };
            let longest = [60, 7_200, 200_000][usize::try_from(seed % 3).unwrap()];
            since_start = killed_at + Duration::from_secs(dice.below(longest));
            kills += 1;
        }
        requests += history.requests;
        kept += history.kept;
        refetches += history.refetches;
    }
    assert!(
        requests > 2_000 && kept > 50 && refetches > 2_000 && kills > 500,
        "{requests} page requests, {kept} under kept rules, {refetches} refetches, {kills} kills"
    );
}
