//! A task that this worker has a lease on.

use std::sync::Arc;

use frontier::Moment;
use model::Task;
use store::{Claimed, NewTask, Settlement, Verdict};
use weburl::{CrawlUrl, HostKey};

/// Where a held task stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Not handed out: for its time, or its site's robots.txt.
    Waiting,
    /// With a page's worker.
    InFlight,
    /// What became of it is on its way to the store.
    Settling,
}

/// A task that this worker has a lease on.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) claimed: Claimed,
    /// What to fetch now.
    pub(crate) url: CrawlUrl,
    /// The URL before a redirect that is followed in place.
    pub(crate) first_met: Option<CrawlUrl>,
    /// Redirects walked.
    pub(crate) hops: u32,
    pub(crate) stage: Stage,
    /// Somebody else has it now.
    pub(crate) lost: bool,
    /// What a seed's sitemaps name, once they are read.
    pub(crate) listed: Option<Vec<NewTask>>,
    /// The host's start that is this task's, until a request has used it.
    pub(crate) slot: Option<Moment>,
    /// Starts that came and went unused.
    pub(crate) missed: u32,
    /// The lease is ours at least until then.
    pub(crate) sure_until: Moment,
}

impl Held {
    pub(crate) fn new(claimed: Claimed, url: CrawlUrl, slot: Moment, sure_until: Moment) -> Self {
        Self {
            hops: claimed.hops,
            claimed,
            url,
            first_met: None,
            stage: Stage::Waiting,
            lost: false,
            listed: None,
            slot: Some(slot),
            missed: 0,
            sure_until,
        }
    }

    pub(crate) fn host(&self) -> HostKey {
        self.url.host_key()
    }

    /// What a page's worker gets.
    pub(crate) fn task(&self, ticket: u64) -> Task {
        Task {
            url: self.url.clone(),
            first_met: self.first_met.clone(),
            depth: self.claimed.depth,
            hops: self.hops,
            via: self.claimed.via.as_deref().map(Arc::from),
            found: self.claimed.found,
            attempt: self.claimed.attempt,
            ticket,
        }
    }

    /// What is said about it.
    pub(crate) fn settlement(&self, verdict: Verdict) -> Settlement {
        Settlement {
            lease: self.claimed.lease,
            job: self.claimed.job,
            verdict,
            found: Vec::new(),
        }
    }
}
