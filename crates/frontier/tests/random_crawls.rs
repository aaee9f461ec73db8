//! Thousands of crawls played through the frontier with a clock of their own: no socket, no sleep.
//!
//! Each seed makes a site (pages, dead links, flaky and throttled pages, redirects, panics, disallowed
//! pages), a plan and timings. Checked at every step: the counts. Checked at the end: exactly one report
//! per admitted URL, and the visited set equals the reachable set worked out without the frontier.

#![expect(clippy::unwrap_used, reason = "a test's own helpers may stop it")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use frontier::{
    Delivery, Errand, ErrandFound, ErrandReport, Frontier, MemoryFrontier, Moment, Next,
    RobotsAnswer, Work,
};
use model::{
    CrawlPlan, CrawlSpec, FailKind, Failure, LinkFacts, Outcome, PageReport, StopReason, Task,
};
use sitefiles::Robots;
use weburl::{CrawlUrl, SlashPolicy};

/// A frontier in memory never waits, so its futures are ready at once.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a frontier in memory waited"),
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most.max(1)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

#[derive(Clone, Debug)]
enum Behaviour {
    Page,
    NotHtml,
    Dead,
    Panics,
    /// Fails this often, then is a page.
    Flaky {
        fails: u32,
        throttled: bool,
    },
    Redirect(usize),
    /// `/pN` points to `/pN/`, which is a page.
    SlashRedirect,
}

#[derive(Debug)]
struct World {
    behaviours: Vec<Behaviour>,
    links: Vec<Vec<usize>>,
    disallowed: BTreeSet<usize>,
    plan: CrawlPlan,
    stop_after: Option<u64>,
    robots_answer: u64,
}

fn url_of(page: usize) -> String {
    format!("http://site.example/p{page}")
}

fn page_of(url: &CrawlUrl) -> usize {
    url.parts()
        .path()
        .trim_matches('/')
        .trim_start_matches('p')
        .parse()
        .unwrap()
}

