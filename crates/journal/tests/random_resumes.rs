//! Random crawls, journaled, cut at random moments and gone on with: the deliveries are those of the crawl that nobody cut.
//!
//! A kill loses what was not marked, and what was in flight; a stop lets that settle. How long a request takes depends on
//! what it asks for and not on when, so that a crawl that goes on meets the same site.

#![expect(clippy::unwrap_used, reason = "a test's own helpers may stop it")]

#[path = "../../frontier/tests/world/mod.rs"]
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use crawler_frontier::{
    Delivery, Frontier, Moment, Next, SiteFileReport, SiteFileResult, SiteFileTask, SitemapAnswer,
    Work,
};
use crawler_journal::JournaledFrontier;
use crawler_model::{LinkFacts, LinkList, Outcome, PageReport, SitemapPolicy, StopReason, Summary};
use crawler_weburl::CrawlUrl;

use world::{Dice, World, page_of, url_of};

/// What was delivered, and how much of it is kept.
#[derive(Default)]
struct Tape {
    marks: Vec<Vec<u8>>,
    delivered: Vec<String>,
    pages: Vec<PageReport>,
    kept: (usize, usize),
}

impl Tape {
    fn record(&mut self, out: Vec<Delivery>) {
        for delivery in out {
            match delivery {
                Delivery::Mark(events) => {
                    self.marks.push(events);
                    self.kept = (self.delivered.len(), self.pages.len());
                }
                Delivery::Page(report) => {
                    self.delivered.push(format!("{report:?}"));
                    self.pages.push(*report);
                }
                notice @ Delivery::Notice(_) => self.delivered.push(format!("{notice:?}")),
            }
        }
    }

    /// As a file is cut back.
    fn cut_back(&mut self) {
        self.delivered.truncate(self.kept.0);
        self.pages.truncate(self.kept.1);
    }
}

/// How a crawl ended.
#[derive(Debug, PartialEq)]
struct Ending {
    reason: StopReason,
    summary: Summary,
    left: BTreeSet<String>,
}

/// The site, which does not know of any interruption.
struct Site {
    world: World,
    seed: u64,
    done: BTreeMap<String, Moment>,
    asked: BTreeMap<String, u32>,
}

impl Site {
    fn roll(seed: u64) -> Self {
        let world = World::roll(seed, |spec| {
            if seed.is_multiple_of(4) {
                spec.sitemaps = SitemapPolicy::Include;
            }
        });
        Self {
            world,
            seed,
            done: BTreeMap::new(),
            asked: BTreeMap::new(),
        }
    }

    fn frontier(&self) -> JournaledFrontier {
        JournaledFrontier::new(&self.world.plan, self.seed)
    }

    /// Whether anything is done at a pace of its own: then a resume, which keeps the pace, comes later than no cut.
    fn has_pace(&self) -> bool {
        !self.world.plan.rate.is_zero() || !self.world.plan.path_delays.is_empty()
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
        *self.asked.entry(name.clone()).or_default() += 1;
        let mut hasher = DefaultHasher::new();
        (self.seed, &name).hash(&mut hasher);
        let takes = Duration::from_millis(1 + hasher.finish() % 400);
        *self.done.entry(name).or_insert(now + takes)
    }

    fn sitemap(&self) -> SitemapAnswer {
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
        SitemapAnswer::Read {
            pages,
            sitemaps: Vec::new(),
            problem: dice.one_in(2).then(|| "not well-formed".to_owned()),
        }
    }
}

#[derive(Clone, Copy)]
enum Cut {
    Never,
    Kill(u64),
    Stop(u64),
}

