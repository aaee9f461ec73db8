//! The in-memory frontier: a pure state machine with one owner.
//!
//! This file holds the state, `admit` and small operations; `pick` hands out work, `settle` takes in reports.
//! No lock, no clock, no I/O.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crawler_model::site_rules::MAX_SITEMAPS;
use crawler_model::{
    CrawlPlan, CrawlRules, Discovery, LinkFacts, Notice, RefuseReason, RobotsPolicy, SitemapPolicy,
    StopReason, Summary, Task,
};
use crawler_sitefiles::{KnownRobots, RobotsFile};
use crawler_weburl::{CrawlUrl, HostKey, Origin, UrlKey, UrlRef};

use crate::counts::Counts;
use crate::delayed::Delayed;
use crate::frontier::{Delivery, Dispatch, Frontier, FrontierError, Moment, ProgressCounts, Work};
use crate::host_ledger::HostLedger;
use crate::level_counts::LevelCounts;
use crate::path_gates::PathGates;
use crate::pick::FIRST_LEVEL;
use crate::queued_depths::QueuedDepths;
use crate::redirect_targets::RedirectTargets;
use crate::rng::Rng;
use crate::rules::{Bounds, MAX_ORIGINS, judge, link_refusal};
use crate::seed_watch::SeedWatch;
use crate::seen::Seen;
use crate::site::{RobotsState, Site, was_started};
use crate::site_file_task::{RobotsTask, SiteFileReport, SiteFileTask, SitemapTask};
use crate::traps::{PageEvidence, Traps};

/// Every URL of one crawl, in memory.
#[derive(Debug)]
pub struct MemoryFrontier {
    pub(crate) seed: CrawlUrl,
    pub(crate) plan: Arc<CrawlRules>,
    pub(crate) seen: Seen,
    pub(crate) traps: Traps,
    pub(crate) sites: Vec<Site>,
    site_of: HashMap<Origin, usize>,
    pub(crate) hosts: Vec<HostLedger>,
    host_of: HashMap<HostKey, usize>,
    pub(crate) site_files: VecDeque<SiteFileTask>,
    pub(crate) site_files_out: u64,
    pub(crate) sitemaps_out: u64,
    /// Sitemaps queued, in flight or delayed.
    pub(crate) sitemaps_pending: u64,
    sitemaps_known: HashSet<CrawlUrl>,
    pub(crate) delayed: Delayed,
    pub(crate) gates: PathGates,
    pub(crate) levels: LevelCounts,
    pub(crate) queued_depths: QueuedDepths,
    pub(crate) counts: Counts,
    pub(crate) rng: Rng,
    pub(crate) next_start: Moment,
    /// Sites with something queued that do not wait for their robots.txt.
    pub(crate) listed: VecDeque<usize>,
    pub(crate) stopped: Option<StopReason>,
    pub(crate) seed_watch: SeedWatch,
    /// Time that passed between the runs of this crawl, which its clock does not count.
    pub(crate) away: Duration,
    pub(crate) redirects: RedirectTargets,
}

impl MemoryFrontier {
    /// A frontier that holds the plan's seed. `rng_seed` seeds the jitter.
    pub fn new(plan: &CrawlPlan, rng_seed: u64) -> Self {
        let (seed, plan) = (plan.seed().clone(), Arc::clone(plan.rules()));
        let mut frontier = Self {
            gates: PathGates::new(&plan.path_delays),
            seen: Seen::default(),
            traps: Traps::default(),
            sites: Vec::new(),
            site_of: HashMap::new(),
            hosts: Vec::new(),
            host_of: HashMap::new(),
            site_files: VecDeque::new(),
            site_files_out: 0,
            sitemaps_out: 0,
            sitemaps_pending: 0,
            sitemaps_known: HashSet::new(),
            delayed: Delayed::default(),
            levels: LevelCounts::default(),
            queued_depths: QueuedDepths::new(plan.limits.depth.is_some()),
            counts: Counts::default(),
            rng: Rng::new(rng_seed),
            next_start: Moment::ZERO,
            listed: VecDeque::new(),
            stopped: None,
            seed_watch: SeedWatch::default(),
            away: Duration::ZERO,
            redirects: RedirectTargets::default(),
            seed: seed.clone(),
            plan,
        };
        if frontier.plan.sitemaps == SitemapPolicy::Only {
            // The seed only says where the sitemaps are.
            let site = frontier.site_for(seed.parts());
            frontier.queue_robots(site);
        } else {
            let key = frontier.plan.keys.key(seed.parts());
            frontier.seen.insert(key);
            frontier.seed_watch.begin(key);
            frontier.enqueue(Task::new(seed, Discovery::Seed, 0, None), key, FIRST_LEVEL);
        }
        frontier
    }

