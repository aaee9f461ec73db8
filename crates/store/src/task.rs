//! One URL of a job, before and after.

use model::Found;
use weburl::HostKey;

use crate::{TaskId, TaskState, UnixMillis};

/// A URL to be admitted. The store's part of admission is the last: it is let in if its key is new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTask {
    /// The URL as first asked for; a redirect carries it along.
    pub requested_url: String,
    /// The dedupe form: one task per job and key.
    pub final_url: String,
    /// What to fetch.
    pub url: String,
    /// Whose politeness it falls under.
    pub host: HostKey,
    /// Hops from the seed.
    pub depth: u32,
    /// Redirects walked to get here.
    pub hops: u32,
    /// The page it was found on.
    pub via: Option<String>,
    /// How it was found.
    pub found: Found,
}

impl NewTask {
    /// A longer key than this is not kept: an index has to hold it.
    pub const MOST_KEY_BYTES: usize = 2_048;

    /// Whether it can be kept. One that cannot must not take its whole batch with it.
    pub fn fits(&self) -> bool {
        let texts = [&self.requested_url, &self.final_url, &self.url];
        self.final_url.len() <= Self::MOST_KEY_BYTES
            && self.host.as_str().len() <= Self::MOST_KEY_BYTES
            && !texts.iter().any(|text| text.contains('\0'))
    }
}

/// A task as it is listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredTask {
    /// Its number.
    pub id: TaskId,
    /// The URL as first asked for.
    pub requested_url: String,
    /// The dedupe form.
    pub final_url: String,
    /// What is fetched.
    pub url: String,
    /// Hops from the seed.
    pub depth: u32,
    /// Redirects walked to get here.
    pub hops: u32,
    /// Where it stands.
    pub state: TaskState,
    /// Attempts begun.
    pub attempt: u32,
    /// Why it failed, was skipped, or is tried again.
    pub error: Option<String>,
    /// The stable spelling of that.
    pub reason: Option<String>,
    /// When its row last changed.
    pub updated_at: UnixMillis,
}

/// A task that ended, for live events. `sequence` is the event's name to resume from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinishedTask {
    /// Grows by one with each task of the job that ends, in the order of commits.
    pub sequence: i64,
    /// The task.
    pub task: StoredTask,
}
