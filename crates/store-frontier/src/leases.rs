//! Claiming tasks, renewing leases, taking in settlements, and housekeeping.

use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::Moment;
use crawler_model::FailKind;
use crawler_store::{Claimed, Lease, Rescued, Settled, Settlement, StoreError, TaskOutcome};
use crawler_weburl::{CrawlUrl, UrlRef};

use crate::held_task::{HeldTask, Stage};
use crate::job_cache::{JobCache, PlannedJob};
use crate::settlement_queue::{FailedBatch, RESCUE_DELAY, store_backoff};
use crate::worker_counts::add;
use crate::{FrontierStore, StoreFrontier};

/// Maximum number of jobs and of their links; above it, jobs without held tasks are dropped.
const MAX_JOBS: usize = 512;
const MAX_LINKS: usize = 4_000_000;
/// Maximum memory of the patterns of jobs; above it, jobs without held tasks are dropped.
const MAX_PATTERN_MEMORY: usize = 64 << 20;
/// A rescue that starts this much later than it is due is postponed once.
const MAX_DELAY: Duration = Duration::from_secs(2);

impl<S: FrontierStore> StoreFrontier<S> {
    pub(crate) fn claim_more(&mut self, now: Moment) {
        if self.claims.running || now < self.claims.due {
            return;
        }
        let Some((room, _)) = self.claim_room().filter(|(_, due)| *due <= now) else {
            return;
        };
        self.claims.running = true;
        self.claims.sent_at = now;
        let known = self.jobs.keys().copied().collect();
        let planner = Arc::clone(&self.planner);
        self.client.claim(room, self.settings.lease, known, planner);
    }

    /// Makes the next claim due soon, because tasks may have become claimable.
    fn claim_soon(&mut self) {
        self.empty_claims = 0;
        if self.claims.failures == 0 {
            let soon = self.claims.sent_at + self.settings.min_poll;
            self.claims.due = self.claims.due.min(soon);
        }
    }

    pub(crate) fn note_claim(
        &mut self,
        requested: usize,
        result: Result<(Vec<Claimed>, Vec<PlannedJob>), StoreError>,
        age: Duration,
        now: Moment,
    ) {
        self.claims.running = false;
        let Ok((tasks, jobs)) = result else {
            self.note_store_error(self.claims.sent_at, now);
            self.claims.failures += 1;
            self.claims.due = now + store_backoff(self.claims.failures, &mut self.rng);
            return;
        };
        self.claims.failures = 0;
        self.empty_claims = if tasks.is_empty() {
            self.empty_claims + 1
        } else {
            0
        };
        let min_wait = self.settings.min_poll;
        let wait = if tasks.len() >= requested {
            min_wait
        } else {
            let factor = 1_u32 << self.empty_claims.min(10);
            min_wait
                .saturating_mul(factor)
                .min(self.settings.max_poll)
                .mul_f64(0.5 + self.rng.fraction() / 2.0)
                .max(min_wait)
        };
        self.claims.due = now + wait;
        self.remember(jobs);
        add(&self.counts.claimed, tasks.len() as u64);
        for task in tasks {
            self.hold(task, age, now);
        }
    }

    fn remember(&mut self, jobs: Vec<PlannedJob>) {
        let too_many = self.jobs.len() + jobs.len() > MAX_JOBS;
        let links = || self.jobs.values().map(|job_cache| job_cache.filter.len());
        let memory = || self.jobs.values().map(JobCache::pattern_memory);
        if too_many
            || !jobs.is_empty()
                && (links().sum::<usize>() > MAX_LINKS
                    || memory().sum::<usize>() > MAX_PATTERN_MEMORY)
        {
            self.jobs.retain(|_, job_cache| job_cache.held > 0);
        }
        for job in jobs {
            let id = job.id;
            self.jobs.entry(id).or_insert_with(|| JobCache::new(job));
        }
    }

