//! Taking leases back, and applying again the rules that a crash may have interrupted.

/// Default number of crashes after which a task fails as poisoned.
pub const DEFAULT_MAX_CRASHES: u32 = 3;

/// Which leases to take back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rescue {
    /// Expired ones.
    Expired,
    /// All: the caller is the only process that uses the store and has just started.
    Held {
        /// Whether it counts as a crash caused by the task.
        blame: bool,
    },
}

/// The result of a rescue.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rescued {
    /// Tasks queued again.
    pub requeued: u64,
    /// Tasks failed because they crashed or stalled their workers too often.
    pub poisoned: u64,
}

/// The result of reconciling.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reconciled {
    /// Jobs that ended.
    pub finished: u64,
    /// Jobs that reached their deadline.
    pub timed_out: u64,
    /// Jobs that had a depth level opened.
    pub opened: u64,
    /// Jobs and hosts that had queued tasks which no claim would have found.
    pub woken: u64,
}
