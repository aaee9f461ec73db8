//! Getting tasks, keeping the right to them, and repeating the rules for all.

use std::time::Duration;

use frontier::Moment;
use model::FailKind;
use store::{Claimed, JobOrder, Lease, Rescued, Settled, Settlement, Store, StoreError, Verdict};
use weburl::{CrawlUrl, UrlRef};

use crate::StoreFrontier;
use crate::held::{Held, Stage};
use crate::job_desk::JobDesk;
use crate::settling::{Spoiled, store_backoff};
use crate::worker_counts::add;

/// Jobs remembered before those without tasks here are forgotten, and links of all of them.
const MOST_JOBS: usize = 512;
const MOST_LINKS: usize = 4_000_000;

impl<S: Store> StoreFrontier<S> {
    /// How many more tasks are wanted: those at work, and as many that wait for their time. Tasks that wait for a
    /// robots.txt hold up others only when they are very many: a host that does not answer takes its time.
    pub(crate) fn room(&self) -> usize {
        let (workers, held) = (self.settings.workers, self.unsettled());
        if self.settling.is_full(workers * 8) {
            // The store takes in less than it gives out: results wait in memory, so no more are asked for.
            return 0;
        }
        let busy = held.saturating_sub(self.robots.waiting());
        let room = (workers * 2).saturating_sub(busy);
        room.min((workers * 8).saturating_sub(held))
    }

    pub(crate) fn claim_more(&mut self, now: Moment) {
        let room = self.room();
        if room == 0 || self.claims.out || now < self.claims.due {
            return;
        }
        self.claims.out = true;
        self.last_claim = now;
        let known = self.jobs.keys().copied().collect();
        self.clerk.claim(room, self.settings.lease, known);
    }

    /// Something may have become claimable: ask soon.
    fn hurry(&mut self) {
        self.empty_claims = 0;
        if self.claims.failures == 0 {
            let soon = self.last_claim + self.settings.poll_least;
            self.claims.due = self.claims.due.min(soon);
        }
    }

    pub(crate) fn note_claim(
        &mut self,
        asked: usize,
        answer: Result<(Vec<Claimed>, Vec<JobOrder>), StoreError>,
        age: Duration,
        now: Moment,
    ) {
        self.claims.out = false;
        let Ok((tasks, jobs)) = answer else {
            add(&self.counts.store_errors, 1);
            self.claims.failures += 1;
            self.claims.due = now + store_backoff(self.claims.failures, &mut self.chance);
            return;
        };
        self.claims.failures = 0;
        self.empty_claims = if tasks.is_empty() {
            self.empty_claims + 1
        } else {
            0
        };
        let least = self.settings.poll_least;
        let wait = if tasks.len() >= asked {
            least
        } else {
            let factor = 1_u32 << self.empty_claims.min(10);
            least
                .saturating_mul(factor)
                .min(self.settings.poll_most)
                .mul_f64(0.5 + self.chance.fraction() / 2.0)
                .max(least)
        };
        self.claims.due = now + wait;
        self.remember(&jobs);
        add(&self.counts.claimed, tasks.len() as u64);
        for task in tasks {
            self.hold(task, age, now);
        }
    }

    fn remember(&mut self, jobs: &[JobOrder]) {
        let many = self.jobs.len() + jobs.len() > MOST_JOBS;
        let links = || self.jobs.values().map(|desk| desk.links.len());
        if many || !jobs.is_empty() && links().sum::<usize>() > MOST_LINKS {
            self.jobs.retain(|_, desk| desk.held > 0);
        }
        for job in jobs {
            let desk = JobDesk::new(job, &self.planner);
            self.jobs.entry(job.id).or_insert(desk);
        }
    }

    fn hold(&mut self, claimed: Claimed, age: Duration, now: Moment) {
        let (lease, job) = (claimed.lease, claimed.job);
        let slot = now.saturating_sub(age + claimed.age) + claimed.delay;
        // The lease began when the store was asked, which was before its answer.
        let sure_until = self.last_claim + self.settings.lease;
        let mut refuse = |verdict| {
            let settlement = Settlement {
                lease,
                job,
                verdict,
                found: Vec::new(),
            };
            self.settling.push(settlement, now);
        };
        let Some(desk) = self.jobs.get_mut(&job) else {
            // The job could not be read: somebody will, later.
            return refuse(Verdict::HandBack);
        };
        let url = match (CrawlUrl::parse(&claimed.url), &desk.plan) {
            (Ok(url), Ok(_)) => Ok(url),
            (Err(error), _) => Err(error.to_string()),
            (_, Err(words)) => Err(format!("the job has no plan: {words}")),
        };
        let url = match url {
            Ok(url) => url,
            Err(error) => {
                return refuse(Verdict::Failed {
                    kind: FailKind::Internal,
                    error,
                    bytes: 0,
                });
            }
        };
        desk.held += 1;
        self.last_ticket += 1;
        let ticket = self.last_ticket;
        self.tickets.insert(lease, ticket);
        self.held
            .insert(ticket, Held::new(claimed, url, slot, sure_until));
        self.ready.insert((slot, ticket));
    }

