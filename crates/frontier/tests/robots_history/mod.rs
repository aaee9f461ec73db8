//! Random histories of a robots.txt on a simulated clock, and a check of every request against the rules in force; shared by
//! the tests of the frontier, the journal, the store frontier and the scraper.
//!
//! The rules that were read last are in force for thirty days; without such rules, `robots_errors` decides. A copy is used
//! for its lifetime, and for a minute after a failed fetch and its pause. A pause that a host asked for is over before its next request.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crawler_frontier::{
    RobotsFetchResult, RobotsTask, SiteFileReport, SiteFileResult, SiteFileTask, Work,
};
use crawler_model::{CrawlSpec, DepthLimit, FailKind, Failure, PageReport, RobotsErrors, Task};
use crawler_sitefiles::Robots;
use crawler_weburl::CrawlUrl;

use crate::world::{Dice, World, page_of};

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
const ELSEWHERE: &str = "http://elsewhere.example/robots.txt";

/// What the server does with requests for robots.txt.
#[derive(Clone, Debug)]
enum Serving {
    /// Disallows these pages.
    Rules(BTreeSet<usize>),
    /// 404.
    Missing,
    /// 429 or 503, with a pause.
    Status(u16, Option<Duration>),
    Unreachable,
    /// Redirects to a file on another host that disallows these pages.
    Moved(BTreeSet<usize>),
    Loop,
}

/// How the last fetch of robots.txt ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LastFetch {
    Read,
    /// With the pause that the host asked for, up to an hour.
    Throttled(Duration),
    Failed(Duration),
}

/// What the site has told the crawler.
#[derive(Clone, Default)]
pub(crate) struct Observed {
    /// When rules were last read, and what they disallow.
    read: Option<(Duration, BTreeSet<usize>)>,
    /// When each host may be requested again.
    pauses: BTreeMap<String, Duration>,
}

/// A site whose robots.txt changes.
pub(crate) struct RobotsHistory {
    pub(crate) world: World,
    seed: u64,
    dice: Dice,
    changes: BTreeMap<Duration, Serving>,
    lifetime: Duration,
    pub(crate) observed: Observed,
    last: Option<(Duration, LastFetch)>,
    /// Page requests, and those of them under rules that were kept through a failed fetch.
    pub(crate) requests: u32,
    pub(crate) kept: u32,
    pub(crate) refetches: u32,
}

impl RobotsHistory {
    pub(crate) fn random(seed: u64, change: impl FnOnce(&mut CrawlSpec)) -> Self {
        let mut dice = Dice(seed ^ 0x0b07_5000);
        let lifetime = [DAY, 10 * MINUTE, 3 * HOUR][usize::try_from(dice.below(3)).unwrap()];
        let errors = if dice.one_in(2) {
            RobotsErrors::Allow
        } else {
            RobotsErrors::Disallow
        };
        let world = World::random(seed, |spec| {
            spec.request.robots_lifetime = Some(lifetime);
            spec.request.robots_errors = errors;
            spec.max_pages = Some(0);
            spec.max_depth = Some(DepthLimit::Unlimited);
            change(spec);
        });
        let pages = world.behaviors.len();
        let span = [HOUR, 3 * DAY, 50 * DAY][usize::try_from(dice.below(3)).unwrap()];
        let mut changes = BTreeMap::new();
        changes.insert(Duration::ZERO, serving(&mut dice, pages));
        for _ in 0..dice.below(10) {
            let at = Duration::from_secs(dice.below(span.as_secs()));
            changes.insert(at, serving(&mut dice, pages));
        }
        // Every crawl ends.
        changes.insert(span, Serving::Rules(BTreeSet::new()));
        Self {
            world,
            seed,
            dice,
            changes,
            lifetime,
            observed: Observed::default(),
            last: None,
            requests: 0,
            kept: 0,
            refetches: 0,
        }
    }

    /// How long a request takes.
    pub(crate) fn takes(&mut self, work: &Work) -> Duration {
        self.request_takes(matches!(work, Work::Page(_)))
    }

    pub(crate) fn request_takes(&mut self, is_page: bool) -> Duration {
        let longest = if is_page {
            match self.dice.below(6) {
                0 | 1 => MINUTE,
                2 => HOUR,
                3 => 8 * HOUR,
                4 => 2 * DAY,
                _ => 8 * DAY,
            }
        } else {
            MINUTE
        };
        Duration::from_millis(1 + self.dice.below(u64::try_from(longest.as_millis()).unwrap()))
    }

    /// Checks a request that starts now.
    pub(crate) fn check(&mut self, work: &Work, now: Duration) {
        match work {
            Work::Page(task) => self.check_request(&task.url, true, now),
            Work::SiteFile(site_file) => self.check_request(site_file.url(), false, now),
        }
    }

    pub(crate) fn check_request(&mut self, url: &CrawlUrl, is_page: bool, now: Duration) {
        let host = url.host_key().to_string();
        let paused = self.observed.pauses.get(&host).copied().unwrap_or_default();
        let seed = self.seed;
        assert!(
            now >= paused,
            "history {seed}: {url} at {now:?}, paused until {paused:?}"
        );
        if is_page {
            self.check_page(url, now);
        }
    }

