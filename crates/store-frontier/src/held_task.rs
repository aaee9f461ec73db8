//! A task that this worker holds a lease on.

use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::Moment;
use crawler_model::Task;
use crawler_store::{Claimed, NewTask, Settlement, TaskOutcome};
use crawler_weburl::{CrawlUrl, HostKey};

use crate::address_queue::AddressSlot;

/// The stage of a held task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Waiting for its start time or its site's robots.txt.
    Waiting,
    /// Being fetched.
    InFlight,
    /// Its settlement is on the way to the store.
    Settling,
}

/// A task that this worker holds a lease on.
#[derive(Debug)]
pub(crate) struct HeldTask {
    pub(crate) claimed: Claimed,
    /// The URL to fetch now.
    pub(crate) url: CrawlUrl,
    /// The URL before a redirect that is followed in place.
    pub(crate) reported_url: Option<CrawlUrl>,
    /// Redirects followed.
    pub(crate) hops: u32,
    pub(crate) stage: Stage,
    /// How long browser tabs were held for it.
    pub(crate) browser_time: Duration,
    /// It waits for its host: for the name, the robots.txt, or a turn of the address. That may take long.
    pub(crate) awaits_host: bool,
    /// The slot of its address, while it is being fetched.
    pub(crate) address_slot: Option<AddressSlot>,
    /// The lease is lost.
    pub(crate) lost: bool,
    /// The pages that a seed's sitemaps list, once they are read.
    pub(crate) listed: Option<Vec<NewTask>>,
    /// The start of its host that is reserved for this task, until a request has used it.
    pub(crate) slot: Option<Moment>,
    /// Number of starts that passed unused.
    pub(crate) missed: u32,
    /// The lease is valid at least until then.
    pub(crate) held_until: Moment,
}

impl HeldTask {
    pub(crate) fn new(claimed: Claimed, url: CrawlUrl, slot: Moment, held_until: Moment) -> Self {
        Self {
            hops: claimed.hops,
            claimed,
            url,
            reported_url: None,
            stage: Stage::Waiting,
            browser_time: Duration::ZERO,
            awaits_host: false,
            address_slot: None,
            lost: false,
            listed: None,
            slot: Some(slot),
            missed: 0,
            held_until,
        }
    }

    pub(crate) fn host(&self) -> HostKey {
        self.url.host_key()
    }

    /// The task for a page worker.
    pub(crate) fn task(&self, ticket: u64) -> Task {
        Task {
            url: self.url.clone(),
            reported_url: self.reported_url.clone(),
            depth: self.claimed.depth,
            hops: self.hops,
            via: self.claimed.via.as_deref().map(Arc::from),
            found: self.claimed.found,
            attempt: self.claimed.attempt,
            wants_text: false,
            ticket,
        }
    }

    /// A settlement of this task.
    pub(crate) fn settlement(&self, outcome: TaskOutcome) -> Settlement {
        Settlement {
            lease: self.claimed.lease,
            job: self.claimed.job,
            outcome,
            browser_time: self.browser_time,
            found: Vec::new(),
            refused: Vec::new(),
        }
    }
}
