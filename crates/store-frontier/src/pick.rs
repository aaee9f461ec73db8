//! Picks the work that may start: start times, robots.txt, the pace of hosts.

use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::{Moment, SiteFileTask, Work};
use crawler_model::site_rules::MAX_HOST_PAUSE;
use crawler_model::{CrawlRules, Discovery, Notice, RobotsPolicy, SitemapPolicy, SkipReason, Task};
use crawler_sitefiles::{RobotsDelay, RobotsFile, RobotsPermission};
use crawler_store::{StoredRobots, TaskOutcome};
use crawler_weburl::{CrawlUrl, Origin};

use crate::held_task::Stage;
use crate::name_queue::NameState;
use crate::places::Starts;
use crate::robots_queue::RobotsLookup;
use crate::settle_page::failed;
use crate::sitemap_reader::DueSitemap;
use crate::worker_counts::add;
use crate::{FrontierStore, StoreFrontier};

/// A task is handed back if its host asks for a longer pause: the store has the pause too.
const MAX_HOLD: Duration = Duration::from_secs(5);
/// A task that is later than this for its reserved start reserves another one: the next request, of any worker, may already
/// be under way.
const MAX_LATENESS: Duration = Duration::from_millis(15);
/// How long a task waits for a renewal that confirms its lease, or for another attempt to reserve a start.
const LEASE_CHECK_DELAY: Duration = Duration::from_millis(100);

/// How much later than its start a request may be sent, after this many starts that passed unused. Each allows more, so that a
/// slow machine does not reserve starts forever.
pub(crate) fn max_lateness(missed: u32) -> Duration {
    MAX_LATENESS * (1 << missed.min(6))
}

/// Whether a task may start.
enum Permission {
    Granted,
    /// Waiting for its site's robots.txt.
    Pending,
    Refused(TaskOutcome),
}

impl<S: FrontierStore> StoreFrontier<S> {
    /// Starts what is due: first within the shares of the owners, then with the places that are left.
    pub(crate) fn pick(&mut self, max: usize, now: Moment) -> Starts {
        let mut starts = self.starts(max, now);
        for spare in [false, true] {
            starts.spare = spare;
            self.start_addressed(&mut starts, now);
            self.start_site_files(&mut starts, now);
            let due = self.ready.range(..=(now, u64::MAX)).copied();
            for due in due.collect::<Vec<_>>() {
                let owner = self.owner_of_ticket(due.1);
                if owner.is_some_and(|(owner, _)| !starts.has_room(&owner)) {
                    continue;
                }
                self.ready.remove(&due);
                if let Some(work) = self.start(due.1, now) {
                    self.start_work(work, 0, &mut starts, now);
                }
            }
            // A task may have queued a robots.txt without a call to the store.
            self.start_site_files(&mut starts, now);
        }
        starts
    }

    fn start_site_files(&mut self, starts: &mut Starts, now: Moment) {
        let hosts = &self.hosts;
        let due = self.robots.due(now, |url| hosts.opens_at(&url.host_key()));
        for mut site_file in due {
            if starts.has_room(&self.owner_of_robots(&site_file.origin).0) {
                site_file.attempt += 1;
                let work = Work::SiteFile(SiteFileTask::Robots(site_file));
                self.start_work(work, 0, starts, now);
            } else {
                self.robots.queue_fetch(site_file, now);
            }
        }
        // A robots.txt uses the start of its page. Sitemaps are many, so they reserve starts of their own.
        for ticket in self.sitemaps.due_tickets(now).collect::<Vec<_>>() {
            let owner = self.owner_of_ticket(ticket);
            if owner.is_none_or(|(owner, _)| !starts.has_room(&owner)) {
                continue;
            }
            match self.sitemaps.due(ticket, now, &self.hosts) {
                Some(DueSitemap::File(file)) => {
                    let work = Work::SiteFile(SiteFileTask::Sitemap(file));
                    self.start_work(work, 0, starts, now);
                }
                Some(DueSitemap::Start(host)) => self.client.reserve_start(host, ticket),
                None => (),
            }
        }
    }

