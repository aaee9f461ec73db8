//! Picks the work that may start now.
//!
//! Limits and robots.txt are checked here, at dispatch: a disallowed URL is settled as skipped, a limit leaves
//! the rest in the queue, counted as left.

use crawler_model::{Outcome, PageReport, RefuseReason, SeedProblem, SkipReason, StopReason, Task};
use crawler_sitefiles::{RobotsDelay, RobotsPermission};

use crate::frontier::{Delivery, Dispatch, Moment, Next, Work};
use crate::host_ledger::HostLedger;
use crate::memory_frontier::MemoryFrontier;
use crate::site::was_started;
use crate::site_file_task::SiteFileTask;

/// Sitemaps may be large: few are held in memory at once.
const MAX_SITEMAPS_OUT: u64 = 2;
/// Limit on the URLs settled without a request in one dispatch, so that it stays short.
const MAX_SETTLED_UNREQUESTED: usize = 256;

/// The first level of a queue: of the seed, and of a few pages that show whether there is a trap.
pub(crate) const FIRST_LEVEL: u32 = 0;

impl MemoryFrontier {
    pub(crate) fn pick(&mut self, max: usize, now: Moment, out: &mut Vec<Delivery>) -> Dispatch {
        self.check_limits(now);
        if self.stopped.is_some() {
            return Dispatch {
                work: Vec::new(),
                next: self.next_when_stopped(),
            };
        }
        self.wake_delayed(now);
        let mut work = Vec::new();
        let max_out = out.len() + MAX_SETTLED_UNREQUESTED;
        while work.len() < max && out.len() < max_out {
            if self.next_start > now {
                break;
            }
            let Some(picked) = self
                .pick_site_file(now)
                .or_else(|| self.pick_page(now, max_out, out))
            else {
                break;
            };
            self.next_start = now + self.plan.min_interval;
            work.push(picked);
        }
        let next = if out.len() >= max_out {
            Next::Until(now)
        } else {
            self.next(now, work.len() >= max)
        };
        Dispatch { work, next }
    }

    fn check_limits(&mut self, now: Moment) {
        if self.stopped.is_some() {
            return;
        }
        if self.plan.limits.duration.is_some_and(|max| now >= max) {
            self.stopped = Some(StopReason::MaxDuration);
        } else if self
            .plan
            .limits
            .bytes
            .is_some_and(|max| self.counts.bytes >= max)
        {
            self.stopped = Some(StopReason::MaxBytes);
        }
    }

    fn next_when_stopped(&self) -> Next {
        match &self.stopped {
            Some(reason) if self.counts.in_flight == 0 && self.site_files_out == 0 => {
                Next::Finished(reason.clone())
            }
            _ => Next::Report,
        }
    }

    /// Moves retries that are due to the front of their queues.
    fn wake_delayed(&mut self, now: Moment) {
        while let Some(work) = self.delayed.pop_due(now) {
            match work {
                Work::Page(task) => {
                    self.counts.delayed -= 1;
                    self.requeue(task);
                }
                Work::SiteFile(site_file) => {
                    if matches!(site_file, SiteFileTask::Sitemap(_)) {
                        self.levels.add(0);
                    }
                    self.site_files.push_front(site_file);
                }
            }
        }
    }

    /// Puts a task that was started before back into the queue, where it goes first.
    pub(crate) fn requeue(&mut self, task: Task) {
        self.counts.queued += 1;
        self.push(task);
    }

    /// The queue's order: by depth if depth is limited, else first come, first served.
    pub(crate) fn level_of(&self, task: &Task) -> u32 {
        if self.plan.limits.depth.is_some() {
            task.depth
        } else {
            FIRST_LEVEL + 1
        }
    }

    /// Puts a task that waited at a gate back into its site's queue.
    fn requeue_at_site(&mut self, site: usize, task: Task) {
        let level = self.level_of(&task);
        self.sites[site].push(level, task);
    }

    fn pick_site_file(&mut self, now: Moment) -> Option<Work> {
        for at in 0..self.site_files.len() {
            let is_sitemap = matches!(self.site_files[at], SiteFileTask::Sitemap(_));
            if is_sitemap && self.sitemaps_out >= MAX_SITEMAPS_OUT {
                continue;
            }
            let url = self.site_files[at].url().clone();
            let host = self.host_for(url.parts());
            if !self.hosts[host].is_open(now) {
                continue;
            }
            let mut site_file = self.site_files.remove(at)?;
            match &mut site_file {
                SiteFileTask::Robots(site_file) => site_file.attempt += 1,
                SiteFileTask::Sitemap(site_file) => site_file.attempt += 1,
            }
            self.hosts[host].start(now);
            self.site_files_out += 1;
            self.sitemaps_out += u64::from(is_sitemap);
            return Some(Work::SiteFile(site_file));
        }
        None
    }

