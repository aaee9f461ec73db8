//! The frontier over a store: its state, and the loop's verbs.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use frontier::{
    Chance, Delivery, Errand, ErrandReport, Frontier, FrontierError, Glance, Moment, Next, Turn,
    Work,
};
use model::{CrawlPlan, PageReport, StopReason, Summary};
use store::{JobId, Lease, Store, TaskState, Verdict, WorkerId};
use tokio::sync::mpsc;
use weburl::CrawlUrl;

use crate::clerk::{Clerk, Event};
use crate::held::{Held, Stage};
use crate::hosts::Hosts;
use crate::job_desk::{JobDesk, Planner};
use crate::robots_desk::RobotsDesk;
use crate::settling::Settling;
use crate::sitemap_desk::SitemapDesk;
use crate::worker_counts::add;
use crate::{StoreFrontierSettings, WorkerCounts};

/// Something that is done again and again, one at a time.
#[derive(Debug, Default)]
pub(crate) struct Round {
    /// It is being done.
    pub(crate) out: bool,
    /// When it is due.
    pub(crate) due: Moment,
    /// Failed so many times in a row.
    pub(crate) failures: u32,
}

impl Round {
    /// When it is to be looked at again: an answer comes by itself.
    pub(crate) fn next(&self) -> Option<Moment> {
        (!self.out).then_some(self.due)
    }
}

/// One worker's part of all jobs of a store.
pub struct StoreFrontier<S> {
    pub(crate) clerk: Clerk<S>,
    events: mpsc::UnboundedReceiver<Event>,
    /// Heard and not taken in yet.
    heard: Vec<Event>,
    pub(crate) settings: StoreFrontierSettings,
    pub(crate) planner: Planner,
    /// The plan of errands: of the agent's name.
    pub(crate) errand_plan: Arc<CrawlPlan>,
    pub(crate) jobs: HashMap<JobId, JobDesk>,
    pub(crate) held: HashMap<u64, Held>,
    pub(crate) tickets: HashMap<Lease, u64>,
    pub(crate) last_ticket: u64,
    /// Waiting for their time.
    pub(crate) ready: BTreeSet<(Moment, u64)>,
    /// With a page's worker.
    pub(crate) in_flight: usize,
    pub(crate) robots: RobotsDesk,
    pub(crate) sitemaps: SitemapDesk,
    pub(crate) hosts: Hosts,
    pub(crate) settling: Settling,
    pub(crate) claims: Round,
    /// Claims in a row that brought nothing.
    pub(crate) empty_claims: u32,
    pub(crate) last_claim: Moment,
    pub(crate) renewals: Round,
    pub(crate) housekeeping: Round,
    pub(crate) stopped: Option<StopReason>,
    pub(crate) drain_until: Option<Moment>,
    broken: bool,
    pub(crate) counts: Arc<WorkerCounts>,
    pub(crate) chance: Chance,
}

impl<S: Store> StoreFrontier<S> {
    /// A frontier that claims from this store under this name. `chance` seeds the jitter.
    pub fn new(
        store: S,
        worker: WorkerId,
        settings: StoreFrontierSettings,
        planner: Planner,
        errand_plan: Arc<CrawlPlan>,
        chance: u64,
    ) -> Self {
        let (clerk, events) = Clerk::new(store, worker, settings.patience);
        Self {
            clerk,
            events,
            heard: Vec::new(),
            hosts: Hosts::new(settings.host_interval),
            planner,
            errand_plan,
            jobs: HashMap::new(),
            held: HashMap::new(),
            tickets: HashMap::new(),
            last_ticket: 0,
            ready: BTreeSet::new(),
            in_flight: 0,
            robots: RobotsDesk::default(),
            sitemaps: SitemapDesk::default(),
            settling: Settling::default(),
            claims: Round::default(),
            empty_claims: 0,
            last_claim: Moment::ZERO,
            renewals: Round {
                due: settings.heartbeat,
                ..Round::default()
            },
            housekeeping: Round::default(),
            stopped: None,
            drain_until: None,
            broken: false,
            counts: Arc::default(),
            chance: Chance::new(chance),
            settings,
        }
    }

    /// What this worker did so far; lives on when the frontier does not.
    pub fn counts(&self) -> Arc<WorkerCounts> {
        Arc::clone(&self.counts)
    }

    /// Takes in what the store answered.
    fn take_in(&mut self, now: Moment) {
        while let Ok(event) = self.events.try_recv() {
            self.heard.push(event);
        }
        for event in std::mem::take(&mut self.heard) {
            match event {
                Event::Claimed {
                    asked,
                    answer,
                    heard,
                } => self.note_claim(asked, answer, heard.elapsed(), now),
                Event::Start {
                    ticket,
                    answer,
                    heard,
                } => self.note_start(ticket, &answer, heard.elapsed(), now),
                Event::Renewed { asked_at, answer } => self.note_renewal(asked_at, answer, now),
                Event::Settled { batch, answer } => self.note_settlement(batch, answer, now),
                Event::Robots { origin, stored } => self.note_robots(&origin, stored, now),
                Event::Tidied(answer) => self.note_tidying(answer.ok(), now),
                Event::Broken => self.broken = true,
            }
        }
    }

    /// What became of a task goes on its way to the store.
    pub(crate) fn conclude(&mut self, ticket: u64, verdict: Verdict, now: Moment) {
        let Some(held) = self.held.get_mut(&ticket) else {
            return;
        };
        held.stage = Stage::Settling;
        let mut settlement = held.settlement(verdict);
        let listed = held.listed.take();
        if settlement.verdict.state() != TaskState::Queued {
            settlement.found = listed.unwrap_or_default();
        } else if listed.is_some()
            && let Some(desk) = self.jobs.get_mut(&settlement.job)
        {
            // What goes back to the queue is read again, and what passed with it is not known.
            desk.links.forget();
        }
        self.settling.push(settlement, now);
    }