    fn check_page(&mut self, url: &CrawlUrl, now: Duration) {
        let seed = self.seed;
        self.requests += 1;
        let Some((fetched, last)) = self.last else {
            panic!("history {seed}: {url} before robots.txt");
        };
        let fresh = match last {
            LastFetch::Read => self.lifetime,
            LastFetch::Throttled(pause) | LastFetch::Failed(pause) => pause + MINUTE,
        };
        assert!(
            now < fetched + fresh,
            "history {seed}: {url} at {now:?}, robots.txt of {fetched:?}"
        );
        let known = self
            .observed
            .read
            .as_ref()
            .filter(|(read, _)| now < *read + 30 * DAY);
        if let Some((_, disallowed)) = known {
            let is_allowed = !disallowed.contains(&page_of(url));
            assert!(is_allowed, "history {seed}: {url} at {now:?} is disallowed");
            self.kept += u32::from(last != LastFetch::Read);
        } else {
            let allows = self.world.plan.robots_errors == RobotsErrors::Allow;
            let permitted = allows || matches!(last, LastFetch::Throttled(_));
            assert!(permitted, "history {seed}: {url} at {now:?} without rules");
        }
    }

    /// The response to a page request; some ask for a pause.
    pub(crate) fn page(&mut self, task: Task, now: Duration) -> PageReport {
        let host = task.url.host_key().to_string();
        let mut report = self.world.answer(task);
        if matches!(report.status, Some(429 | 500)) && self.dice.one_in(2) {
            let pause = Duration::from_secs(self.dice.below(5_000));
            report.retry_after = Some(pause);
            self.pause(host, pause, now);
        }
        report
    }

    pub(crate) fn site_file(&mut self, site_file: SiteFileTask, now: Duration) -> SiteFileReport {
        let SiteFileTask::Robots(site_file) = site_file else {
            panic!("no sitemap was requested");
        };
        self.robots(site_file, now)
    }

    /// The response to a request for robots.txt.
    pub(crate) fn robots(&mut self, site_file: RobotsTask, now: Duration) -> SiteFileReport {
        let serving = self.changes.range(..=now).next_back().unwrap().1.clone();
        self.refetches += u32::from(self.last.is_some());
        let (mut status, mut retry_after, mut text) = (None, None, None);
        let moved = || RobotsFetchResult::Moved(CrawlUrl::parse(ELSEWHERE).unwrap());
        let answer = match serving {
            Serving::Rules(disallowed) => {
                status = Some(200);
                self.reads(disallowed, now, &mut text)
            }
            Serving::Moved(disallowed) if site_file.url.as_str() == ELSEWHERE => {
                status = Some(200);
                self.reads(disallowed, now, &mut text)
            }
            Serving::Moved(_) => {
                status = Some(301);
                moved()
            }
            Serving::Loop => {
                status = Some(302);
                if site_file.hops == 5 {
                    // The last redirect: the file counts as having no rules.
                    self.reads(BTreeSet::new(), now, &mut None);
                }
                moved()
            }
            Serving::Missing => {
                status = Some(404);
                self.reads(BTreeSet::new(), now, &mut None)
            }
            Serving::Unreachable => {
                self.last = Some((now, LastFetch::Failed(Duration::ZERO)));
                RobotsFetchResult::Unreachable(Failure::new(
                    FailKind::Connect,
                    "connection refused",
                ))
            }
            Serving::Status(code, pause) => {
                (status, retry_after) = (Some(code), pause);
                if let Some(pause) = pause {
                    self.pause(site_file.url.host_key().to_string(), pause, now);
                }
                let failure = Failure::of_status(code);
                let pause = pause.unwrap_or_default().min(HOUR);
                let (last, answer) = if code == 429 {
                    (
                        LastFetch::Throttled(pause),
                        RobotsFetchResult::Throttled(failure),
                    )
                } else {
                    (
                        LastFetch::Failed(pause),
                        RobotsFetchResult::Unavailable(failure),
                    )
                };
                self.last = Some((now, last));
                answer
            }
        };
        SiteFileReport {
            found: SiteFileResult::Robots(site_file, answer),
            status,
            retry_after,
            elapsed: Duration::ZERO,
            wire_bytes: 0,
            text,
        }
    }

    fn reads(
        &mut self,
        disallowed: BTreeSet<usize>,
        now: Duration,
        text: &mut Option<String>,
    ) -> RobotsFetchResult {
        let lines = disallowed
            .iter()
            .map(|page| format!("Disallow: /p{page}$\nDisallow: /p{page}/$\n"));
        let written = format!("User-agent: *\n{}", lines.collect::<String>());
        let rules = Robots::parse(written.as_bytes(), "crawler");
        *text = Some(written);
        self.observed.read = Some((now, disallowed));
        self.last = Some((now, LastFetch::Read));
        RobotsFetchResult::Rules(rules)
    }

    fn pause(&mut self, host: String, pause: Duration, now: Duration) {
        // A longer pause parks the host, or is waited for only in part.
        let until = now + pause.min(HOUR);
        let known = self.observed.pauses.entry(host).or_default();
        *known = until.max(*known);
    }
}

fn serving(dice: &mut Dice, pages: usize) -> Serving {
    let disallowed = |dice: &mut Dice| (1..pages).filter(|_| dice.one_in(3)).collect();
    let pause = |dice: &mut Dice| match dice.below(4) {
        0 => Some(Duration::from_secs(dice.below(60))),
        1 => Some(Duration::from_secs(dice.below(3_600))),
        2 => Some(Duration::from_secs(dice.below(100_000))),
        _ => None,
    };
    match dice.below(9) {
        0..=2 => Serving::Rules(disallowed(dice)),
        3 => Serving::Moved(disallowed(dice)),
        4 => Serving::Missing,
        5 => Serving::Status(429, pause(dice)),
        6 => Serving::Status(503, pause(dice)),
        7 => Serving::Unreachable,
        _ => Serving::Loop,
    }
}
