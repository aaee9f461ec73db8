//! Runs thousands of random crawls through the frontier with a simulated clock: no socket, no sleep.
//!
//! Each seed generates a site (pages, dead links, flaky and throttled pages, redirects, panics, disallowed
//! pages), a plan and timings. Checked at every step: the counts. Checked at the end: exactly one report
//! per admitted URL, and the visited set equals the reachable set, computed without the frontier.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

mod robots_history;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crawler_frontier::{Delivery, Frontier, MemoryFrontier, Moment, Next, SiteFileTask, Work};
use crawler_model::{FailKind, PageReport, StopReason};
use crawler_weburl::CrawlUrl;

use robots_history::RobotsHistory;
use world::{Behavior, Dice, World, page_of};

/// The in-memory frontier never waits, so its futures are ready at once.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the in-memory frontier waited"),
    }
}

struct CrawlRun {
    started: BTreeSet<usize>,
    reported: Vec<PageReport>,
    stop: StopReason,
    left: u64,
    admitted: u64,
}

/// Runs a whole crawl: work takes a random time, and reports arrive in the order they finish.
#[expect(
    clippy::too_many_lines,
    reason = "one loop whose steps share all of its state"
)]
fn run_crawl(world: &World, seed: u64) -> CrawlRun {
    let mut dice = Dice(seed ^ 0x00ab_cdef);
    let mut frontier = MemoryFrontier::new(&world.plan, seed);
    let mut now = Moment::ZERO;
    let mut in_flight: Vec<(Moment, Work)> = Vec::new();
    let mut delivered = Vec::new();
    let mut started: BTreeMap<String, u32> = BTreeMap::new();
    let mut last_start: Option<Moment> = None;
    let mut steps = 0;
    let stop = loop {
        steps += 1;
        assert!(steps < 100_000, "seed {seed} does not end");
        if world.stop_after == Some(steps) {
            frontier.stop(StopReason::Signal);
        }
        let free = world.plan.workers - in_flight.len();
        let dispatch = ready(frontier.take(free, now, &mut delivered)).unwrap();
        frontier.assert_consistent();
        assert!(dispatch.work.len() <= free);
        for work in dispatch.work {
            if let Some(last) = last_start {
                assert!(
                    now >= last + world.plan.min_interval,
                    "seed {seed}: rate limit"
                );
            }
            last_start = Some(now);
            if let Work::Page(task) = &work {
                *started.entry(task.url.to_string()).or_default() += 1;
                assert!(
                    !world.disallowed.contains(&page_of(&task.url)),
                    "seed {seed}: a disallowed page was requested"
                );
                // A page that points to itself is followed in place up to the hop limit.
                let max = match world.behaviors[page_of(&task.url)] {
                    Behavior::Redirect(_) => world.plan.max_redirects + 1,
                    _ => world.plan.max_attempts,
                };
                assert!(started[task.url.as_str()] <= max, "seed {seed}: too often");
            }
            in_flight.push((now + Duration::from_millis(1 + dice.below(400)), work));
        }
        if let Next::Finished(reason) = dispatch.next {
            assert!(
                in_flight.is_empty(),
                "seed {seed}: finished with work in flight"
            );
            break reason;
        }
        let soonest = in_flight.iter().map(|(done, _)| *done).min();
        let until = match dispatch.next {
            Next::Until(at) => Some(at.max(now)),
            _ => None,
        };
        now = soonest
            .into_iter()
            .chain(until)
            .min()
            .expect("something to wait for");
        let done = in_flight.iter().position(|(done, _)| *done <= now);
        if let Some(at) = done {
            match in_flight.remove(at).1 {
                Work::Page(task) => {
                    ready(frontier.settle(world.answer(task), now, &mut delivered)).unwrap();
                }
                Work::SiteFile(SiteFileTask::Robots(site_file)) => {
                    let report = world.answer_robots(site_file);
                    ready(frontier.settle_site_file(report, now, &mut delivered)).unwrap();
                }
                Work::SiteFile(SiteFileTask::Sitemap(_)) => panic!("no sitemap was requested"),
            }
            frontier.assert_consistent();
        }
    };
    let mut left = 0;
    frontier.left(&mut |_| left += 1);
    let summary = frontier.summary(now);
    assert_eq!(summary.left, left, "seed {seed}");
    let reported: Vec<PageReport> = delivered
        .into_iter()
        .filter_map(|delivery| match delivery {
            Delivery::Page(report) => Some(*report),
            Delivery::Notice(_) | Delivery::Mark(_) => None,
        })
        .collect();
    assert_eq!(
        frontier.admitted(),
        reported.len() as u64 + left,
        "seed {seed}: a URL was lost or reported twice"
    );
    let started = started
        .keys()
        .map(|url| page_of(&CrawlUrl::parse(url).unwrap()))
        .collect();
    CrawlRun {
        started,
        reported,
        stop,
        left,
        admitted: frontier.admitted(),
    }
}

