//! The frontier over a store: its state, and the methods that the crawl loop calls.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use crawler_frontier::{
    Delivery, Dispatch, Frontier, FrontierError, Moment, Next, ProgressCounts, Rng, SiteFileReport,
    SiteFileTask, Work,
};
use crawler_model::{CrawlRules, PageReport, StopReason, Summary};
use crawler_store::{JobId, Lease, TaskOutcome, TaskState, WorkerId};
use crawler_weburl::CrawlUrl;
use tokio::sync::mpsc;

use crate::address_queue::{AddressQueue, AddressTurns};
use crate::held_task::{HeldTask, Stage};
use crate::host_paces::HostPaces;
use crate::job_cache::{JobCache, Planner};
use crate::name_queue::{NameLookup, NameQueue};
use crate::places::SiteFilesInFlight;
use crate::robots_queue::RobotsQueue;
use crate::settlement_queue::SettlementQueue;
use crate::sitemap_reader::SitemapReader;
use crate::store_client::{Event, StoreClient};
use crate::worker_counts::add;
use crate::{FrontierStore, StoreFrontierSettings, WorkerCounts};

/// A store call that is repeated, one at a time.
#[derive(Debug, Default)]
pub(crate) struct PeriodicCall {
    /// It is running.
    pub(crate) running: bool,
    /// When it is due.
    pub(crate) due: Moment,
    /// When the last one was sent.
    pub(crate) sent_at: Moment,
    /// Number of failures in a row.
    pub(crate) failures: u32,
}

impl PeriodicCall {
    /// When it is due again, unless it is running.
    pub(crate) fn next(&self) -> Option<Moment> {
        (!self.running).then_some(self.due)
    }
}

/// The frontier of one worker over all jobs of a store.
pub struct StoreFrontier<S> {
    pub(crate) client: StoreClient<S>,
    events: mpsc::UnboundedReceiver<Event>,
    /// Received and not handled yet.
    received: Vec<Event>,
    pub(crate) settings: StoreFrontierSettings,
    pub(crate) planner: Planner,
    /// The plan of site-file tasks.
    pub(crate) site_file_plan: Arc<CrawlRules>,
    pub(crate) jobs: HashMap<JobId, JobCache>,
    pub(crate) held: HashMap<u64, HeldTask>,
    pub(crate) tickets: HashMap<Lease, u64>,
    pub(crate) last_ticket: u64,
    /// The last ticket when the running renewal was sent: it does not renew leases that were claimed since.
    pub(crate) last_renewed: u64,
    /// Tasks that wait for their start time.
    pub(crate) ready: BTreeSet<(Moment, u64)>,
    /// Number of pages being fetched.
    pub(crate) in_flight: usize,
    /// Resolves names before pages are fetched, if there is one.
    pub(crate) name_lookup: Option<NameLookup>,
    pub(crate) names: NameQueue,
    /// Gives requests turns at their addresses, if several names may share one.
    pub(crate) address_turns: Option<AddressTurns>,
    pub(crate) addresses: AddressQueue,
    pub(crate) site_files: SiteFilesInFlight,
    pub(crate) robots: RobotsQueue,
    pub(crate) sitemaps: SitemapReader,
    pub(crate) hosts: HostPaces,
    pub(crate) settlements: SettlementQueue,
    pub(crate) claims: PeriodicCall,
    /// Number of empty claims in a row.
    pub(crate) empty_claims: u32,
    pub(crate) renewals: PeriodicCall,
    pub(crate) housekeeping: PeriodicCall,
    /// The last rescue was due much earlier than it could be started.
    pub(crate) rescue_postponed: bool,
    pub(crate) stopped: Option<StopReason>,
    pub(crate) drain_until: Option<Moment>,
    call_panicked: bool,
    pub(crate) counts: Arc<WorkerCounts>,
    pub(crate) rng: Rng,
}

