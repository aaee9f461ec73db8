//! The state of a task.

/// The state of a task.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TaskState {
    /// Not started, or waiting for a retry.
    Queued,
    /// Held by a worker.
    Processing,
    /// Fetched and stored.
    Done,
    /// Could not be fetched.
    Failed,
    /// Not fetched on purpose.
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

    /// Parses the stable spelling.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}