    fn hold(&mut self, claimed: Claimed, age: Duration, now: Moment) {
        let (lease, job) = (claimed.lease, claimed.job);
        let slot = now.saturating_sub(age + claimed.age) + claimed.delay;
        // The lease began after the claim was sent.
        let held_until = self.claims.sent_at + self.settings.lease;
        let mut settle_unheld = |outcome| {
            let settlement = Settlement {
                lease,
                job,
                outcome,
                browser_time: Duration::ZERO,
                found: Vec::new(),
                refused: Vec::new(),
            };
            self.settlements.push(settlement, now);
        };
        let Some(job_cache) = self.jobs.get_mut(&job) else {
            // The job could not be read; it can be later.
            return settle_unheld(TaskOutcome::HandBack);
        };
        let url = match (CrawlUrl::parse(&claimed.url), &job_cache.plan) {
            (Ok(url), Ok(_)) => Ok(url),
            (Err(error), _) => Err(error.to_string()),
            (_, Err(message)) => Err(format!(
                "the parameters of the job are not valid: {message}"
            )),
        };
        let url = match url {
            Ok(url) => url,
            Err(error) => {
                return settle_unheld(TaskOutcome::Failed {
                    kind: FailKind::Internal,
                    error,
                    bytes: 0,
                });
            }
        };
        job_cache.held += 1;
        self.last_ticket += 1;
        let ticket = self.last_ticket;
        self.tickets.insert(lease, ticket);
        self.held
            .insert(ticket, HeldTask::new(claimed, url, slot, held_until));
        self.ready.insert((slot, ticket));
    }

    pub(crate) fn renew_leases(&mut self, now: Moment) {
        if self.renewals.running || now < self.renewals.due {
            return;
        }
        self.renewals.due = now + self.settings.heartbeat;
        if self.held.is_empty() {
            return;
        }
        self.renewals.running = true;
        let leases = self.held.values().filter(|held| !held.lost);
        let leases = leases.map(|held| held.claimed.lease).collect();
        self.last_renewed = self.last_ticket;
        self.client.renew(leases, self.settings.lease, now);
    }

    pub(crate) fn note_renewal(
        &mut self,
        sent_at: Moment,
        result: Result<Vec<Lease>, StoreError>,
        now: Moment,
    ) {
        self.renewals.running = false;
        let Ok(lost) = result else {
            self.note_store_error(sent_at, now);
            self.renewals.failures += 1;
            let wait = store_backoff(self.renewals.failures, &mut self.rng);
            self.renewals.due = self.renewals.due.min(now + wait);
            return;
        };
        self.renewals.failures = 0;
        for lease in lost {
            let Some(ticket) = self.tickets.get(&lease).copied() else {
                continue;
            };
            let Some(held) = self.held.get_mut(&ticket) else {
                continue;
            };
            match held.stage {
                Stage::Waiting => self.lose(ticket),
                Stage::InFlight => held.lost = true,
                // Written in the meantime, or reported by the settlement's own response.
                Stage::Settling => (),
            }
        }
        let held_until = sent_at + self.settings.lease;
        let renewed = self.last_renewed;
        let held = self.held.iter_mut();
        for (_, held) in held.filter(|(ticket, held)| **ticket <= renewed && !held.lost) {
            held.held_until = held.held_until.max(held_until);
        }
    }

    pub(crate) fn note_settlement(
        &mut self,
        batch: Vec<Settlement>,
        result: Result<Settled, StoreError>,
        now: Moment,
    ) {
        let settled = match result {
            Ok(settled) => settled,
            Err(error) => {
                add(&self.counts.store_errors, 1);
                let rng = &mut self.rng;
                match self.settlements.failed(batch, &error, now, rng) {
                    FailedBatch::Requeued => (),
                    FailedBatch::Replaced(settlement) => self.drop_result(&settlement, &error),
                    FailedBatch::Rejected(settlement) => {
                        self.drop_result(&settlement, &error);
                        self.release_lease(&settlement.lease);
                    }
                }
                return;
            }
        };
        self.settlements.written(&batch);
        for mut settlement in batch {
            if settled.loops.contains(&settlement.lease) {
                settlement = settlement.into_redirect_loop();
            }
            if settled.lost.contains(&settlement.lease) {
                add(&self.counts.lost, 1);
                let (job, task) = (settlement.job, settlement.lease.task.0);
                if self.may_have_expired(&settlement.lease, now) {
                    tracing::warn!(job_id = %job, task_id = task, "lease lost, result dropped");
                } else {
                    // What its owner, or a limit, has asked for.
                    tracing::debug!(job_id = %job, task_id = task, "job cancelled or ended, result dropped");
                }
                self.forget_links(&settlement);
            } else {
                self.count(&settlement);
                self.remember_links(&settlement);
            }
            self.release_lease(&settlement.lease);
        }
        self.claim_soon();
    }

    /// Whether a lease may have run out. Before that, only the end of its job takes it away.
    fn may_have_expired(&self, lease: &Lease, now: Moment) -> bool {
        let mut held = self.held.values();
        let held = held.find(|held| held.claimed.lease == *lease);
        held.is_none_or(|held| held.held_until <= now)
    }