/// Goes on until the cut, or the end; `None` when it was cut.
async fn live(
    frontier: &mut JournaledFrontier,
    site: &mut Site,
    tape: &mut Tape,
    cut: Cut,
) -> Option<Ending> {
    let mut now = frontier.resume();
    let mut in_flight: Vec<(Moment, Work)> = Vec::new();
    for step in 0..100_000 {
        match cut {
            Cut::Kill(at) if at == step => {
                tape.cut_back();
                return None;
            }
            Cut::Stop(at) if at == step => frontier.stop(StopReason::Signal),
            _ => (),
        }
        let free = site.world.plan.workers - in_flight.len();
        let mut out = Vec::new();
        let turn = frontier.take(free, now, &mut out).await.unwrap();
        tape.record(out);
        assert!(turn.work.len() <= free);
        for work in turn.work {
            in_flight.push((site.done_at(&work, now), work));
        }
        if let Next::Finished(reason) = turn.next {
            let mut out = Vec::new();
            frontier.close(&mut out);
            tape.record(out);
            assert_eq!(tape.kept.0, tape.delivered.len(), "all is kept at the end");
            if reason == StopReason::Signal {
                assert!(in_flight.is_empty(), "what is in flight settles first");
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
        let until = match turn.next {
            Next::Until(at) => Some(at),
            _ => None,
        };
        now = now.max(soonest.into_iter().chain(until).min().unwrap());
        // The oldest of those that are done, so that the order does not depend on who waited.
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
        tape.record(out);
    }
    panic!("seed {} does not end", site.seed);
}

/// A frontier made of what was kept; what it delivers on the way must be what was.
async fn replayed(site: &Site, tape: &Tape) -> JournaledFrontier {
    let mut frontier = site.frontier();
    let mut again = Tape::default();
    for mark in &tape.marks {
        let mut out = Vec::new();
        frontier.replay(mark, &mut out).await.unwrap();
        again.record(out);
    }
    assert_eq!(again.delivered, tape.delivered, "seed {}", site.seed);
    frontier
}

/// Cuts a crawl up to four times, then lets it end. The last word says whether it kept its pace: a stop lets time pass in
/// which nothing is begun.
async fn cut_and_go_on(seed: u64) -> (Tape, Ending, bool) {
    let mut dice = Dice(seed ^ 0x5eed);
    let mut site = Site::roll(seed);
    let mut tape = Tape::default();
    let mut frontier = site.frontier();
    let cuts = dice.below(5);
    let with_stops = dice.one_in(2);
    let mut in_pace = !site.has_pace();
    for number in 0..=cuts {
        let cut = match dice.below(2) {
            _ if number == cuts => Cut::Never,
            0 if with_stops => Cut::Stop(site.world.stop_after.unwrap_or(dice.below(40))),
            _ => Cut::Kill(dice.below(40)),
        };
        if let Some(ending) = live(&mut frontier, &mut site, &mut tape, cut).await {
            return (tape, ending, in_pace);
        }
        in_pace &= !matches!(cut, Cut::Stop(_));
        frontier = replayed(&site, &tape).await;
    }
    panic!("the last is never cut");
}

async fn check(seed: u64) -> &'static str {
    let mut site = Site::roll(seed);
    let mut tape = Tape::default();
    let mut frontier = site.frontier();
    let whole = live(&mut frontier, &mut site, &mut tape, Cut::Never).await;
    let whole = whole.unwrap();
    let (cut_tape, cut_ending, in_pace) = cut_and_go_on(seed).await;
    let urls = |tape: &Tape| -> BTreeSet<String> {
        tape.pages.iter().map(|page| page.url.to_string()).collect()
    };
    assert_eq!(
        urls(&cut_tape).len(),
        cut_tape.pages.len(),
        "seed {seed}: twice"
    );
    if in_pace {
        assert_eq!(cut_tape.delivered, tape.delivered, "seed {seed}");
        assert_eq!(cut_ending, whole, "seed {seed}");
        return "same";
    }
    let pages = |tape: &Tape| {
        tape.pages
            .iter()
            .filter(|page| page.counts_as_page())
            .count()
    };
    match whole.reason {
        StopReason::MaxPages => assert_eq!(pages(&cut_tape), pages(&tape), "seed {seed}"),
        StopReason::Done if site.world.plan.limits.depth.is_none() => {
            let skips = |page: &PageReport| matches!(page.outcome, Outcome::Skipped(_));
            assert_eq!(urls(&cut_tape), urls(&tape), "seed {seed}");
            if site.world.plan.sitemaps == SitemapPolicy::Skip {
                let reached = cut_tape.pages.iter().map(|page| page_of(&page.url));
                let all: BTreeSet<usize> = site.world.reachable().into_keys().collect();
                assert_eq!(reached.collect::<BTreeSet<_>>(), all, "seed {seed}");
            }
            let skipped = |tape: &Tape| tape.pages.iter().filter(|page| skips(page)).count();
            assert_eq!(skipped(&cut_tape), skipped(&tape), "seed {seed}");
        }
        _ => (),
    }
    "paced"
}

#[tokio::test]
async fn thousands_of_cut_crawls() {
    let mut ended: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..4_000 {
        *ended.entry(check(seed).await).or_default() += 1;
    }
    assert!(ended["same"] > 1_500 && ended["paced"] > 500, "{ended:?}");
}

#[tokio::test]
async fn after_a_stop_nothing_is_asked_for_twice() {
    for seed in 0..1_000 {
        let mut site = Site::roll(seed);
        let mut tape = Tape::default();
        let mut frontier = site.frontier();
        let at = Dice(seed).below(30);
        let ended = live(&mut frontier, &mut site, &mut tape, Cut::Stop(at)).await;
        if ended.is_none() {
            let mut frontier = replayed(&site, &tape).await;
            live(&mut frontier, &mut site, &mut tape, Cut::Never).await;
        }
        let twice: Vec<_> = site.asked.iter().filter(|(_, times)| **times > 1).collect();
        assert!(twice.is_empty(), "seed {seed}: {twice:?}");
    }
}

#[tokio::test]
async fn events_that_are_not_ours_are_an_error() {
    let mut site = Site::roll(7);
    let mut tape = Tape::default();
    let mut frontier = site.frontier();
    live(&mut frontier, &mut site, &mut tape, Cut::Never).await;
    let events = tape.marks.concat();
    let mut refused = 0;
    for at in 0..events.len() {
        let mut cut = site.frontier();
        // Half an event, where it is not between two.
        refused += u32::from(cut.replay(&events[..at], &mut Vec::new()).await.is_err());
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
    let other_plan = World::roll(7, |spec| spec.max_pages = Some(1)).plan;
    let mut other = JournaledFrontier::new(&other_plan, 7);
    assert!(other.replay(&events, &mut Vec::new()).await.is_err());
}