    /// Admits a URL. All checks, in one order: scope, include and exclude, depth, traps, and last `seen.insert`.
    /// (Resolving, normalizing and the scheme check come before: a link that is not a web URL never gets here.)
    /// Keys in `seen` passed all of these checks before, so looking them up first changes no result, and ends
    /// the check for nearly every link.
    pub(crate) fn admit(
        &mut self,
        url: UrlRef<'_>,
        key: UrlKey,
        task: impl FnOnce(CrawlUrl) -> Task,
        depth: u32,
        bounds: Bounds,
        source: Option<&mut PageEvidence>,
    ) -> Result<(), RefuseReason> {
        if self.seen.contains(key) {
            if bounds.is_listed() && self.plan.traps {
                self.traps.note_listed(key);
            }
            self.move_to_lower_depth(url, key, task, depth);
            return Err(RefuseReason::Seen);
        }
        let is_excess_origin =
            || self.sites.len() >= MAX_ORIGINS && !self.site_of.contains_key(&url.origin());
        let known = (&self.traps, &self.seen);
        let trap_check = judge(
            &self.plan,
            known,
            url,
            depth,
            bounds,
            source.as_deref(),
            is_excess_origin,
        )?;
        let Some(owned) = CrawlUrl::from_normalized(url.as_str()) else {
            return Err(RefuseReason::Scheme);
        };
        self.seen.insert(key);
        self.seen.extend(trap_check.without_session);
        let is_first = source.as_ref().is_some_and(|source| source.is_first);
        self.traps.note(key, &trap_check, source);
        let task = task(owned);
        let level = if is_first {
            FIRST_LEVEL
        } else {
            self.level_of(&task)
        };
        self.enqueue(task, key, level);
        Ok(())
    }

    /// The reason to refuse a link, if its key and facts are enough to decide. They are for nearly every link, and its text
    /// need not be parsed then. Must agree with [`Self::admit`], which knows only the URL.
    pub(crate) fn quick_refusal(
        &self,
        key: UrlKey,
        facts: LinkFacts,
        depth: u32,
    ) -> Option<RefuseReason> {
        if let Some(reason) = link_refusal(&self.plan, facts) {
            return Some(reason);
        }
        if self.seen.contains(key) {
            // A URL queued at a greater depth is moved by `admit`.
            let moves = self.queued_depths.deeper_than(key, depth).is_some();
            return (!moves).then_some(RefuseReason::Seen);
        }
        // Scope is checked first, and without patterns there is only one reason to be out of scope.
        let is_outside = !facts.in_scope && !self.plan.scope.has_patterns();
        is_outside.then_some(RefuseReason::OutOfScope)
    }

    fn enqueue(&mut self, task: Task, key: UrlKey, level: u32) {
        self.counts.admitted += 1;
        self.counts.queued += 1;
        self.queued_depths.set(key, task.depth);
        self.push_to(level, task);
    }

    /// Moves a queued URL that is found at a lower depth.
    fn move_to_lower_depth(
        &mut self,
        url: UrlRef<'_>,
        key: UrlKey,
        task: impl FnOnce(CrawlUrl) -> Task,
        depth: u32,
    ) {
        let Some(deeper) = self.queued_depths.deeper_than(key, depth) else {
            return;
        };
        let Some(owned) = CrawlUrl::from_normalized(url.as_str()) else {
            return;
        };
        let host = self.host_for(url);
        if self.hosts[host].parked().is_none() {
            self.levels.remove(deeper);
        }
        self.push_new(task(owned), key);
    }

    pub(crate) fn push_new(&mut self, task: Task, key: UrlKey) {
        self.queued_depths.set(key, task.depth);
        self.push(task);
    }

    /// Puts a task into its site's queue.
    pub(crate) fn push(&mut self, task: Task) {
        self.push_to(self.level_of(&task), task);
    }