    /// Drops a result that the store refuses for good.
    fn drop_result(&mut self, settlement: &Settlement, error: &StoreError) {
        add(&self.counts.dropped, 1);
        let (job, task) = (settlement.job, settlement.lease.task.0);
        tracing::error!(job_id = %job, task_id = task, %error, "result refused by the store");
        self.forget_links(settlement);
    }

    /// Forgets a job's known links, because these did not reach the store.
    fn forget_links(&mut self, settlement: &Settlement) {
        if let Some(job_cache) = self.jobs.get_mut(&settlement.job)
            && !(settlement.found.is_empty() && settlement.refused.is_empty())
        {
            job_cache.filter.forget();
        }
    }

    fn release_lease(&mut self, lease: &Lease) {
        if let Some(ticket) = self.tickets.get(lease).copied() {
            self.release(ticket);
        }
    }

    fn count(&self, settlement: &Settlement) {
        let (counter, result) = match &settlement.outcome {
            TaskOutcome::Done { .. } => (&self.counts.done, "done"),
            TaskOutcome::Failed { .. } => (&self.counts.failed, "failed"),
            TaskOutcome::Skipped { .. } => (&self.counts.skipped, "skipped"),
            TaskOutcome::Retry { .. } => (&self.counts.retried, "retried"),
            TaskOutcome::Postponed { .. } => (&self.counts.handed_back, "postponed"),
            TaskOutcome::HandBack => (&self.counts.handed_back, "handed_back"),
        };
        add(counter, 1);
        let kind = self.jobs.get(&settlement.job);
        let kind = kind.map_or("unknown", |job_cache| job_cache.kind.as_str());
        metrics::counter!("crawler_worker_tasks_total", "type" => kind, "result" => result)
            .increment(1);
        let (job, task) = (settlement.job, settlement.lease.task.0);
        let (error, reason) = settlement.outcome.message();
        match &settlement.outcome {
            TaskOutcome::Failed { .. }
            | TaskOutcome::Retry { .. }
            | TaskOutcome::Postponed { .. } => {
                tracing::info!(job_id = %job, task_id = task, result, reason, error, "task settled");
            }
            _ => tracing::debug!(job_id = %job, task_id = task, result, reason, "task settled"),
        }
    }

    /// Remembers the links that the store has now, so that they are not sent again.
    fn remember_links(&mut self, settlement: &Settlement) {
        let Some(job_cache) = self.jobs.get_mut(&settlement.job) else {
            return;
        };
        let Ok(plan) = &job_cache.plan else { return };
        for task in &settlement.found {
            if let Some(url) = UrlRef::split(&task.url) {
                job_cache.filter.keep(plan.keys.key(url), task.depth);
            }
        }
    }

    pub(crate) fn start_housekeeping(&mut self, now: Moment) {
        if self.housekeeping.running || now < self.housekeeping.due {
            return;
        }
        if now > self.housekeeping.due + MAX_DELAY && !self.rescue_postponed {
            // This process was suspended or busy, perhaps like others on this machine. They renew their leases first.
            self.rescue_postponed = true;
            self.housekeeping.due = now + RESCUE_DELAY;
            return;
        }
        self.rescue_postponed = false;
        self.housekeeping.running = true;
        self.housekeeping.sent_at = now;
        self.client.housekeeping();
    }

    pub(crate) fn note_housekeeping(&mut self, result: Option<Rescued>, now: Moment) {
        self.housekeeping.running = false;
        let jitter = 0.75 + self.rng.fraction() / 2.0;
        self.housekeeping.due = now + self.settings.housekeeping.mul_f64(jitter);
        match result {
            Some(rescued) => {
                add(&self.counts.rescued, rescued.requeued);
                add(&self.counts.poisoned, rescued.poisoned);
                if rescued.requeued > 0 {
                    self.claim_soon();
                }
            }
            None => self.note_store_error(self.housekeeping.sent_at, now),
        }
    }

    /// Counts a failed store call, and delays the next rescue of expired leases. A failed settlement delays nothing: it may
    /// fail for a reason of its own, and in an outage the other calls fail too.
    fn note_store_error(&mut self, sent_at: Moment, now: Moment) {
        add(&self.counts.store_errors, 1);
        // It took longer only if this process was suspended.
        let took = now.saturating_sub(sent_at).min(self.settings.store_timeout);
        let rescue = now + took + RESCUE_DELAY;
        self.housekeeping.due = self.housekeeping.due.max(rescue);
    }
}
