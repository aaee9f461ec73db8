//! Random journaled crawls, interrupted at random steps and resumed, deliver the same as uninterrupted ones.
//!
//! A kill loses unmarked events and work in flight; a stop lets work in flight settle. The duration of a request depends
//! only on the request, not on its time, so that a resumed crawl sees the same site.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

mod histories;
#[path = "../../frontier/tests/robots_history/mod.rs"]
mod robots_history;
#[path = "../../frontier/tests/world/mod.rs"]
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use crawler_frontier::{
    Delivery, Frontier, Moment, Next, SiteFileReport, SiteFileResult, SiteFileTask,
    SitemapFetchResult, Work,
};
use crawler_journal::JournaledFrontier;
use crawler_model::{LinkFacts, LinkList, Outcome, PageReport, SitemapPolicy, StopReason, Summary};
use crawler_weburl::CrawlUrl;

use world::{Dice, World, page_of, url_of};

/// The deliveries, and how many of them are marked.
#[derive(Default)]
struct Recording {
    marks: Vec<Vec<u8>>,
    delivered: Vec<String>,
    pages: Vec<PageReport>,
    marked: (usize, usize),
}

impl Recording {
    fn record(&mut self, out: Vec<Delivery>) {
        for delivery in out {
            match delivery {
                Delivery::Mark(events) => {
                    self.marks.push(events);
                    self.marked = (self.delivered.len(), self.pages.len());
                }
                Delivery::Page(report) => {
                    self.delivered.push(format!("{report:?}"));
                    self.pages.push(*report);
                }
                notice @ Delivery::Notice(_) => self.delivered.push(format!("{notice:?}")),
            }
        }
    }

    /// Drops unmarked deliveries, as the sinks do.
    fn drop_unmarked(&mut self) {
        self.delivered.truncate(self.marked.0);
        self.pages.truncate(self.marked.1);
    }
}

/// How a crawl ended.
#[derive(Debug, PartialEq)]
struct Ending {
    reason: StopReason,
    summary: Summary,
    left: BTreeSet<String>,
}

/// The simulated site, unaware of interruptions.
struct Site {
    world: World,
    seed: u64,
    done: BTreeMap<String, Moment>,
    requests: BTreeMap<String, u32>,
}

impl Site {
    fn random(seed: u64) -> Self {
        let world = World::random(seed, |spec| {
            if seed.is_multiple_of(4) {
                spec.sitemaps = SitemapPolicy::Include;
            }
        });
        Self {
            world,
            seed,
            done: BTreeMap::new(),
            requests: BTreeMap::new(),
        }
    }

    fn frontier(&self) -> JournaledFrontier {
        JournaledFrontier::new(&self.world.plan, self.seed)
    }

    /// Whether requests are delayed: then a resumed crawl, which obeys the delays again, is later than an uninterrupted one.
    fn has_delays(&self) -> bool {
        !self.world.plan.min_interval.is_zero() || !self.world.plan.path_delays.is_empty()
    }

    fn done_at(&mut self, work: &Work, now: Moment) -> Moment {
        let name = match work {
            Work::Page(task) => format!("{} {} {}", task.url, task.attempt, task.hops),
            Work::SiteFile(SiteFileTask::Robots(site_file)) => {
                format!("{} {}", site_file.url, site_file.attempt)
            }
            Work::SiteFile(SiteFileTask::Sitemap(site_file)) => {
                format!("{} {}", site_file.url, site_file.attempt)
            }
        };
        *self.requests.entry(name.clone()).or_default() += 1;
        let mut hasher = DefaultHasher::new();
        (self.seed, &name).hash(&mut hasher);
        let takes = Duration::from_millis(1 + hasher.finish() % 400);
        *self.done.entry(name).or_insert(now + takes)
    }

    fn sitemap(&self) -> SitemapFetchResult {
        let mut dice = Dice(self.seed);
        let mut pages = LinkList::default();
        for _ in 0..3 {
            let page = dice.below(self.world.behaviors.len() as u64);
            let url = CrawlUrl::parse(&url_of(usize::try_from(page).unwrap())).unwrap();
            let facts = LinkFacts {
                web: true,
                in_scope: true,
                ..LinkFacts::default()
            };
            let key = self.world.plan.keys.key(url.parts());
            pages.push(url.as_str(), url.as_str().len(), key, facts);
        }
        SitemapFetchResult::Read {
            pages,
            sitemaps: Vec::new(),
            problem: dice.one_in(2).then(|| "not well-formed".to_owned()),
        }
    }
}

#[derive(Clone, Copy)]
enum Interruption {
    Never,
    Kill(u64),
    Stop(u64),
}