    pub(crate) fn keep_leases(&mut self, now: Moment) {
        if self.renewals.out || now < self.renewals.due {
            return;
        }
        self.renewals.due = now + self.settings.heartbeat;
        if self.held.is_empty() {
            return;
        }
        self.renewals.out = true;
        let leases = self.held.values().filter(|held| !held.lost);
        let leases = leases.map(|held| held.claimed.lease).collect();
        self.clerk.renew(leases, self.settings.lease, now);
    }

    pub(crate) fn note_renewal(
        &mut self,
        asked_at: Moment,
        answer: Result<Vec<Lease>, StoreError>,
        now: Moment,
    ) {
        self.renewals.out = false;
        let Ok(lost) = answer else {
            add(&self.counts.store_errors, 1);
            self.renewals.failures += 1;
            let wait = store_backoff(self.renewals.failures, &mut self.chance);
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
                // Written meanwhile, or told so by the settlement's own answer.
                Stage::Settling => (),
            }
        }
        let sure_until = asked_at + self.settings.lease;
        for held in self.held.values_mut().filter(|held| !held.lost) {
            held.sure_until = held.sure_until.max(sure_until);
        }
    }

    pub(crate) fn note_settlement(
        &mut self,
        batch: Vec<Settlement>,
        answer: Result<Settled, StoreError>,
        now: Moment,
    ) {
        let settled = match answer {
            Ok(settled) => settled,
            Err(error) => {
                add(&self.counts.store_errors, 1);
                let chance = &mut self.chance;
                if let Spoiled::Yes(settlement) = self.settling.failed(batch, &error, now, chance) {
                    add(&self.counts.dropped, 1);
                    self.forget_found(&settlement);
                    self.let_go(&settlement.lease);
                }
                return;
            }
        };
        self.settling.written(&batch);
        for settlement in batch {
            if settled.lost.contains(&settlement.lease) {
                add(&self.counts.lost, 1);
                let (job, task) = (settlement.job, settlement.lease.task.0);
                tracing::warn!(job_id = %job, task_id = task, "lease lost, result dropped");
                self.forget_found(&settlement);
            } else {
                self.count(&settlement);
                self.keep_known(&settlement);
            }
            self.let_go(&settlement.lease);
        }
        self.hurry();
    }

    /// What it found did not reach the store, so none of it is known.
    fn forget_found(&mut self, settlement: &Settlement) {
        if let Some(desk) = self.jobs.get_mut(&settlement.job)
            && !settlement.found.is_empty()
        {
            desk.links.forget();
        }
    }

    fn let_go(&mut self, lease: &Lease) {
        if let Some(ticket) = self.tickets.get(lease).copied() {
            self.release(ticket);
        }
    }

    fn count(&self, settlement: &Settlement) {
        let (counter, result) = match &settlement.verdict {
            Verdict::Done { .. } => (&self.counts.done, "done"),
            Verdict::Failed { .. } => (&self.counts.failed, "failed"),
            Verdict::Skipped { .. } => (&self.counts.skipped, "skipped"),
            Verdict::Retry { .. } => (&self.counts.retried, "retried"),
            Verdict::HandBack => (&self.counts.handed_back, "handed_back"),
        };
        add(counter, 1);
        let kind = self.jobs.get(&settlement.job);
        let kind = kind.map_or("unknown", |desk| desk.kind.as_str());
        metrics::counter!("crawler_worker_tasks_total", "type" => kind, "result" => result)
            .increment(1);
        let (job, task) = (settlement.job, settlement.lease.task.0);
        let (error, reason) = settlement.verdict.words();
        match &settlement.verdict {
            Verdict::Failed { .. } | Verdict::Retry { .. } => {
                tracing::info!(job_id = %job, task_id = task, result, reason, error, "task settled");
            }
            _ => tracing::debug!(job_id = %job, task_id = task, result, reason, "task settled"),
        }
    }

    /// The store has these now: they need not be sent again.
    fn keep_known(&mut self, settlement: &Settlement) {
        let Some(desk) = self.jobs.get_mut(&settlement.job) else {
            return;
        };
        let Ok(plan) = &desk.plan else { return };
        for task in &settlement.found {
            if let Some(url) = UrlRef::split(&task.url) {
                desk.links.keep(plan.keys.key(url), task.depth);
            }
        }
    }

    pub(crate) fn keep_house(&mut self, now: Moment) {
        if self.housekeeping.out || now < self.housekeeping.due {
            return;
        }
        self.housekeeping.out = true;
        self.clerk.tidy();
    }

    pub(crate) fn note_tidying(&mut self, answer: Option<Rescued>, now: Moment) {
        self.housekeeping.out = false;
        let jitter = 0.75 + self.chance.fraction() / 2.0;
        self.housekeeping.due = now + self.settings.housekeeping.mul_f64(jitter);
        match answer {
            Some(rescued) => {
                add(&self.counts.rescued, rescued.requeued);
                add(&self.counts.poisoned, rescued.poisoned);
                if rescued.requeued > 0 {
                    self.hurry();
                }
            }
            None => add(&self.counts.store_errors, 1),
        }
    }
}