    /// Starts a task that is due, if nothing else prevents it.
    fn start(&mut self, ticket: u64, now: Moment) -> Option<Work> {
        let held = self.held.get_mut(&ticket)?;
        if held.stage != Stage::Waiting {
            return None;
        }
        held.awaits_host = false;
        if held.held_until <= now {
            // The process was suspended, or the store was unreachable: a renewal has to confirm the lease first.
            self.renewals.due = self.renewals.due.min(now);
            self.ready.insert((now + LEASE_CHECK_DELAY, ticket));
            return None;
        }
        let host = held.host();
        let pause = self.hosts.paused_until(&host);
        if pause > now + MAX_HOLD {
            // What is known to be refused needs no request, so it does not wait for its host.
            let outcome = self.known_refusal(ticket, now);
            self.conclude(ticket, outcome.unwrap_or(TaskOutcome::HandBack), now);
            return None;
        }
        if !self.is_resolved(ticket, now) {
            return None;
        }
        match self.permission(ticket, now) {
            Permission::Pending => return None,
            Permission::Refused(outcome) => {
                self.conclude(ticket, outcome, now);
                return None;
            }
            Permission::Granted if self.wants_sitemaps(ticket) => {
                let origin = self.held.get(&ticket)?.url.origin();
                self.queue_sitemaps(ticket, &origin, now);
                return None;
            }
            Permission::Granted if pause > now => {
                self.ready.insert((pause, ticket));
                return None;
            }
            Permission::Granted => (),
        }
        let mut task = self.held.get(&ticket)?.task(ticket);
        if let Some(outcome) = self.trap(&mut task) {
            self.conclude(ticket, outcome, now);
            return None;
        }
        if self.hosts.is_paced(&host) && !self.is_in_time(ticket, now) {
            self.held.get_mut(&ticket)?.missed += 1;
            self.client.reserve_start(host, ticket);
            return None;
        }
        Some(Work::Page(task))
    }

    /// Whether the name of a task's host is resolved. If not, the task waits for it; if it cannot be, the task ends.
    fn is_resolved(&mut self, ticket: u64, now: Moment) -> bool {
        let (Some(lookup), Some(held)) = (&self.name_lookup, self.held.get_mut(&ticket)) else {
            return true;
        };
        match self.names.look_up(&held.host(), ticket, now) {
            NameState::Resolved => return true,
            NameState::Wait { start } => {
                held.awaits_host = true;
                if start {
                    self.client.look_up(held.url.clone(), lookup);
                }
            }
            NameState::Failed(failure) => {
                let outcome = self.retried(ticket, &failure, None);
                let outcome = outcome.unwrap_or_else(|| failed(&failure, 0));
                self.conclude(ticket, outcome, now);
            }
        }
        false
    }

    /// Prepares a task of a job that refuses traps, or returns its outcome if it is one.
    fn trap(&mut self, task: &mut Task) -> Option<TaskOutcome> {
        let job = self.held.get(&task.ticket)?.claimed.job;
        let job_cache = self.jobs.get_mut(&job)?;
        if !job_cache.follows() {
            return None;
        }
        let plan = job_cache.plan.as_ref().ok()?;
        let reason = SkipReason::Trap(job_cache.filter.start(plan, task).err()?);
        Some(TaskOutcome::Skipped {
            reason: reason.as_str().to_owned(),
            detail: reason.to_string(),
        })
    }

    /// Whether a task's start has not passed and is unused.
    fn is_in_time(&self, ticket: u64, now: Moment) -> bool {
        let Some(held) = self.held.get(&ticket) else {
            return false;
        };
        let late = max_lateness(held.missed);
        let unused = self.hosts.opens_at(&held.host()) <= now + late;
        unused && held.slot.is_some_and(|slot| now <= slot + late)
    }

    /// Takes in another start for a task, or for its next sitemap.
    pub(crate) fn note_start(
        &mut self,
        ticket: u64,
        result: Option<Duration>,
        age: Duration,
        now: Moment,
    ) {
        let slot = result.map(|delay| now.saturating_sub(age) + delay);
        let retry_at = now + LEASE_CHECK_DELAY;
        add(&self.counts.store_errors, u64::from(slot.is_none()));
        if self.sitemaps.is_reading(ticket) {
            self.sitemaps.note_start(ticket, slot, retry_at);
            return;
        }
        let Some(held) = self.held.get_mut(&ticket) else {
            return;
        };
        if held.stage != Stage::Waiting {
            return;
        }
        if result.is_some_and(|delay| delay > MAX_HOLD) {
            self.conclude(ticket, TaskOutcome::HandBack, now);
            return;
        }
        held.slot = slot;
        self.ready.insert((slot.unwrap_or(retry_at), ticket));
    }

