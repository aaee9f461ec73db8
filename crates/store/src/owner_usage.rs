//! What an owner uses of its quotas, as the store counts it.

use std::time::Duration;

use crate::Quota;

/// What an owner uses. Days are those of UTC, by the database's clock.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct OwnerUsage {
    /// The quota stored with the owner's key.
    pub quota: Quota,
    /// Jobs that have not ended.
    pub open_jobs: u64,
    /// Tasks that have not ended, of all jobs.
    pub queued_tasks: u64,
    /// Pages fetched today: tasks that were done or failed, and single pages.
    pub pages: u64,
    /// Bytes of stored results: URLs, titles and content.
    pub stored_bytes: u64,
    /// How long browser tabs were held today.
    pub browser_time: Duration,
    /// Time until the day ends.
    pub day_ends_in: Duration,
}

/// What was used in addition.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AddedUsage {
    /// Pages fetched.
    pub pages: u64,
    /// How long browser tabs were held.
    pub browser_time: Duration,
    /// Bytes of stored results; negative if results were deleted.
    pub stored_bytes: i64,
}

impl AddedUsage {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            pages: self.pages + other.pages,
            browser_time: self.browser_time + other.browser_time,
            stored_bytes: self.stored_bytes + other.stored_bytes,
        }
    }

    /// Whether nothing was used.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A quota that does not allow what was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuotaExceeded {
    /// Name of the quota, one of [`Quota::NAMES`].
    pub quota: &'static str,
    /// Its limit.
    pub limit: u64,
    /// What is in use.
    pub used: u64,
    /// When to try again, if that is known.
    pub retry_in: Option<Duration>,
}
