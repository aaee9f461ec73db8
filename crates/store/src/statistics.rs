//! Numbers for an operator: cheap to take, because they look only at what is alive.

use std::time::Duration;

use crate::JobKind;

/// The tasks alive of one kind of job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KindStatistics {
    /// The kind.
    pub kind: JobKind,
    /// May be claimed when their host allows.
    pub ready: u64,
    /// Wait for a retry.
    pub waiting: u64,
    /// Wait for a nearer level to be finished.
    pub gated: u64,
    /// With a worker.
    pub processing: u64,
}

/// The store at a glance.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Statistics {
    /// By kind of job; a kind without live tasks is not listed.
    pub kinds: Vec<KindStatistics>,
    /// How long the oldest ready task has been ready.
    pub oldest_ready: Option<Duration>,
    /// Leases that ran out and were not taken back yet.
    pub expired_leases: u64,
    /// Jobs that have not ended.
    pub open_jobs: u64,
}
