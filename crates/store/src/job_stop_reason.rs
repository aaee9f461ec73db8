//! Why a job did not fetch everything.

/// Why a job did not fetch everything. With [`MaxPages`](Self::MaxPages) and
/// [`QueuedTasksQuota`](Self::QueuedTasksQuota), it continues without the tasks that were left out; with the others, it
/// ends early.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobStopReason {
    /// It left out tasks because of its limit of tasks.
    MaxPages,
    /// It reached its limit of body bytes.
    MaxBytes,
    /// Its deadline has passed.
    MaxDuration,
    /// Its deadline has passed before a task was claimed.
    NotStarted,
    /// A client cancelled it.
    Cancelled,
    /// It left out tasks because of its owner's quota of queued tasks.
    QueuedTasksQuota,
    /// Its owner has used up the pages of the day.
    PagesQuota,
    /// Its owner has used up the storage.
    StoredBytesQuota,
    /// It renders pages, and its owner has used up the rendering time of the day.
    BrowserSecondsQuota,
}

impl JobStopReason {
    /// Every reason, for tables and tests.
    pub const ALL: [Self; 9] = [
        Self::MaxPages,
        Self::MaxBytes,
        Self::MaxDuration,
        Self::NotStarted,
        Self::Cancelled,
        Self::QueuedTasksQuota,
        Self::PagesQuota,
        Self::StoredBytesQuota,
        Self::BrowserSecondsQuota,
    ];

    /// The stable spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MaxPages => "max_pages",
            Self::MaxBytes => "max_bytes",
            Self::MaxDuration => "max_duration",
            Self::NotStarted => "not_started",
            Self::Cancelled => "cancelled",
            Self::QueuedTasksQuota => "quota_queued_tasks",
            Self::PagesQuota => "quota_pages_per_day",
            Self::StoredBytesQuota => "quota_stored_bytes",
            Self::BrowserSecondsQuota => "quota_browser_seconds_per_day",
        }
    }

    /// Parses the stable spelling.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// Whether the job only leaves out tasks and does not end early: those that were admitted are still fetched.
    pub(crate) fn leaves_out_only(self) -> bool {
        matches!(self, Self::MaxPages | Self::QueuedTasksQuota)
    }

    /// Whether tasks that workers hold may finish when the job ends for this reason.
    pub(crate) fn lets_held_tasks_finish(self) -> bool {
        matches!(
            self,
            Self::MaxBytes | Self::PagesQuota | Self::StoredBytesQuota | Self::BrowserSecondsQuota
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Databases hold these spellings, and clients compare with them.
    #[test]
    fn spellings_are_stable_and_read_back() {
        let spellings = JobStopReason::ALL.map(JobStopReason::as_str);
        assert_eq!(
            spellings,
            [
                "max_pages",
                "max_bytes",
                "max_duration",
                "not_started",
                "cancelled",
                "quota_queued_tasks",
                "quota_pages_per_day",
                "quota_stored_bytes",
                "quota_browser_seconds_per_day",
            ]
        );
        for reason in JobStopReason::ALL {
            assert_eq!(JobStopReason::named(reason.as_str()), Some(reason));
        }
        assert_eq!(JobStopReason::named("done"), None);
    }
}