    fn pick_page(&mut self, now: Moment, max_out: usize, out: &mut Vec<Delivery>) -> Option<Work> {
        let fresh = self.has_page_budget();
        let lowest = self.lowest_level();
        let (hosts, sites) = (&self.hosts, &self.sites);
        let plan = &self.plan;
        let gated = self.gates.pop_open(now, |site, task| {
            (hosts[sites[site].host].is_open(now) || sites[site].blocks_all(plan))
                && !sites[site].awaits_robots()
                && (fresh || was_started(task))
                && lowest.is_none_or(|lowest| task.depth <= lowest)
        });
        if let Some((site, task)) = gated {
            if self.must_fetch_robots(site, now) {
                self.requeue_at_site(site, task);
                self.queue_robots(site);
                return self.pick_site_file(now);
            }
            if let Some(work) = self.begin(site, task, now, out) {
                return Some(work);
            }
        }
        let mut tries = self.listed.len();
        while tries > 0 && out.len() < max_out {
            let site = self.listed.pop_front()?;
            if self.sites[site].is_empty() {
                self.sites[site].listed = false;
                tries -= 1;
                continue;
            }
            // Round robin: the next pick begins with the next site.
            self.listed.push_back(site);
            if let Some(work) = self.pick_from(site, lowest, fresh, now, max_out, out) {
                return Some(work);
            }
            tries -= 1;
        }
        None
    }

    /// The first of a site's tasks that may start.
    fn pick_from(
        &mut self,
        site: usize,
        lowest: Option<u32>,
        fresh: bool,
        now: Moment,
        max_out: usize,
        out: &mut Vec<Delivery>,
    ) -> Option<Work> {
        while out.len() < max_out
            && (self.hosts[self.sites[site].host].is_open(now)
                || self.sites[site].blocks_all(&self.plan))
            && self.sites[site].may_start(lowest, fresh)
        {
            if self.must_fetch_robots(site, now) {
                self.queue_robots(site);
                return self.pick_site_file(now);
            }
            let task = self.sites[site].pop(lowest, fresh)?;
            if let Some(gate) = self.gates.of(task.url.parts().path())
                && !self.gates.is_open(gate, site, now)
            {
                if !self.is_stale(&task) {
                    self.gates.wait(gate, site, task);
                }
                continue;
            }
            if let Some(work) = self.begin(site, task, now, out) {
                return Some(work);
            }
        }
        None
    }

    /// Whether a site's robots.txt has to be fetched before its next page.
    fn must_fetch_robots(&self, site: usize, now: Moment) -> bool {
        let site = &self.sites[site];
        site.needs_robots(self.robots_time(now)) && self.hosts[site.host].parked().is_none()
    }

    /// The depth that may start, when depth is limited. When the maximum number of pages is reached, queued pages will
    /// never start and hold back nothing.
    fn lowest_level(&mut self) -> Option<u32> {
        if self.plan.limits.depth.is_none() || !self.has_page_budget() {
            return None;
        }
        self.levels.lowest()
    }

    fn has_page_budget(&self) -> bool {
        let used = self.counts.pages + self.counts.started;
        self.plan.limits.pages.is_none_or(|max| used < max)
    }

