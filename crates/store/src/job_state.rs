//! The state of a job, and the rule that derives its final state.

use crate::JobCounts;

/// The state of a job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobState {
    /// No task was claimed yet.
    Queued,
    /// A task was claimed.
    Running,
    /// All tasks succeeded or were skipped.
    Completed,
    /// Some tasks succeeded and some failed.
    CompletedWithErrors,
    /// No task succeeded.
    Failed,
    /// Cancelled by a client.
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

    /// Parses the stable spelling.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether the job has ended.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// Derives the final state; `None` while a task is queued or held.
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
    fn the_final_state_follows_from_the_counts() {
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