impl<S: FrontierStore> StoreFrontier<S> {
    /// Creates a frontier that claims from this store under this name. `rng_seed` seeds the jitter.
    pub fn new(
        store: S,
        worker: WorkerId,
        settings: StoreFrontierSettings,
        planner: Planner,
        site_file_plan: Arc<CrawlRules>,
        rng_seed: u64,
    ) -> Self {
        let (client, events) = StoreClient::new(store, worker, settings.store_timeout);
        Self {
            client,
            events,
            received: Vec::new(),
            hosts: HostPaces::new(settings.host_interval),
            planner,
            site_file_plan,
            jobs: HashMap::new(),
            held: HashMap::new(),
            tickets: HashMap::new(),
            last_ticket: 0,
            last_renewed: 0,
            ready: BTreeSet::new(),
            in_flight: 0,
            name_lookup: None,
            names: NameQueue::default(),
            address_turns: None,
            addresses: AddressQueue::default(),
            site_files: SiteFilesInFlight::default(),
            robots: RobotsQueue::default(),
            sitemaps: SitemapReader::default(),
            settlements: SettlementQueue::default(),
            claims: PeriodicCall::default(),
            empty_claims: 0,
            renewals: PeriodicCall {
                due: settings.heartbeat,
                ..PeriodicCall::default()
            },
            // Not at once: the store may have been unavailable until now, and its workers have yet to renew their leases.
            housekeeping: PeriodicCall {
                due: settings.housekeeping,
                ..PeriodicCall::default()
            },
            rescue_postponed: false,
            stopped: None,
            drain_until: None,
            call_panicked: false,
            counts: Arc::default(),
            rng: Rng::new(rng_seed),
            settings,
        }
    }

    /// Resolves the names of hosts before their pages are fetched.
    #[must_use]
    pub fn with_name_lookup(mut self, lookup: NameLookup) -> Self {
        self.name_lookup = Some(lookup);
        self
    }

    /// Lets requests wait for turns of their addresses.
    #[must_use]
    pub fn with_address_turns(mut self, turns: AddressTurns) -> Self {
        self.address_turns = Some(turns);
        self
    }

    /// The counters of this worker; they outlive the frontier.
    pub fn counts(&self) -> Arc<WorkerCounts> {
        Arc::clone(&self.counts)
    }

    /// Handles the results of store calls.
    fn handle_events(&mut self, now: Moment) {
        while let Ok(event) = self.events.try_recv() {
            self.received.push(event);
        }
        for event in std::mem::take(&mut self.received) {
            match event {
                Event::Claimed {
                    requested,
                    result,
                    received_at,
                } => self.note_claim(requested, result, received_at.elapsed(), now),
                Event::Start {
                    ticket,
                    result,
                    received_at,
                } => self.note_start(ticket, result.ok(), received_at.elapsed(), now),
                Event::Renewed { sent_at, result } => self.note_renewal(sent_at, result, now),
                Event::Settled { batch, result } => self.note_settlement(batch, result, now),
                Event::Robots { origin, stored } => self.note_robots(&origin, stored, now),
                Event::Name { host, result } => {
                    let waiting = self.names.note(host, result, now);
                    self.ready
                        .extend(waiting.into_iter().map(|ticket| (now, ticket)));
                }
                Event::Address { id, slot } => self.addresses.note(id, slot, now),
                Event::Housekeeping(result) => self.note_housekeeping(result.ok(), now),
                Event::Panicked => self.call_panicked = true,
            }
        }
    }

    /// Queues the settlement of a task.
    pub(crate) fn conclude(&mut self, ticket: u64, outcome: TaskOutcome, now: Moment) {
        let Some(held) = self.held.get_mut(&ticket) else {
            return;
        };
        held.stage = Stage::Settling;
        held.address_slot = None;
        let mut settlement = held.settlement(outcome);
        let listed = held.listed.take();
        if settlement.outcome.state() != TaskState::Queued {
            settlement.found = listed.unwrap_or_default();
        } else if listed.is_some()
            && let Some(job_cache) = self.jobs.get_mut(&settlement.job)
        {
            // A task that is queued again will be read again, so its links are not known yet.
            job_cache.filter.forget();
        }
        self.settlements.push(settlement, now);
    }