    fn push_to(&mut self, level: u32, task: Task) {
        let site = self.site_for(task.url.parts());
        if self.hosts[self.sites[site].host].parked().is_none() {
            self.levels.add(task.depth);
        }
        self.sites[site].push(level, task);
        self.list(site);
    }

    /// Lists a site among those that have something to start, unless it waits for its robots.txt.
    pub(crate) fn list(&mut self, site: usize) {
        let waits = self.sites[site].awaits_robots();
        if !waits && !self.sites[site].listed && !self.sites[site].is_empty() {
            self.sites[site].listed = true;
            self.listed.push_back(site);
        }
    }

    /// Whether a queue entry was left behind when its URL moved to a lower depth.
    pub(crate) fn is_stale(&self, task: &Task) -> bool {
        // Only tasks that were never started are moved.
        !was_started(task)
            && self
                .queued_depths
                .is_stale(|| self.plan.keys.key(task.url.parts()), task.depth)
    }

    /// Every queued task, in sites and at gates.
    fn queued_tasks(&self) -> impl Iterator<Item = (usize, Task)> {
        self.queued_tasks_of(|_| true)
    }

    /// The queued tasks of the sites that `wanted` selects.
    fn queued_tasks_of(
        &self,
        wanted: impl Fn(&Site) -> bool + Copy,
    ) -> impl Iterator<Item = (usize, Task)> {
        let in_sites = self
            .sites
            .iter()
            .enumerate()
            .filter(move |(_, site)| wanted(site))
            .flat_map(|(at, site)| site.tasks().map(move |task| (at, task)));
        let at_gates = self
            .gates
            .tasks()
            .filter(move |(site, _)| wanted(&self.sites[*site]))
            .map(|(site, task)| (site, task.clone()));
        in_sites
            .chain(at_gates)
            .filter(|(_, task)| !self.is_stale(task))
    }

    pub(crate) fn site_for(&mut self, url: UrlRef<'_>) -> usize {
        // Nearly every URL of a crawl belongs to the most recent site.
        if let Some(site) = self.sites.last()
            && site.origin.as_str() == url.origin_text()
        {
            return self.sites.len() - 1;
        }
        let origin = url.origin();
        if let Some(site) = self.site_of.get(&origin) {
            return *site;
        }
        let host = self.host_for(url);
        let needs_robots =
            self.plan.robots == RobotsPolicy::Respect || self.plan.sitemaps != SitemapPolicy::Skip;
        let robots = if needs_robots {
            RobotsState::Unknown
        } else {
            RobotsState::Known(KnownRobots::forever(RobotsFile::without_rules()))
        };
        self.sites.push(Site::new(origin.clone(), host, robots));
        self.site_of.insert(origin, self.sites.len() - 1);
        self.sites.len() - 1
    }

    pub(crate) fn host_for(&mut self, url: UrlRef<'_>) -> usize {
        // Nearly every URL of a crawl belongs to the most recent host.
        if let Some(last) = self.hosts.last()
            && last.host.as_str() == url.host()
        {
            return self.hosts.len() - 1;
        }
        let key = url.host_key();
        if let Some(host) = self.host_of.get(&key) {
            return *host;
        }
        self.hosts.push(HostLedger::new(key.clone()));
        self.host_of.insert(key, self.hosts.len() - 1);
        self.hosts.len() - 1
    }

    pub(crate) fn site_named(&self, origin: &Origin) -> Option<usize> {
        self.site_of.get(origin).copied()
    }

    /// Queues a site's robots.txt; its pages wait for it.
    pub(crate) fn queue_robots(&mut self, site: usize) {
        let robots = &mut self.sites[site].robots;
        let before = match std::mem::replace(robots, RobotsState::Unknown) {
            RobotsState::Unknown => None,
            RobotsState::Requested(before) => before,
            RobotsState::Known(known) => Some(known),
        };
        *robots = RobotsState::Requested(before);
        if self.sites[site].listed {
            self.sites[site].listed = false;
            self.listed.retain(|listed| *listed != site);
        }
        let origin = self.sites[site].origin.clone();
        let url = CrawlUrl::from_normalized(&format!("{origin}/robots.txt"));
        if let Some(url) = url {
            self.site_files.push_back(SiteFileTask::Robots(RobotsTask {
                origin,
                url,
                hops: 0,
                attempt: 0,
            }));
        }
    }