/// Runs until the interruption or the end; `None` if interrupted.
#[expect(
    clippy::too_many_lines,
    reason = "one loop whose steps share all of its state"
)]
async fn run(
    frontier: &mut JournaledFrontier,
    site: &mut Site,
    recording: &mut Recording,
    interruption: Interruption,
) -> Option<Ending> {
    let mut now = frontier.resume(Duration::ZERO);
    let mut in_flight: Vec<(Moment, Work)> = Vec::new();
    for step in 0..100_000 {
        match interruption {
            Interruption::Kill(at) if at == step => {
                recording.drop_unmarked();
                return None;
            }
            Interruption::Stop(at) if at == step => frontier.stop(StopReason::Signal),
            _ => (),
        }
        let free = site.world.plan.workers - in_flight.len();
        let mut out = Vec::new();
        let dispatch = frontier.take(free, now, &mut out).await.unwrap();
        recording.record(out);
        assert!(dispatch.work.len() <= free);
        for work in dispatch.work {
            in_flight.push((site.done_at(&work, now), work));
        }
        if let Next::Finished(reason) = dispatch.next {
            let mut out = Vec::new();
            frontier.close(&mut out);
            recording.record(out);
            assert_eq!(
                recording.marked.0,
                recording.delivered.len(),
                "everything is marked at the end"
            );
            if reason == StopReason::Signal {
                assert!(in_flight.is_empty(), "work in flight settles first");
                assert_eq!(frontier.summary(now).stop, StopReason::Signal);
                return None;
            }
            let mut left = BTreeSet::new();
            frontier.left(&mut |url| {
                left.insert(url.to_string());
            });
            let summary = Summary {
                elapsed: Duration::ZERO,
                ..frontier.summary(now)
            };
            return Some(Ending {
                reason,
                summary,
                left,
            });
        }
        let soonest = in_flight.iter().map(|(done, _)| *done).min();
        let until = match dispatch.next {
            Next::Until(at) => Some(at),
            _ => None,
        };
        now = now.max(soonest.into_iter().chain(until).min().unwrap());
        // The one that finished first, so that the order does not depend on the wake-ups.
        let done = (0..in_flight.len())
            .filter(|at| in_flight[*at].0 <= now)
            .min_by_key(|at| in_flight[*at].0);
        let Some(at) = done else { continue };
        let mut out = Vec::new();
        match in_flight.remove(at).1 {
            Work::Page(task) => {
                let mut report = site.world.answer(task);
                report.elapsed = Duration::from_millis(7);
                report.content_type = Some("text/html".into());
                frontier.settle(report, now, &mut out).await.unwrap();
            }
            Work::SiteFile(SiteFileTask::Robots(site_file)) => {
                let report = site.world.answer_robots(site_file);
                frontier
                    .settle_site_file(report, now, &mut out)
                    .await
                    .unwrap();
            }
            Work::SiteFile(SiteFileTask::Sitemap(site_file)) => {
                let report = SiteFileReport {
                    found: SiteFileResult::Sitemap(site_file, site.sitemap()),
                    status: Some(200),
                    retry_after: None,
                    elapsed: Duration::ZERO,
                    wire_bytes: 100,
                    text: None,
                };
                frontier
                    .settle_site_file(report, now, &mut out)
                    .await
                    .unwrap();
            }
        }
        recording.record(out);
    }
    panic!("seed {} does not end", site.seed);
}

/// A frontier replayed from the marks; its deliveries must be the same as before.
async fn replayed(site: &Site, recording: &Recording) -> JournaledFrontier {
    let mut frontier = site.frontier();
    let mut replayed = Recording::default();
    for mark in &recording.marks {
        let mut out = Vec::new();
        frontier.replay(mark, &mut out).await.unwrap();
        replayed.record(out);
    }
    assert_eq!(
        replayed.delivered, recording.delivered,
        "seed {}",
        site.seed
    );
    frontier
}

/// Interrupts a crawl up to four times, then lets it end. The flag says whether its timing is that of an uninterrupted
/// crawl: during a stop, time passes in which nothing is started.
async fn interrupt_and_resume(seed: u64) -> (Recording, Ending, bool) {
    let mut dice = Dice(seed ^ 0x5eed);
    let mut site = Site::random(seed);
    let mut recording = Recording::default();
    let mut frontier = site.frontier();
    let interruptions = dice.below(5);
    let with_stops = dice.one_in(2);
    let mut same_timing = !site.has_delays();
    for number in 0..=interruptions {
        let interruption = match dice.below(2) {
            _ if number == interruptions => Interruption::Never,
            0 if with_stops => Interruption::Stop(site.world.stop_after.unwrap_or(dice.below(40))),
            _ => Interruption::Kill(dice.below(40)),
        };
        if let Some(ending) = run(&mut frontier, &mut site, &mut recording, interruption).await {
            return (recording, ending, same_timing);
        }
        same_timing &= !matches!(interruption, Interruption::Stop(_));
        frontier = replayed(&site, &recording).await;
    }
    panic!("the last run is never interrupted");
}