    /// The plan of a held task's job.
    pub(crate) fn plan_of(&self, ticket: u64) -> Option<&Arc<CrawlRules>> {
        let held = self.held.get(&ticket)?;
        self.jobs.get(&held.claimed.job)?.plan.as_ref().ok()
    }

    /// Drops a task.
    pub(crate) fn release(&mut self, ticket: u64) {
        let Some(held) = self.held.remove(&ticket) else {
            return;
        };
        self.tickets.remove(&held.claimed.lease);
        self.sitemaps.forget(ticket);
        if held.stage == Stage::InFlight {
            self.in_flight -= 1;
        }
        if let Some(job_cache) = self.jobs.get_mut(&held.claimed.job) {
            job_cache.held -= 1;
        }
    }

    /// Drops a task with a lost lease.
    pub(crate) fn lose(&mut self, ticket: u64) {
        add(&self.counts.lost, 1);
        self.release(ticket);
    }

    /// What the loop waits for; due tasks that were not started wait for a report.
    fn next(&self, settlement_due: Option<Moment>, late: bool, now: Moment) -> Next {
        if let Some(reason) = &self.stopped {
            let over = self
                .drain_until
                .is_some_and(|end| now >= end + StoreFrontierSettings::GRACE);
            // Tasks of a claim under way are handed back too, if its result comes before the end of the drain.
            let claiming = self.claims.running && self.drain_until.is_some_and(|end| now < end);
            let idle = self.held.is_empty() && self.settlements.is_empty();
            if over || (idle && !claiming) {
                return Next::Finished(reason.clone());
            }
        }
        let running = self.stopped.is_none();
        let moments = [
            settlement_due,
            self.renewals.next(),
            self.claim_room()
                .filter(|_| running && !self.claims.running)
                .map(|(_, due)| due),
            self.housekeeping.next().filter(|_| running),
            Some(now).filter(|_| running && late),
            self.ready
                .range((now, u64::MAX)..)
                .next()
                .map(|(at, _)| *at)
                .filter(|_| running),
            self.robots.next(now).filter(|_| running),
            self.sitemaps.next(now).filter(|_| running),
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

impl<S: FrontierStore> Frontier for StoreFrontier<S> {
    async fn take(
        &mut self,
        max: usize,
        now: Moment,
        _out: &mut Vec<Delivery>,
    ) -> Result<Dispatch, FrontierError> {
        self.handle_events(now);
        if self.call_panicked {
            // Its result will never arrive. After a restart, the leases expire.
            return Err(FrontierError("a store call panicked".to_owned()));
        }
        let mut late = false;
        let work = if self.stopped.is_some() {
            self.drain(now);
            Vec::new()
        } else {
            self.start_housekeeping(now);
            let starts = self.pick(max, now);
            late = self.is_late(&starts, now);
            starts.work
        };
        self.renew_leases(now);
        if self.stopped.is_none() {
            self.claim_more(now);
        }
        let due = self.settlements.flush(&self.client, &self.settings, now);
        let next = self.next(due, late, now);
        Ok(Dispatch { work, next })
    }

    fn plan(&self, work: &Work) -> Arc<CrawlRules> {
        let ticket = match work {
            Work::Page(task) => task.ticket,
            Work::SiteFile(SiteFileTask::Sitemap(site_file)) => site_file.ticket,
            Work::SiteFile(SiteFileTask::Robots(_)) => 0,
        };
        Arc::clone(self.plan_of(ticket).unwrap_or(&self.site_file_plan))
    }

    async fn changed(&mut self) {
        if self.received.is_empty() {
            // The client holds the sender, so the channel never closes.
            self.received.extend(self.events.recv().await);
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

    async fn settle_site_file(
        &mut self,
        report: SiteFileReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> Result<(), FrontierError> {
        self.settle_file(report, now, out);
        Ok(())
    }

    fn stop(&mut self, reason: StopReason) {
        self.stopped.get_or_insert(reason);
    }

    fn progress_counts(&self) -> ProgressCounts {
        let numbers = self.counts.numbers();
        ProgressCounts {
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
