//! The URLs of a job.

use crawler_model::Discovery;
use crawler_weburl::HostKey;

use crate::{TaskId, TaskState, UnixMillis};

/// A URL to admit. The store does the last step of admission: the URL is admitted if its key is new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTask {
    /// The URL as first requested; it stays the same across redirects.
    pub requested_url: String,
    /// The normalized URL that tasks are deduplicated by: one task per job and key.
    pub final_url: String,
    /// The URL to fetch.
    pub url: String,
    /// The host whose limits apply.
    pub host: HostKey,
    /// Hops from the seed.
    pub depth: u32,
    /// Redirects followed to get here.
    pub hops: u32,
    /// The page it was found on.
    pub via: Option<String>,
    /// How it was found.
    pub found: Discovery,
}

impl NewTask {
    /// Maximum length of a key: an index has to hold it.
    pub const MAX_KEY_BYTES: usize = 2_048;

    /// Number of bytes of its URLs.
    pub fn stored_bytes(&self) -> usize {
        let via = self.via.as_ref().map_or(0, String::len);
        self.requested_url.len() + self.final_url.len() + self.url.len() + via
    }

    /// Whether it can be stored. One that cannot must not fail its whole batch.
    pub fn fits(&self) -> bool {
        let texts = [&self.requested_url, &self.final_url, &self.url];
        self.final_url.len() <= Self::MAX_KEY_BYTES
            && self.host.as_str().len() <= Self::MAX_KEY_BYTES
            && !texts.iter().any(|text| text.contains('\0'))
    }
}

/// A task as it is listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredTask {
    /// Its id.
    pub id: TaskId,
    /// The URL as first requested.
    pub requested_url: String,
    /// The normalized URL that tasks are deduplicated by.
    pub final_url: String,
    /// The URL to fetch.
    pub url: String,
    /// Hops from the seed.
    pub depth: u32,
    /// Redirects followed to get here.
    pub hops: u32,
    /// Its state.
    pub state: TaskState,
    /// Number of attempts.
    pub attempt: u32,
    /// Why it failed, was skipped, or is retried.
    pub error: Option<String>,
    /// The same as a stable spelling.
    pub reason: Option<String>,
    /// Time of the last change.
    pub updated_at: UnixMillis,
}

/// A finished task, as a live event. `sequence` is the position to resume from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinishedTask {
    /// Grows by one with each finished task of the job, in the order of commits.
    pub sequence: i64,
    /// The task.
    pub task: StoredTask,
}