    /// Hands a task out, or settles it without a request.
    fn begin(
        &mut self,
        site: usize,
        mut task: Task,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Option<Work> {
        if self.is_stale(&task) {
            return None;
        }
        self.counts.queued -= 1;
        self.queued_depths
            .clear(self.plan.keys.key(task.url.parts()));
        let started_before = was_started(&task);
        let permission = self.sites[site].permission(&task, &self.plan);
        let trap = self.trap_refusal(&task);
        let outcome = match (permission, trap) {
            (RobotsPermission::Allowed, Some(reason)) => Outcome::Skipped(SkipReason::Trap(reason)),
            (RobotsPermission::Allowed, None) => {
                task.wants_text = self.plan.traps && self.traps.wants_text(&task, &self.plan.keys);
                self.counts.in_flight += 1;
                self.counts.started += u64::from(!started_before);
                self.counts.retries += u64::from(task.attempt > 0);
                task.attempt += 1;
                self.hosts[self.sites[site].host].start(now);
                if let Some(gate) = self.gates.of(task.url.parts().path()) {
                    self.gates.start(gate, now);
                }
                return Some(Work::Page(task));
            }
            (RobotsPermission::Skip(reason), _) => Outcome::Skipped(reason),
            (RobotsPermission::Fail(failure), _) => Outcome::Failed(failure),
            // The host is parked, so this is not reached.
            (RobotsPermission::TooSlow(delay), _) => Outcome::Failed(RobotsDelay::failure(delay)),
        };
        if self.hosts[self.sites[site].host].parked().is_none() {
            self.levels.remove(task.depth);
        }
        self.counts.started -= u64::from(started_before);
        let report = PageReport::new(task, outcome);
        self.counts.finish(&report);
        if self
            .seed_watch
            .is_seed(self.plan.keys.key(report.url.parts()))
        {
            self.seed_watch.note(&report, None, None, false);
        }
        out.push(Delivery::Page(Box::new(report)));
        None
    }

    /// Why a task that was never started is refused by what was learned about its place since it was admitted.
    fn trap_refusal(&mut self, task: &Task) -> Option<RefuseReason> {
        if !self.plan.traps || was_started(task) {
            return None;
        }
        self.traps
            .refusal_at_start(task, &self.plan.keys, &self.seen)
    }

    /// What to wait for when nothing more may start now.
    fn next(&mut self, now: Moment, no_free_worker: bool) -> Next {
        if self.is_full() {
            self.stopped = Some(StopReason::MaxPages);
            return Next::Finished(StopReason::MaxPages);
        }
        let busy = self.counts.in_flight > 0 || self.site_files_out > 0;
        if no_free_worker && busy {
            return self.until(None);
        }
        let opens = self.next_opening(now);
        if busy || opens.is_some() {
            return self.until(opens);
        }
        let reason = self.reason_to_end();
        if let (StopReason::HostParked { message, .. }, false) =
            (&reason, self.seed_watch.is_settled())
        {
            let (url, message) = (self.seed.to_string(), format!("the host {message}"));
            self.seed_watch.set(SeedProblem::Failed { url, message });
        }
        self.stopped = Some(reason.clone());
        Next::Finished(reason)
    }

    /// The maximum number of pages is reached, all of them are reported, and more are known: a robots.txt that is
    /// still being fetched changes nothing. (A sitemap does: it names URLs, and those are counted as left.)
    fn is_full(&self) -> bool {
        !self.has_page_budget()
            && self.counts.started == 0
            && self.counts.queued > 0
            && self.sitemaps_pending == 0
    }

    /// Waits until `opens` or the crawl's deadline, whichever is sooner.
    fn until(&self, opens: Option<Moment>) -> Next {
        match (opens, self.plan.limits.duration) {
            (Some(opens), Some(deadline)) => Next::Until(opens.min(deadline)),
            (Some(at), None) | (None, Some(at)) => Next::Until(at),
            (None, None) => Next::Report,
        }
    }

    /// The soonest time at which something queued or delayed may start.
    fn next_opening(&mut self, now: Moment) -> Option<Moment> {
        let lowest = self.lowest_level();
        let fresh = self.has_page_budget();
        let mut soonest = self.delayed.next_due();
        let mut consider = |opens: Moment| {
            soonest = Some(soonest.map_or(opens, |other| other.min(opens)));
        };
        for index in &self.listed {
            let site = &self.sites[*index];
            let opens = if site.blocks_all(&self.plan) {
                Some(now)
            } else {
                self.hosts[site.host].opens_at()
            };
            if let (true, Some(opens)) = (site.may_start(lowest, fresh), opens) {
                consider(opens.max(self.next_start).max(now));
            }
        }
        for (site, task, opens) in self.gates.openings() {
            let blocked = !(fresh || was_started(task))
                || lowest.is_some_and(|lowest| task.depth > lowest)
                || self.sites[site].awaits_robots();
            let host_opens = if self.sites[site].blocks_all(&self.plan) {
                Some(now)
            } else {
                self.hosts[self.sites[site].host].opens_at()
            };
            if let (false, Some(host_opens)) = (blocked, host_opens) {
                consider(opens.max(host_opens).max(self.next_start).max(now));
            }
        }
        for site_file in &self.site_files {
            if matches!(site_file, SiteFileTask::Sitemap(_))
                && self.sitemaps_out >= MAX_SITEMAPS_OUT
            {
                continue;
            }
            let host = site_file.url().parts().host();
            let host = self.hosts.iter().find(|known| known.host.as_str() == host);
            if let Some(opens) = host.map_or(Some(now), HostLedger::opens_at) {
                consider(opens.max(self.next_start).max(now));
            }
        }
        soonest
    }

    fn reason_to_end(&self) -> StopReason {
        let waiting =
            self.counts.queued > 0 || self.counts.delayed > 0 || !self.site_files.is_empty();
        if !waiting {
            return StopReason::Done;
        }
        if !self.has_page_budget() {
            return StopReason::MaxPages;
        }
        self.hosts
            .iter()
            .find_map(|host| {
                host.parked().map(|message| StopReason::HostParked {
                    host: host.host.to_string(),
                    message: message.to_owned(),
                })
            })
            .unwrap_or(StopReason::Done)
    }
}