impl World {
    fn roll(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9).wrapping_add(77));
        let pages = 1 + usize::try_from(dice.below(14)).unwrap();
        let depth_limited = dice.one_in(3);
        let page = |dice: &mut Dice| usize::try_from(dice.below(pages as u64)).unwrap();
        let behaviours = (0..pages)
            .map(
                |number| match dice.below(if number == 0 { 12 } else { 20 }) {
                    // Retries may reorder discovery, so depth-limited worlds have none.
                    0 if !depth_limited => Behaviour::Flaky {
                        fails: 1 + u32::try_from(dice.below(4)).unwrap(),
                        throttled: dice.one_in(3),
                    },
                    1 => Behaviour::SlashRedirect,
                    12 => Behaviour::Dead,
                    13 => Behaviour::Panics,
                    14 => Behaviour::NotHtml,
                    15 | 16 => Behaviour::Redirect(page(&mut dice)),
                    _ => Behaviour::Page,
                },
            )
            .collect();
        let links = (0..pages)
            .map(|_| (0..dice.below(5)).map(|_| page(&mut dice)).collect())
            .collect();
        let disallowed = (1..pages).filter(|_| dice.one_in(9)).collect();
        let spec = CrawlSpec {
            seed: url_of(0),
            max_pages: Some(if dice.one_in(3) {
                1 + dice.below(10)
            } else {
                0
            }),
            max_depth: Some(if depth_limited {
                1 + u32::try_from(dice.below(4)).unwrap()
            } else {
                0
            }),
            max_attempts: Some(1 + u32::try_from(dice.below(4)).unwrap()),
            max_redirects: Some(50),
            workers: Some(1 + usize::try_from(dice.below(6)).unwrap()),
            rate: Duration::from_millis(if dice.one_in(4) { dice.below(300) } else { 0 }),
            slash: Some(SlashPolicy::Merge),
            traps: Some(dice.one_in(2)),
            path_delays: if dice.one_in(4) {
                vec![("/p1".into(), Duration::from_millis(dice.below(2_000)))]
            } else {
                Vec::new()
            },
            ..CrawlSpec::default()
        };
        let plan = CrawlPlan::resolve(&spec, "crawler/0", seed).unwrap();
        let stop_after = dice.one_in(5).then(|| dice.below(12));
        Self {
            behaviours,
            links,
            disallowed,
            plan,
            stop_after,
            robots_answer: dice.below(12),
        }
    }

    fn robots_text(&self) -> String {
        let lines = self
            .disallowed
            .iter()
            .map(|page| format!("Disallow: /p{page}$\nDisallow: /p{page}/$\n"));
        format!("User-agent: *\n{}", lines.collect::<String>())
    }

    /// Whether a page ends up being read, after all its attempts.
    fn is_read(&self, page: usize) -> bool {
        match self.behaviours[page] {
            Behaviour::Page | Behaviour::SlashRedirect => true,
            Behaviour::Flaky { fails, .. } => fails < self.plan.max_attempts,
            _ => false,
        }
    }

    /// Every page that must be reported, worked out by a plain breadth-first walk.
    fn reachable(&self) -> BTreeMap<usize, u32> {
        let mut depths = BTreeMap::from([(0, 0)]);
        let mut queue = VecDeque::from([(0, 0)]);
        while let Some((page, depth)) = queue.pop_front() {
            if self.disallowed.contains(&page) {
                continue;
            }
            let found: Vec<(usize, u32)> = match self.behaviours[page] {
                Behaviour::Redirect(to) if to != page => vec![(to, depth)],
                _ if self.is_read(page) => {
                    self.links[page].iter().map(|to| (*to, depth + 1)).collect()
                }
                _ => Vec::new(),
            };
            for (to, depth) in found {
                let too_deep = self.plan.limits.depth.is_some_and(|most| depth > most);
                if !too_deep && depths.get(&to).is_none_or(|known| *known > depth) {
                    queue.retain(|(other, _)| *other != to);
                    depths.insert(to, depth);
                    // A redirect's target belongs to the level being walked.
                    let at = queue
                        .iter()
                        .position(|(_, other)| *other > depth)
                        .unwrap_or(queue.len());
                    queue.insert(at, (to, depth));
                }
            }
        }
        depths
    }

    fn answer(&self, task: Task) -> PageReport {
        let page = page_of(&task.url);
        let landed = task.url.as_str().ends_with('/');
        let failed = |kind| Outcome::Failed(Failure::new(kind, "failed"));
        let (outcome, status) = match self.behaviours[page] {
            Behaviour::SlashRedirect if !landed => {
                let to = CrawlUrl::parse(&format!("{}/", task.url)).unwrap();
                (Outcome::Redirected { to }, Some(301))
            }
            Behaviour::Page | Behaviour::SlashRedirect => {
                (Outcome::Fetched { html: true }, Some(200))
            }
            Behaviour::NotHtml => (Outcome::Fetched { html: false }, Some(200)),
            Behaviour::Dead => (failed(FailKind::DeadLink), Some(404)),
            Behaviour::Panics => (failed(FailKind::Internal), None),
            Behaviour::Redirect(to) => (
                Outcome::Redirected {
                    to: CrawlUrl::parse(&url_of(to)).unwrap(),
                },
                Some(302),
            ),
            Behaviour::Flaky { fails, throttled } if task.attempt <= fails => {
                let kind = if throttled {
                    FailKind::RateLimited
                } else {
                    FailKind::ServerError
                };
                (failed(kind), Some(if throttled { 429 } else { 500 }))
            }
            Behaviour::Flaky { .. } => (Outcome::Fetched { html: true }, Some(200)),
        };
        let mut report = PageReport::new(task, outcome);
        report.status = status;
        if matches!(report.outcome, Outcome::Fetched { html: true }) {
            for to in &self.links[page] {
                let url = CrawlUrl::parse(&url_of(*to)).unwrap();
                let facts = LinkFacts {
                    web: true,
                    in_scope: true,
                    ..LinkFacts::default()
                };
                report.links.push(
                    url.as_str(),
                    url.as_str().len(),
                    self.plan.keys.key(url.parts()),
                    facts,
                );
            }
        }
        report
    }
}

struct Played {
    started: BTreeSet<usize>,
    reported: Vec<PageReport>,
    stop: StopReason,
    left: u64,
    admitted: u64,
}

