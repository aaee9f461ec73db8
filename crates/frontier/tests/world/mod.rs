//! Random sites, the plans to crawl them and their responses; shared by the tests of the frontier, the journal and the
//! store frontier.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use crawler_frontier::{RobotsFetchResult, RobotsTask, SiteFileReport, SiteFileResult};
use crawler_model::{
    CrawlPlan, CrawlSpec, DepthLimit, FailKind, Failure, LinkFacts, Outcome, PageReport,
    RequestSpec, Task,
};
use crawler_sitefiles::Robots;
use crawler_weburl::{CrawlUrl, SlashPolicy};

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Behavior {
    Page,
    NotHtml,
    Dead,
    Panics,
    /// Fails this many times, then is a page.
    Flaky {
        fails: u32,
        throttled: bool,
    },
    Redirect(usize),
    /// `/pN` redirects to `/pN/`, which is a page.
    SlashRedirect,
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) behaviors: Vec<Behavior>,
    pub(crate) links: Vec<Vec<usize>>,
    pub(crate) disallowed: BTreeSet<usize>,
    pub(crate) plan: CrawlPlan,
    pub(crate) stop_after: Option<u64>,
    pub(crate) robots_answer: u64,
}

pub(crate) fn url_of(page: usize) -> String {
    format!("http://site.example/p{page}")
}

pub(crate) fn page_of(url: &CrawlUrl) -> usize {
    url.parts()
        .path()
        .trim_matches('/')
        .trim_start_matches('p')
        .parse()
        .unwrap()
}

