//! Taking back what was lost, and repeating the rules that a crash may have interrupted.

/// Which leases to take back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rescue {
    /// Those that ran out.
    Expired,
    /// All of them: the caller is the store's only owner and has just started.
    Held {
        /// Whether it counts as a crash of the task's making.
        blame: bool,
    },
}

/// What was taken back.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rescued {
    /// Queued again.
    pub requeued: u64,
    /// Failed: they ended their worker too often.
    pub poisoned: u64,
}

/// What repeating the rules changed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reconciled {
    /// Jobs that reached their end.
    pub finished: u64,
    /// Jobs whose time was up.
    pub timed_out: u64,
    /// Jobs whose next level was opened.
    pub opened: u64,
    /// Hosts that had work and were not looked at.
    pub woken: u64,
}