    /// Queues a sitemap, once, unless there are too many.
    pub(crate) fn queue_sitemap(&mut self, url: CrawlUrl, level: u32, named: bool) -> bool {
        if self.sitemaps_known.len() >= MAX_SITEMAPS {
            return false;
        }
        if self.sitemaps_known.insert(url.clone()) {
            self.sitemaps_pending += 1;
            // Sitemaps name pages of depth 1, so they are work of depth 0.
            self.levels.add(0);
            self.site_files
                .push_back(SiteFileTask::Sitemap(SitemapTask {
                    url,
                    level,
                    named,
                    hops: 0,
                    attempt: 0,
                    ticket: 0,
                }));
        }
        true
    }

    /// Parks a host: its queued URLs no longer hold back deeper levels.
    pub(crate) fn park(&mut self, host: usize, message: String, out: &mut Vec<Delivery>) {
        let parked: Vec<u32> = self
            .queued_tasks_of(|site| site.host == host)
            .map(|(_, task)| task.depth)
            .collect();
        for depth in parked {
            self.levels.remove(depth);
        }
        let host = self.hosts[host].host.to_string();
        out.push(Delivery::Notice(Notice::HostParked { host, message }));
    }

    /// The time by which a robots.txt ages.
    pub(crate) fn robots_time(&self, now: Moment) -> Moment {
        now.saturating_add(self.away)
    }

    /// Recounts the queues and compares; for tests.
    #[doc(hidden)]
    pub fn assert_consistent(&self) {
        let queued = self.queued_tasks().count();
        assert_eq!(self.counts.queued, queued as u64, "queued");
        let delayed = self
            .delayed
            .iter()
            .filter(|work| matches!(work, Work::Page(_)))
            .count();
        assert_eq!(self.counts.delayed, delayed as u64, "delayed");
        let restarted = self
            .queued_tasks()
            .filter(|(_, task)| was_started(task))
            .count();
        let started = self.counts.in_flight + self.counts.delayed + restarted as u64;
        assert_eq!(self.counts.started, started, "started");
        self.counts.check();
    }

    /// URLs admitted so far; for tests and progress.
    pub fn admitted(&self) -> u64 {
        self.counts.admitted
    }
}

impl Frontier for MemoryFrontier {
    async fn take(
        &mut self,
        max: usize,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<Dispatch, FrontierError> {
        let dispatch = self.pick(max, now, out);
        self.counts.check();
        Ok(dispatch)
    }

    async fn settle(
        &mut self,
        report: crawler_model::PageReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<(), FrontierError> {
        self.settle_page(report, now, out);
        self.counts.check();
        Ok(())
    }

    async fn settle_site_file(
        &mut self,
        report: SiteFileReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<(), FrontierError> {
        self.settle_file(report, now, out);
        self.counts.check();
        Ok(())
    }

    fn plan(&self, _work: &Work) -> Arc<CrawlRules> {
        Arc::clone(&self.plan)
    }

    fn progress_counts(&self) -> ProgressCounts {
        ProgressCounts {
            pages: self.counts.pages,
            failed: self.counts.failed.iter().sum(),
            queued: self.counts.queued + self.counts.delayed,
            in_flight: self.counts.in_flight,
            bytes: self.counts.bytes,
        }
    }

    fn stop(&mut self, reason: StopReason) {
        self.stopped.get_or_insert(reason);
    }

    fn summary(&self, now: Moment) -> Summary {
        let counts = &self.counts;
        Summary {
            stop: self.stopped.clone().unwrap_or(StopReason::Done),
            seed_problem: self.seed_watch.problem().cloned(),
            pages: counts.pages,
            fetched: counts.fetched,
            not_html: counts.not_html,
            truncated: counts.truncated,
            redirected: counts.redirected,
            failed: counts.failed_by_group().collect(),
            skipped: counts.skipped,
            refused: RefuseReason::ALL
                .into_iter()
                .map(|reason| (reason, counts.refused[reason as usize]))
                .filter(|(_, count)| *count > 0)
                .collect(),
            links: counts.links,
            left: counts.left(),
            bytes: counts.bytes,
            retries: counts.retries,
            elapsed: now,
        }
    }

    fn left(&mut self, each: &mut dyn FnMut(&CrawlUrl)) {
        self.queued_tasks().for_each(|(_, task)| each(&task.url));
        for work in self.delayed.iter() {
            if let Work::Page(task) = work {
                each(&task.url);
            }
        }
    }
}