impl World {
    /// Generates a site and a plan from a seed; `change` edits the spec before it is resolved.
    pub(crate) fn random(seed: u64, change: impl FnOnce(&mut CrawlSpec)) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9).wrapping_add(77));
        let pages = 1 + usize::try_from(dice.below(14)).unwrap();
        let depth_limited = dice.one_in(3);
        let page = |dice: &mut Dice| usize::try_from(dice.below(pages as u64)).unwrap();
        let behaviors = (0..pages)
            .map(
                |number| match dice.below(if number == 0 { 12 } else { 20 }) {
                    // Retries may reorder discovery, so depth-limited crawls have none.
                    0 if !depth_limited => Behavior::Flaky {
                        fails: 1 + u32::try_from(dice.below(4)).unwrap(),
                        throttled: dice.one_in(3),
                    },
                    1 => Behavior::SlashRedirect,
                    12 => Behavior::Dead,
                    13 => Behavior::Panics,
                    14 => Behavior::NotHtml,
                    15 | 16 => Behavior::Redirect(page(&mut dice)),
                    _ => Behavior::Page,
                },
            )
            .collect();
        let links = (0..pages)
            .map(|_| (0..dice.below(5)).map(|_| page(&mut dice)).collect())
            .collect();
        let disallowed = (1..pages).filter(|_| dice.one_in(9)).collect();
        let mut spec = CrawlSpec {
            seed: url_of(0),
            max_pages: Some(if dice.one_in(3) {
                1 + dice.below(10)
            } else {
                0
            }),
            max_depth: Some(if depth_limited {
                DepthLimit::Links(1 + u32::try_from(dice.below(4)).unwrap())
            } else {
                DepthLimit::Unlimited
            }),
            request: RequestSpec {
                max_attempts: Some(1 + u32::try_from(dice.below(4)).unwrap()),
                max_redirects: Some(50),
                ..RequestSpec::default()
            },
            workers: Some(1 + usize::try_from(dice.below(6)).unwrap()),
            min_interval: Duration::from_millis(if dice.one_in(4) { dice.below(300) } else { 0 }),
            slash: Some(SlashPolicy::Merge),
            traps: Some(dice.one_in(2)),
            path_delays: if dice.one_in(4) {
                vec![("/p1".into(), Duration::from_millis(dice.below(2_000)))]
            } else {
                Vec::new()
            },
            ..CrawlSpec::default()
        };
        change(&mut spec);
        let plan = CrawlPlan::resolve(&spec, "crawler/0", seed).unwrap();
        let stop_after = dice.one_in(5).then(|| dice.below(12));
        Self {
            behaviors,
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

    /// Whether a page is eventually fetched, within its attempts.
    fn is_read(&self, page: usize) -> bool {
        match self.behaviors[page] {
            Behavior::Page | Behavior::SlashRedirect => true,
            Behavior::Flaky { fails, .. } => fails < self.plan.max_attempts,
            _ => false,
        }
    }

    /// Every page that must be reported, with its depth, computed by a plain breadth-first search.
    pub(crate) fn reachable(&self) -> BTreeMap<usize, u32> {
        let mut depths = BTreeMap::from([(0, 0)]);
        let mut queue = VecDeque::from([(0, 0)]);
        while let Some((page, depth)) = queue.pop_front() {
            if self.disallowed.contains(&page) {
                continue;
            }
            let found: Vec<(usize, u32)> = match self.behaviors[page] {
                Behavior::Redirect(to) if to != page => vec![(to, depth)],
                _ if self.is_read(page) => {
                    self.links[page].iter().map(|to| (*to, depth + 1)).collect()
                }
                _ => Vec::new(),
            };
            for (to, depth) in found {
                let too_deep = self.plan.limits.depth.is_some_and(|max| depth > max);
                if !too_deep && depths.get(&to).is_none_or(|known| *known > depth) {
                    queue.retain(|(other, _)| *other != to);
                    depths.insert(to, depth);
                    // A redirect's target has the depth of its source.
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

    pub(crate) fn answer(&self, task: Task) -> PageReport {
        let page = page_of(&task.url);
        let landed = task.url.as_str().ends_with('/');
        let failed = |kind| Outcome::Failed(Failure::new(kind, "failed"));
        let (outcome, status) = match self.behaviors[page] {
            Behavior::SlashRedirect if !landed => {
                let to = CrawlUrl::parse(&format!("{}/", task.url)).unwrap();
                (Outcome::Redirected { to }, Some(301))
            }
            Behavior::Page | Behavior::SlashRedirect => {
                (Outcome::Fetched { html: true }, Some(200))
            }
            Behavior::NotHtml => (Outcome::Fetched { html: false }, Some(200)),
            Behavior::Dead => (failed(FailKind::DeadLink), Some(404)),
            Behavior::Panics => (failed(FailKind::Internal), None),
            Behavior::Redirect(to) => (
                Outcome::Redirected {
                    to: CrawlUrl::parse(&url_of(to)).unwrap(),
                },
                Some(302),
            ),
            Behavior::Flaky { fails, throttled } if task.attempt <= fails => {
                let kind = if throttled {
                    FailKind::RateLimited
                } else {
                    FailKind::ServerError
                };
                (failed(kind), Some(if throttled { 429 } else { 500 }))
            }
            Behavior::Flaky { .. } => (Outcome::Fetched { html: true }, Some(200)),
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

    pub(crate) fn answer_robots(&self, site_file: RobotsTask) -> SiteFileReport {
        let mut text = None;
        let answer = match self.robots_answer {
            0 if site_file.attempt == 1 => {
                RobotsFetchResult::Unavailable(Failure::new(FailKind::ServerError, "500"))
            }
            1 if site_file.attempt == 1 => {
                RobotsFetchResult::Unreachable(Failure::new(FailKind::Reset, "reset"))
            }
            _ => {
                let text = text.insert(self.robots_text());
                RobotsFetchResult::Rules(Robots::parse(text.as_bytes(), "crawler"))
            }
        };
        SiteFileReport {
            found: SiteFileResult::Robots(site_file, answer),
            status: None,
            retry_after: None,
            elapsed: Duration::ZERO,
            wire_bytes: 0,
            text,
        }
    }
}