    /// The plan of a held task's job.
    pub(crate) fn plan_of(&self, ticket: u64) -> Option<&Arc<CrawlPlan>> {
        let held = self.held.get(&ticket)?;
        self.jobs.get(&held.claimed.job)?.plan.as_ref().ok()
    }

    /// Lets go of a task.
    pub(crate) fn release(&mut self, ticket: u64) {
        let Some(held) = self.held.remove(&ticket) else {
            return;
        };
        self.tickets.remove(&held.claimed.lease);
        self.sitemaps.forget(ticket);
        if held.stage == Stage::InFlight {
            self.in_flight -= 1;
        }
        if let Some(desk) = self.jobs.get_mut(&held.claimed.job) {
            desk.held -= 1;
        }
    }

    /// A lease that is not ours any more.
    pub(crate) fn lose(&mut self, ticket: u64) {
        add(&self.counts.lost, 1);
        self.release(ticket);
    }

    /// Tasks that wait or are with a page's worker.
    pub(crate) fn unsettled(&self) -> usize {
        self.held
            .values()
            .filter(|held| held.stage != Stage::Settling)
            .count()
    }

    /// What the loop waits for; with no page worker `free`, tasks whose time has come wait for a report.
    fn next(&self, settlement_due: Option<Moment>, free: bool, now: Moment) -> Next {
        if let Some(reason) = &self.stopped {
            let over = self
                .drain_until
                .is_some_and(|end| now >= end + StoreFrontierSettings::GRACE);
            if over || (self.held.is_empty() && self.settling.is_empty()) {
                return Next::Finished(reason.clone());
            }
        }
        let running = self.stopped.is_none();
        let moments = [
            settlement_due,
            self.renewals.next(),
            self.claims.next().filter(|_| running && self.room() > 0),
            self.housekeeping.next().filter(|_| running),
            self.ready
                .first()
                .map(|(at, _)| *at)
                .filter(|_| running && free),
            self.robots.next().filter(|_| running && free),
            self.sitemaps.next().filter(|_| running && free),
            self.drain_until.map(|end| {
                if now < end {
                    end
                } else {
                    end + StoreFrontierSettings::GRACE
                }
            }),
        ];
        match moments.into_iter().flatten().min() {
            Some(at) => Next::Until(at),
            None => Next::Report,
        }
    }
}

impl<S: Store> Frontier for StoreFrontier<S> {
    async fn take(
        &mut self,
        most: usize,
        now: Moment,
        _out: &mut Vec<Delivery>,
    ) -> Result<Turn, FrontierError> {
        self.take_in(now);
        if self.broken {
            // What was asked will never be answered. Whoever starts us again begins with leases that run out.
            return Err(FrontierError("a question to the store panicked".to_owned()));
        }
        let work = if self.stopped.is_some() {
            self.drain(now);
            Vec::new()
        } else {
            self.keep_house(now);
            self.pick(most, now)
        };
        self.keep_leases(now);
        if self.stopped.is_none() {
            self.claim_more(now);
        }
        let due = self.settling.flush(&self.clerk, &self.settings, now);
        let free = work.len() < most;
        let next = self.next(due, free, now);
        Ok(Turn { work, next })
    }

    fn plan(&self, work: &Work) -> Arc<CrawlPlan> {
        let ticket = match work {
            Work::Page(task) => task.ticket,
            Work::Errand(Errand::Sitemap(errand)) => errand.ticket,
            Work::Errand(Errand::Robots(_)) => 0,
        };
        Arc::clone(self.plan_of(ticket).unwrap_or(&self.errand_plan))
    }

    async fn news(&mut self) {
        if self.heard.is_empty() {
            // The clerk holds the other end, so there is always another one to come.
            self.heard.extend(self.events.recv().await);
        }
    }

    async fn settle(
        &mut self,
        report: PageReport,
        now: Moment,
        _out: &mut Vec<Delivery>,
    ) -> Result<(), FrontierError> {
        self.settle_page(&report, now);
        Ok(())
    }

    async fn settle_errand(
        &mut self,
        report: ErrandReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<(), FrontierError> {
        self.settle_site_file(report, now, out);
        Ok(())
    }

    fn stop(&mut self, reason: StopReason) {
        self.stopped.get_or_insert(reason);
    }

    fn glance(&self) -> Glance {
        let numbers = self.counts.numbers();
        Glance {
            pages: numbers.done + numbers.failed,
            failed: numbers.failed,
            queued: (self.held.len() - self.in_flight) as u64,
            in_flight: self.in_flight as u64,
            bytes: numbers.bytes,
        }
    }

    fn summary(&self, now: Moment) -> Summary {
        let numbers = self.counts.numbers();
        Summary {
            stop: self.stopped.clone().unwrap_or(StopReason::Done),
            pages: numbers.done + numbers.failed,
            fetched: numbers.done,
            skipped: numbers.skipped,
            retries: numbers.retried,
            left: self.held.len() as u64,
            bytes: numbers.bytes,
            elapsed: now,
            ..Summary::default()
        }
    }

    fn left(&mut self, each: &mut dyn FnMut(&CrawlUrl)) {
        self.held.values().for_each(|held| each(&held.url));
    }
}

impl<S> fmt::Debug for StoreFrontier<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreFrontier")
            .field("held", &self.held.len())
            .field("in_flight", &self.in_flight)
            .field("stopped", &self.stopped)
            .finish_non_exhaustive()
    }
}
