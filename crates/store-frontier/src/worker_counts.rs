//! Counters of a worker, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// The counters of a worker; shared, and only increased.
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

/// The counters of a worker at one time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WorkerTotals {
    /// Tasks claimed.
    pub claimed: u64,
    /// Tasks settled as done.
    pub done: u64,
    /// Tasks settled as failed.
    pub failed: u64,
    /// Tasks settled as skipped.
    pub skipped: u64,
    /// Tasks queued for a retry.
    pub retried: u64,
    /// Tasks handed back without an attempt.
    pub handed_back: u64,
    /// Lost leases; their results were dropped.
    pub lost: u64,
    /// Results that the store refused for good.
    pub dropped: u64,
    /// Tasks with expired leases that were taken back.
    pub rescued: u64,
    /// Tasks that crashed their workers too often.
    pub poisoned: u64,
    /// Failed store calls.
    pub store_errors: u64,
    /// Pauses that hosts asked for.
    pub host_pauses: u64,
    /// Body bytes over the wire.
    pub bytes: u64,
}

impl WorkerCounts {
    /// The current counts.
    pub fn numbers(&self) -> WorkerTotals {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WorkerTotals {
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
