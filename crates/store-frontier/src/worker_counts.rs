//! What a worker did, for those who watch it.

use std::sync::atomic::{AtomicU64, Ordering};

/// A worker's numbers; shared, and only ever counted up.
#[derive(Debug, Default)]
pub struct WorkerCounts {
    pub(crate) claimed: AtomicU64,
    pub(crate) done: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) skipped: AtomicU64,
    pub(crate) retried: AtomicU64,
    pub(crate) handed_back: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) dropped: AtomicU64,
    pub(crate) rescued: AtomicU64,
    pub(crate) poisoned: AtomicU64,
    pub(crate) store_errors: AtomicU64,
    pub(crate) host_pauses: AtomicU64,
    pub(crate) bytes: AtomicU64,
}

/// A worker's numbers at one time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WorkerNumbers {
    /// Tasks claimed.
    pub claimed: u64,
    /// Tasks settled as done.
    pub done: u64,
    /// Tasks settled as failed.
    pub failed: u64,
    /// Tasks settled as skipped.
    pub skipped: u64,
    /// Tasks sent back to be tried again.
    pub retried: u64,
    /// Tasks handed back without a try.
    pub handed_back: u64,
    /// Leases that were lost, with what they would have brought.
    pub lost: u64,
    /// Settlements the store refused for good.
    pub dropped: u64,
    /// Tasks of others that were taken back.
    pub rescued: u64,
    /// Tasks that ended their workers too often.
    pub poisoned: u64,
    /// Calls that the store did not answer.
    pub store_errors: u64,
    /// Pauses that hosts asked for.
    pub host_pauses: u64,
    /// Body bytes over the wire.
    pub bytes: u64,
}

impl WorkerCounts {
    /// The numbers now.
    pub fn numbers(&self) -> WorkerNumbers {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WorkerNumbers {
            claimed: read(&self.claimed),
            done: read(&self.done),
            failed: read(&self.failed),
            skipped: read(&self.skipped),
            retried: read(&self.retried),
            handed_back: read(&self.handed_back),
            lost: read(&self.lost),
            dropped: read(&self.dropped),
            rescued: read(&self.rescued),
            poisoned: read(&self.poisoned),
            store_errors: read(&self.store_errors),
            host_pauses: read(&self.host_pauses),
            bytes: read(&self.bytes),
        }
    }
}

pub(crate) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}
