//! Where a job stands, and the one rule that derives its end.

use crate::JobCounts;

/// Where a job stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobState {
    /// Nobody has begun it.
    Queued,
    /// A worker has claimed a task of it.
    Running,
    /// All of it was done.
    Completed,
    /// Something was done and something failed.
    CompletedWithErrors,
    /// Nothing was done.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
}

impl JobState {
    /// Every state, for tables and tests.
    pub const ALL: [Self; 6] = [
        Self::Queued,
        Self::Running,
        Self::Completed,
        Self::CompletedWithErrors,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The stable spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::CompletedWithErrors => "completed_with_errors",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// From the stable spelling.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether nothing will change any more.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// The one rule: `None` while a task is queued or with a worker.
    pub fn derive(counts: &JobCounts) -> Option<Self> {
        if counts.queued > 0 || counts.processing > 0 {
            None
        } else if counts.done == 0 {
            Some(Self::Failed)
        } else if counts.failed > 0 {
            Some(Self::CompletedWithErrors)
        } else {
            Some(Self::Completed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_read_back() {
        for state in JobState::ALL {
            assert_eq!(JobState::named(state.as_str()), Some(state));
        }
        assert_eq!(JobState::named("scraping"), None);
    }

    #[test]
    fn the_rule() {
        let counts = |queued, processing, done, failed, skipped| JobCounts {
            queued,
            processing,
            done,
            failed,
            skipped,
        };
        for (counts, state) in [
            (counts(1, 0, 5, 0, 0), None),
            (counts(0, 1, 5, 0, 0), None),
            (counts(0, 0, 0, 0, 0), Some(JobState::Failed)),
            (counts(0, 0, 0, 0, 3), Some(JobState::Failed)),
            (counts(0, 0, 0, 2, 0), Some(JobState::Failed)),
            (counts(0, 0, 1, 2, 0), Some(JobState::CompletedWithErrors)),
            (counts(0, 0, 1, 0, 2), Some(JobState::Completed)),
        ] {
            assert_eq!(JobState::derive(&counts), state, "{counts:?}");
        }
    }
}
