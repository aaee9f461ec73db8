//! The way out to workers: what may start now.
//!
//! Limits and robots are asked here, at dispatch: a disallowed URL is settled as skipped, a limit leaves
//! the rest in the queue, counted as left.

use model::{Outcome, PageReport, StopReason, Task};

use crate::errand::Errand;
use crate::frontier::{Delivery, Moment, Next, Turn, Work};
use crate::host_ledger::HostLedger;
use crate::memory_frontier::MemoryFrontier;
use crate::seed_watch::SeedWatch;
use crate::site::{Permission, RobotsState};

/// Sitemaps may be large: few are held in memory at once.
const MOST_SITEMAPS_OUT: u64 = 2;
/// Most URLs settled without a request in one turn, so that a turn stays short.
const MOST_UNASKED: usize = 256;

/// Whether a task was with a worker before: then it has its place in `--max-pages` already.
fn was_begun(task: &Task) -> bool {
    task.attempt > 0 || task.first_met.is_some()
}

impl MemoryFrontier {
    pub(crate) fn pick(&mut self, most: usize, now: Moment, out: &mut Vec<Delivery>) -> Turn {
        self.check_limits(now);
        if self.stopped.is_some() {
            return Turn {
                work: Vec::new(),
                next: self.next_when_stopped(),
            };
        }
        self.wake_delayed(now);
        let mut work = Vec::new();
        let most_out = out.len() + MOST_UNASKED;
        while work.len() < most && out.len() < most_out {
            if self.next_start > now {
                break;
            }
            let Some(picked) = self
                .pick_errand(now)
                .or_else(|| self.pick_page(now, most_out, out))
            else {
                break;
            };
            self.next_start = now + self.plan.rate;
            work.push(picked);
        }
        let next = if out.len() >= most_out {
            Next::Until(now)
        } else {
            self.next(now, work.len() >= most)
        };
        Turn { work, next }
    }

    fn check_limits(&mut self, now: Moment) {
        if self.stopped.is_some() {
            return;
        }
        if self.plan.limits.duration.is_some_and(|most| now >= most) {
            self.stopped = Some(StopReason::MaxDuration);
        } else if self
            .plan
            .limits
            .bytes
            .is_some_and(|most| self.counts.bytes >= most)
        {
            self.stopped = Some(StopReason::MaxBytes);
        }
    }

    fn next_when_stopped(&self) -> Next {
        match &self.stopped {
            Some(reason) if self.counts.in_flight == 0 && self.errands_out == 0 => {
                Next::Finished(reason.clone())
            }
            _ => Next::Report,
        }
    }

    /// Retries that are due go to the front of their queues.
    fn wake_delayed(&mut self, now: Moment) {
        while let Some(work) = self.delayed.pop_due(now) {
            match work {
                Work::Page(task) => {
                    self.counts.delayed -= 1;
                    self.requeue(task);
                }
                Work::Errand(errand) => {
                    self.errands_waiting -= 1;
                    if matches!(errand, Errand::Sitemap(_)) {
                        self.levels.add(0);
                    }
                    self.errands.push_front(errand);
                }
            }
        }
    }

    /// Puts a task that was begun before back to the front.
    pub(crate) fn requeue(&mut self, task: Task) {
        self.counts.queued += 1;
        self.queued_depths
            .set(self.plan.keys.key(task.url.parts()), task.depth);
        let site = self.site_for(task.url.parts());
        if self.hosts[self.sites[site].host].parked().is_none() {
            self.levels.add(task.depth);
        }
        let level = self.level_of(&task);
        self.sites[site].push_front(level, task);
    }

    fn pick_errand(&mut self, now: Moment) -> Option<Work> {
        for at in 0..self.errands.len() {
            let is_sitemap = matches!(self.errands[at], Errand::Sitemap(_));
            if is_sitemap && self.sitemaps_out >= MOST_SITEMAPS_OUT {
                continue;
            }
            let url = self.errands[at].url().clone();
            let host = self.host_for(url.parts());
            if !self.hosts[host].is_open(now) {
                continue;
            }
            let mut errand = self.errands.remove(at)?;
            match &mut errand {
                Errand::Robots(errand) => errand.attempt += 1,
                Errand::Sitemap(errand) => errand.attempt += 1,
            }
            self.hosts[host].start(now);
            self.errands_out += 1;
            self.sitemaps_out += u64::from(is_sitemap);
            return Some(Work::Errand(errand));
        }
        None
    }

    fn pick_page(&mut self, now: Moment, most_out: usize, out: &mut Vec<Delivery>) -> Option<Work> {
        let (hosts, sites) = (&self.hosts, &self.sites);
        let has_budget = self.has_page_budget();
        let gated = self.gates.pop_open(now, |site, task| {
            hosts[sites[site].host].is_open(now) && (has_budget || was_begun(task))
        });
        if let Some((site, task)) = gated
            && let Some(work) = self.begin(site, task, now, out)
        {
            return Some(work);
        }
        let lowest = self.lowest_level();
        let mut tried = 0;
        while tried < self.sites.len() && out.len() < most_out {
            let site = (self.turn_of + tried) % self.sites.len();
            if !self.may_start(site, lowest, now) {
                tried += 1;
                continue;
            }
            if matches!(self.sites[site].robots, RobotsState::Unknown) {
                self.ask_robots(site);
                return self.pick_errand(now);
            }
            let Some(task) = self.sites[site].pop() else {
                continue;
            };
            if let Some(gate) = self.gates.of(task.url.parts().path())
                && !self.gates.is_open(gate, now)
            {
                self.gates.wait(gate, site, task);
                continue;
            }
            if let Some(work) = self.begin(site, task, now, out) {
                self.turn_of = site + 1;
                return Some(work);
            }
        }
        None
    }