async fn check(seed: u64) -> &'static str {
    let mut site = Site::random(seed);
    let mut recording = Recording::default();
    let mut frontier = site.frontier();
    let uninterrupted = run(
        &mut frontier,
        &mut site,
        &mut recording,
        Interruption::Never,
    )
    .await;
    let uninterrupted = uninterrupted.unwrap();
    let (resumed_recording, resumed_ending, same_timing) = interrupt_and_resume(seed).await;
    let urls = |recording: &Recording| -> BTreeSet<String> {
        recording
            .pages
            .iter()
            .map(|page| page.url.to_string())
            .collect()
    };
    assert_eq!(
        urls(&resumed_recording).len(),
        resumed_recording.pages.len(),
        "seed {seed}: a page was reported twice"
    );
    if same_timing {
        assert_eq!(
            resumed_recording.delivered, recording.delivered,
            "seed {seed}"
        );
        assert_eq!(resumed_ending, uninterrupted, "seed {seed}");
        return "same";
    }
    let pages = |recording: &Recording| {
        recording
            .pages
            .iter()
            .filter(|page| page.counts_as_page())
            .count()
    };
    match uninterrupted.reason {
        StopReason::MaxPages => {
            assert_eq!(pages(&resumed_recording), pages(&recording), "seed {seed}");
        }
        StopReason::Done if site.world.plan.limits.depth.is_none() => {
            let skips = |page: &PageReport| matches!(page.outcome, Outcome::Skipped(_));
            assert_eq!(urls(&resumed_recording), urls(&recording), "seed {seed}");
            if site.world.plan.sitemaps == SitemapPolicy::Skip {
                let reached = resumed_recording
                    .pages
                    .iter()
                    .map(|page| page_of(&page.url));
                let all: BTreeSet<usize> = site.world.reachable().into_keys().collect();
                assert_eq!(reached.collect::<BTreeSet<_>>(), all, "seed {seed}");
            }
            let skipped =
                |recording: &Recording| recording.pages.iter().filter(|page| skips(page)).count();
            assert_eq!(
                skipped(&resumed_recording),
                skipped(&recording),
                "seed {seed}"
            );
        }
        _ => (),
    }
    "delayed"
}

#[tokio::test]
async fn thousands_of_interrupted_crawls() {
    let mut ended: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..4_000 {
        *ended.entry(check(seed).await).or_default() += 1;
    }
    assert!(ended["same"] > 1_500 && ended["delayed"] > 500, "{ended:?}");
}

#[tokio::test]
async fn after_a_stop_nothing_is_requested_twice() {
    for seed in 0..1_000 {
        let mut site = Site::random(seed);
        let mut recording = Recording::default();
        let mut frontier = site.frontier();
        let at = Dice(seed).below(30);
        let ended = run(
            &mut frontier,
            &mut site,
            &mut recording,
            Interruption::Stop(at),
        )
        .await;
        if ended.is_none() {
            let mut frontier = replayed(&site, &recording).await;
            run(
                &mut frontier,
                &mut site,
                &mut recording,
                Interruption::Never,
            )
            .await;
        }
        let twice: Vec<_> = site
            .requests
            .iter()
            .filter(|(_, times)| **times > 1)
            .collect();
        assert!(twice.is_empty(), "seed {seed}: {twice:?}");
    }
}

#[tokio::test]
async fn damaged_events_are_an_error() {
    let mut site = Site::random(7);
    let mut recording = Recording::default();
    let mut frontier = site.frontier();
    run(
        &mut frontier,
        &mut site,
        &mut recording,
        Interruption::Never,
    )
    .await;
    let events = recording.marks.concat();
    let mut refused = 0;
    for at in 0..events.len() {
        let mut truncated = site.frontier();
        // Ends within an event, except at the boundaries.
        refused += u32::from(
            truncated
                .replay(&events[..at], &mut Vec::new())
                .await
                .is_err(),
        );
        let mut other = site.frontier();
        let mut changed = events.clone();
        changed[at] = 0xff;
        let read = other.replay(&changed[..=at], &mut Vec::new()).await;
        refused += u32::from(read.is_err());
    }
    assert!(
        refused as usize > events.len(),
        "{refused} of {}",
        events.len()
    );
    let other_plan = World::random(7, |spec| spec.max_pages = Some(1)).plan;
    let mut other = JournaledFrontier::new(&other_plan, 7);
    assert!(other.replay(&events, &mut Vec::new()).await.is_err());
}
