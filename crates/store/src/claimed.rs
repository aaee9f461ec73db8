//! What a worker gets, and the right to write about it.

use std::time::Duration;

use model::Found;
use weburl::HostKey;

use crate::{Fence, JobId, TaskId};

/// The timed right to a task: every write about it repeats both numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lease {
    /// The task.
    pub task: TaskId,
    /// The claim's number.
    pub fence: Fence,
}

/// A task with a lease on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claimed {
    /// The right to it.
    pub lease: Lease,
    /// Whose it is.
    pub job: JobId,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// The URL as first asked for.
    pub requested_url: String,
    /// What to fetch.
    pub url: String,
    /// The dedupe form.
    pub final_url: String,
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
    /// How long to wait before the request: clocks differ, so no time of day travels.
    pub delay: Duration,
    /// How long ago that was said: `delay` counts from the claim's moment, not from its answer.
    pub age: Duration,
}