    /// The depth that may start, when depth is limited.
    fn lowest_level(&mut self) -> Option<u32> {
        self.plan.limits.depth.and_then(|_| self.levels.lowest())
    }

    fn may_start(&self, site: usize, lowest: Option<u32>, now: Moment) -> bool {
        let site = &self.sites[site];
        if matches!(site.robots, RobotsState::Asked) || !self.hosts[site.host].is_open(now) {
            return false;
        }
        let Some((level, task)) = site.peek() else {
            return false;
        };
        if lowest.is_some_and(|lowest| level > lowest) {
            return false;
        }
        // What was begun before has its place already.
        was_begun(task) || self.has_page_budget()
    }

    fn has_page_budget(&self) -> bool {
        let used = self.counts.pages + self.counts.begun;
        self.plan.limits.pages.is_none_or(|most| used < most)
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
        let began_before = was_begun(&task);
        let permission = match self.plan.robots {
            model::RobotsPolicy::Respect => {
                self.sites[site].permission(task.url.parts().path_and_query())
            }
            model::RobotsPolicy::Ignore => Permission::Granted,
        };
        let outcome = match permission {
            Permission::Granted => {
                self.counts.in_flight += 1;
                self.counts.begun += u64::from(!began_before);
                self.counts.retries += u64::from(task.attempt > 0);
                task.attempt += 1;
                self.hosts[self.sites[site].host].start(now);
                if let Some(gate) = self.gates.of(task.url.parts().path()) {
                    self.gates.start(gate, now);
                }
                return Some(Work::Page(task));
            }
            Permission::Skip(reason) => Outcome::Skipped(reason),
            Permission::Fail(failure) => Outcome::Failed(failure),
        };
        self.levels.remove(task.depth, 1);
        self.counts.begun -= u64::from(began_before);
        let report = PageReport::new(task, outcome);
        self.counts.finish(&report);
        if SeedWatch::is_seed(&report) {
            self.seed_watch.note(&report, None);
        }
        out.push(Delivery::Page(Box::new(report)));
        None
    }

    /// What to wait for when nothing more may start now.
    fn next(&mut self, now: Moment, more_wanted_workers: bool) -> Next {
        let busy = self.counts.in_flight > 0 || self.errands_out > 0;
        if more_wanted_workers && busy {
            return self.until(None);
        }
        let opens = self.next_opening(now);
        if busy || opens.is_some() {
            return self.until(opens);
        }
        let reason = self.reason_to_end();
        self.stopped = Some(reason.clone());
        Next::Finished(reason)
    }

    /// Waits until then, or until the crawl's own deadline.
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
        let mut soonest = self.delayed.next_due();
        let mut consider = |opens: Moment| {
            soonest = Some(soonest.map_or(opens, |other| other.min(opens)));
        };
        for site in &self.sites {
            let Some((level, task)) = site.peek() else {
                continue;
            };
            let held = lowest.is_some_and(|lowest| level > lowest)
                || matches!(site.robots, RobotsState::Asked)
                || !(was_begun(task) || self.has_page_budget());
            if let (false, Some(opens)) = (held, self.hosts[site.host].opens_at()) {
                consider(opens.max(self.next_start).max(now));
            }
        }
        for (site, task, opens) in self.gates.openings() {
            if !was_begun(task) && !self.has_page_budget() {
                continue;
            }
            if let Some(host_opens) = self.hosts[self.sites[site].host].opens_at() {
                consider(opens.max(host_opens).max(self.next_start).max(now));
            }
        }
        for errand in &self.errands {
            if matches!(errand, Errand::Sitemap(_)) && self.sitemaps_out >= MOST_SITEMAPS_OUT {
                continue;
            }
            let host = errand.url().parts().host();
            let host = self.hosts.iter().find(|known| known.host.as_str() == host);
            if let Some(opens) = host.map_or(Some(now), HostLedger::opens_at) {
                consider(opens.max(self.next_start).max(now));
            }
        }
        soonest
    }

    fn reason_to_end(&self) -> StopReason {
        let waiting = self.counts.queued > 0 || self.counts.delayed > 0 || !self.errands.is_empty();
        if !waiting {
            return StopReason::Done;
        }
        if !self.has_page_budget() {
            return StopReason::MaxPages;
        }
        self.hosts
            .iter()
            .find_map(|host| {
                host.parked().map(|words| StopReason::HostParked {
                    host: host.host.to_string(),
                    words: words.to_owned(),
                })
            })
            .unwrap_or(StopReason::Done)
    }
}
