//! Where a task stands.

/// Where a task stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TaskState {
    /// Not begun, or waiting to be tried again.
    Queued,
    /// With a worker.
    Processing,
    /// Fetched and stored.
    Done,
    /// Could not be had.
    Failed,
    /// Not asked for.
    Skipped,
}

impl TaskState {
    /// Every state, for tables and tests.
    pub const ALL: [Self; 5] = [
        Self::Queued,
        Self::Processing,
        Self::Done,
        Self::Failed,
        Self::Skipped,
    ];

    /// The stable spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Processing => "processing",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// From the stable spelling.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}