    /// Whether a task is a seed with sitemaps to read first.
    fn wants_sitemaps(&self, ticket: u64) -> bool {
        let plan = self.plan_of(ticket);
        let enabled = plan.is_some_and(|plan| plan.sitemaps != SitemapPolicy::Skip);
        enabled
            && self.held.get(&ticket).is_some_and(|held| {
                held.claimed.depth == 0
                    && held.claimed.found != Discovery::Sitemap
                    && held.listed.is_none()
            })
    }

    /// Whether robots.txt permits a task.
    fn permission(&mut self, ticket: u64, now: Moment) -> Permission {
        let Some((url, plan)) = self.obedient(ticket) else {
            return Permission::Granted;
        };
        let origin = url.origin();
        match self.robots.lookup(&origin, ticket, now) {
            RobotsLookup::Wait { query_store } => {
                if query_store {
                    self.client.robots(origin);
                }
                if let Some(held) = self.held.get_mut(&ticket) {
                    held.awaits_host = true;
                }
                Permission::Pending
            }
            RobotsLookup::Known(file) => match refusal(file, &url, &plan) {
                Some(outcome) => Permission::Refused(outcome),
                None => Permission::Granted,
            },
        }
    }

    /// The outcome of a task that a known robots.txt does not permit.
    fn known_refusal(&self, ticket: u64, now: Moment) -> Option<TaskOutcome> {
        let (url, plan) = self.obedient(ticket)?;
        let file = self.robots.known(&url.origin(), now)?;
        refusal(file, &url, &plan)
    }

    /// The URL and plan of a task whose job obeys robots.txt.
    fn obedient(&self, ticket: u64) -> Option<(CrawlUrl, Arc<CrawlRules>)> {
        let plan = self.plan_of(ticket)?;
        let url = &self.held.get(&ticket)?.url;
        (plan.robots == RobotsPolicy::Respect).then(|| (url.clone(), Arc::clone(plan)))
    }

    /// Takes in a stored robots.txt.
    pub(crate) fn note_robots(
        &mut self,
        origin: &Origin,
        stored: Option<StoredRobots>,
        now: Moment,
    ) {
        let agent = &self.site_file_plan.fetch.user_agent;
        let lifetime = self.site_file_plan.robots_lifetime;
        let waiting = self.robots.use_stored(origin, stored, agent, lifetime, now);
        self.apply_robots(origin, waiting, now);
    }

    /// Applies the crawl-delay of a robots.txt and continues the pages that wait for it.
    pub(crate) fn apply_robots(
        &mut self,
        origin: &Origin,
        waiting: Vec<u64>,
        now: Moment,
    ) -> Option<Notice> {
        self.ready
            .extend(waiting.into_iter().map(|ticket| (now, ticket)));
        let file = self.robots.known(origin, now)?;
        let policy = self.site_file_plan.crawl_delay;
        let RobotsDelay::Wait(pause) = file.delay(policy, MAX_HOST_PAUSE) else {
            return None;
        };
        let host = CrawlUrl::from_normalized(&format!("{origin}/"))?.host_key();
        self.hosts.slow(&host, pause, now);
        self.client.slow_host(host, pause);
        let origin = origin.to_string();
        Some(Notice::CrawlDelay { origin, pause })
    }
}

/// The outcome of a URL that a robots.txt does not permit.
fn refusal(file: &RobotsFile, url: &CrawlUrl, plan: &CrawlRules) -> Option<TaskOutcome> {
    let path = url.parts().path_and_query();
    match file.permission(path, plan.robots_errors, plan.crawl_delay, MAX_HOST_PAUSE) {
        RobotsPermission::Allowed => None,
        RobotsPermission::Skip(reason) => Some(TaskOutcome::Skipped {
            reason: reason.as_str().to_owned(),
            detail: reason.to_string(),
        }),
        RobotsPermission::Fail(failure) => Some(failed(&failure, 0)),
        RobotsPermission::TooSlow(delay) => Some(failed(&RobotsDelay::failure(delay), 0)),
    }
}