/// Plays a whole crawl: work takes a random time, reports come back in the order they finish.
#[expect(clippy::too_many_lines, reason = "one loop, told in order")]
fn play(world: &World, seed: u64) -> Played {
    let mut dice = Dice(seed ^ 0x00ab_cdef);
    let mut frontier = MemoryFrontier::new(world.plan.clone(), seed);
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
        let turn = ready(frontier.take(free, now, &mut delivered)).unwrap();
        frontier.assert_consistent();
        assert!(turn.work.len() <= free);
        for work in turn.work {
            if let Some(last) = last_start {
                assert!(
                    now >= last + world.plan.rate,
                    "seed {seed}: the rate was not kept"
                );
            }
            last_start = Some(now);
            if let Work::Page(task) = &work {
                *started.entry(task.url.to_string()).or_default() += 1;
                assert!(
                    !world.disallowed.contains(&page_of(&task.url)),
                    "seed {seed}: disallowed"
                );
                // A page that points to itself is followed in place up to the hop limit.
                let most = match world.behaviours[page_of(&task.url)] {
                    Behaviour::Redirect(_) => world.plan.max_redirects + 1,
                    _ => world.plan.max_attempts,
                };
                assert!(started[task.url.as_str()] <= most, "seed {seed}: too often");
            }
            in_flight.push((now + Duration::from_millis(1 + dice.below(400)), work));
        }
        if let Next::Finished(reason) = turn.next {
            assert!(
                in_flight.is_empty(),
                "seed {seed}: finished with work in flight"
            );
            break reason;
        }
        let soonest = in_flight.iter().map(|(done, _)| *done).min();
        let until = match turn.next {
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
                Work::Errand(Errand::Robots(errand)) => {
                    let answer = match world.robots_answer {
                        0 if errand.attempt == 1 => {
                            RobotsAnswer::Unavailable(Failure::new(FailKind::ServerError, "500"))
                        }
                        1 if errand.attempt == 1 => {
                            RobotsAnswer::Unreachable(Failure::new(FailKind::Reset, "reset"))
                        }
                        _ => RobotsAnswer::Rules(Robots::parse(
                            world.robots_text().as_bytes(),
                            "crawler",
                        )),
                    };
                    let report = ErrandReport {
                        found: ErrandFound::Robots(errand, answer),
                        status: None,
                        retry_after: None,
                        elapsed: Duration::ZERO,
                        wire_bytes: 0,
                        text: None,
                    };
                    ready(frontier.settle_errand(report, now, &mut delivered)).unwrap();
                }
                Work::Errand(Errand::Sitemap(_)) => panic!("nobody asked for sitemaps"),
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
        "seed {seed}: lost or doubled"
    );
    let started = started
        .keys()
        .map(|url| page_of(&CrawlUrl::parse(url).unwrap()))
        .collect();
    Played {
        started,
        reported,
        stop,
        left,
        admitted: frontier.admitted(),
    }
}

fn check(seed: u64) -> &'static str {
    let world = World::roll(seed);
    let played = play(&world, seed);
    let visited: BTreeSet<usize> = played
        .reported
        .iter()
        .map(|report| page_of(&report.url))
        .collect();
    assert_eq!(
        visited.len(),
        played.reported.len(),
        "seed {seed}: a page was reported twice"
    );
    let reachable = world.reachable();
    let all: BTreeSet<usize> = reachable.keys().copied().collect();
    assert!(
        visited.is_subset(&all),
        "seed {seed}: {visited:?} is more than {all:?}"
    );
    let pages = played
        .reported
        .iter()
        .filter(|report| report.counts_as_page())
        .count() as u64;
    let flaky = world
        .behaviours
        .iter()
        .any(|one| matches!(one, Behaviour::Flaky { .. }));
    if matches!(played.stop, StopReason::Done | StopReason::MaxPages) {
        for page in &played.started {
            assert!(
                visited.contains(page),
                "seed {seed}: {page} was asked for and not reported"
            );
        }
    }
    match played.stop {
        StopReason::Done => {
            // A page that waits for a retry holds nobody up, so with a depth limit it may be found late.
            if world.plan.limits.depth.is_none() || !flaky {
                assert_eq!(
                    visited, all,
                    "seed {seed}: the visited set is the reachable set"
                );
            }
            assert_eq!(played.left, 0, "seed {seed}");
            for report in &played.reported {
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
            assert!(played.left > 0, "seed {seed}");
            "max pages"
        }
        StopReason::Signal => "signal",
        StopReason::HostParked { .. } => "parked",
        other => panic!("seed {seed}: {other:?} with {} admitted", played.admitted),
    }
}

#[test]
fn twelve_thousand_random_crawls() {
    let mut ended: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..12_000 {
        *ended.entry(check(seed)).or_default() += 1;
    }
    // The generator really makes what it claims to.
    for (ending, least) in [("done", 5_000), ("max pages", 500), ("signal", 300)] {
        assert!(ended.get(ending).is_some_and(|n| *n >= least), "{ended:?}");
    }
}
