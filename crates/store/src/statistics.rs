//! Statistics for an operator. They are cheap, because they only count open tasks.

use std::time::Duration;

use crate::JobKind;

/// The open tasks of one kind of job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindStatistics {
    /// The kind.
    pub kind: JobKind,
    /// Tasks that may be claimed when their host allows it.
    pub ready: u64,
    /// Tasks that wait for a retry.
    pub waiting: u64,
    /// Tasks that wait for a lower depth level to finish.
    pub gated: u64,
    /// Tasks held by a worker.
    pub processing: u64,
}

/// Statistics of a store.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// By kind of job; a kind without open tasks is not listed.
    pub kinds: Vec<KindStatistics>,
    /// Time the oldest ready task has been waiting.
    pub oldest_ready: Option<Duration>,
    /// Expired leases that were not taken back yet.
    pub expired_leases: u64,
    /// Jobs that have not ended.
    pub open_jobs: u64,
}