fn check(seed: u64) -> &'static str {
    let world = World::random(seed, |_| ());
    let run = run_crawl(&world, seed);
    let visited: BTreeSet<usize> = run
        .reported
        .iter()
        .map(|report| page_of(&report.url))
        .collect();
    assert_eq!(
        visited.len(),
        run.reported.len(),
        "seed {seed}: a page was reported twice"
    );
    let reachable = world.reachable();
    let all: BTreeSet<usize> = reachable.keys().copied().collect();
    assert!(
        visited.is_subset(&all),
        "seed {seed}: {visited:?} is not a subset of {all:?}"
    );
    let pages = run
        .reported
        .iter()
        .filter(|report| report.counts_as_page())
        .count() as u64;
    let flaky = world
        .behaviors
        .iter()
        .any(|one| matches!(one, Behavior::Flaky { .. }));
    if matches!(run.stop, StopReason::Done | StopReason::MaxPages) {
        for page in &run.started {
            assert!(
                visited.contains(page),
                "seed {seed}: {page} was requested but not reported"
            );
        }
    }
    match run.stop {
        StopReason::Done => {
            // A page that waits for a retry does not hold back deeper levels, so with a depth limit its links may be found late.
            if world.plan.limits.depth.is_none() || !flaky {
                assert_eq!(
                    visited, all,
                    "seed {seed}: the visited set is the reachable set"
                );
            }
            assert_eq!(run.left, 0, "seed {seed}");
            check_loops(&world, &run.reported, seed);
            for report in &run.reported {
                if world.plan.limits.depth.is_some() && !flaky {
                    let depth = reachable[&page_of(&report.url)];
                    assert_eq!(
                        report.depth, depth,
                        "seed {seed}: depth is the shortest distance"
                    );
                }
            }
            "done"
        }
        StopReason::MaxPages => {
            assert_eq!(
                Some(pages),
                world.plan.limits.pages,
                "seed {seed}: the limit is exact"
            );
            assert!(run.left > 0, "seed {seed}");
            "max pages"
        }
        StopReason::Signal => "signal",
        StopReason::HostParked { .. } => "parked",
        other => panic!("seed {seed}: {other:?} with {} admitted", run.admitted),
    }
}

/// The loops that redirects between different pages form.
fn loops(world: &World) -> BTreeSet<BTreeSet<usize>> {
    let next = |page: &usize| match world.behaviors[*page] {
        Behavior::Redirect(to) if !world.disallowed.contains(page) => Some(to),
        _ => None,
    };
    let pages = world.behaviors.len();
    (0..pages)
        .filter_map(|page| {
            let chain = std::iter::successors(next(&page), next).take(pages);
            let mut chain: Vec<usize> = chain.collect();
            let end = chain.iter().position(|at| *at == page)?;
            chain.truncate(end + 1);
            Some(chain.into_iter().collect())
        })
        .filter(|pages: &BTreeSet<usize>| pages.len() > 1)
        .collect()
}

/// Of every redirect loop that was visited, one page fails, and of the other redirects none.
fn check_loops(world: &World, reported: &[PageReport], seed: u64) {
    let failed: BTreeSet<usize> = reported
        .iter()
        .filter(|report| {
            let failure = report.outcome.failure();
            failure.is_some_and(|failure| failure.kind == FailKind::TooManyRedirects)
        })
        .map(|report| page_of(&report.url))
        .filter(|page| !matches!(world.behaviors[*page], Behavior::Redirect(to) if to == *page))
        .collect();
    let visited = |page: &usize| reported.iter().any(|report| page_of(&report.url) == *page);
    let mut loops = loops(world);
    loops.retain(|pages| pages.iter().any(visited));
    for pages in &loops {
        let closing = pages.intersection(&failed).count();
        assert_eq!(closing, 1, "seed {seed}: {pages:?}, failed {failed:?}");
    }
    assert_eq!(failed.len(), loops.len(), "seed {seed}: {failed:?}");
}

#[test]
fn twelve_thousand_random_crawls() {
    let mut ended: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..12_000 {
        *ended.entry(check(seed)).or_default() += 1;
    }
    // The generator produces every ending often enough.
    for (ending, min) in [("done", 5_000), ("max pages", 500), ("signal", 300)] {
        assert!(ended.get(ending).is_some_and(|n| *n >= min), "{ended:?}");
    }
}

/// Crawls a site whose robots.txt changes, fails, redirects and comes back, and checks each request.
fn run_history(history: &mut RobotsHistory, seed: u64) {
    let mut frontier = MemoryFrontier::new(&history.world.plan, seed);
    let (mut now, mut out) = (Moment::ZERO, Vec::new());
    let mut in_flight: Vec<(Moment, Work)> = Vec::new();
    for _ in 0..20_000 {
        let free = history.world.plan.workers - in_flight.len();
        let dispatch = ready(frontier.take(free, now, &mut out)).unwrap();
        frontier.assert_consistent();
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
        now = now.max(soonest.unwrap());
        let done = in_flight.iter().position(|(done, _)| *done <= now);
        match done.map(|index| in_flight.remove(index).1) {
            Some(Work::Page(task)) => {
                let report = history.page(task, now);
                ready(frontier.settle(report, now, &mut out)).unwrap();
            }
            Some(Work::SiteFile(site_file)) => {
                let report = history.site_file(site_file, now);
                ready(Frontier::settle_site_file(
                    &mut frontier,
                    report,
                    now,
                    &mut out,
                ))
                .unwrap();
            }
            None => (),
        }
    }
    panic!("history {seed} does not end");
}

#[test]
fn no_request_violates_the_robots_rules_in_force() {
    let (mut requests, mut kept, mut refetches) = (0, 0, 0);
    for seed in 0..1_000 {
        let mut history = RobotsHistory::random(seed, |_| ());
        run_history(&mut history, seed);
        requests += history.requests;
        kept += history.kept;
        refetches += history.refetches;
    }
    assert!(
        requests > 2_000 && kept > 50 && refetches > 2_000,
        "{requests} page requests, {kept} under kept rules, {refetches} refetches"
    );
}
