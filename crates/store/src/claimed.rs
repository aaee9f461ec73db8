//! A claimed task and its lease.

use std::sync::Arc;
use std::time::Duration;

use crawler_model::Discovery;
use crawler_weburl::HostKey;

use crate::{Fence, JobId, TaskId};

/// The timed right to a task. Every write about the task carries both numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lease {
    /// The task.
    pub task: TaskId,
    /// The number of the claim.
    pub fence: Fence,
}

/// A task with a lease on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claimed {
    /// Its lease.
    pub lease: Lease,
    /// The job it belongs to.
    pub job: JobId,
    /// The owner of the job.
    pub owner: Arc<str>,
    /// The weight of the owner.
    pub weight: i64,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// The URL as first requested.
    pub requested_url: String,
    /// The URL to fetch.
    pub url: String,
    /// The normalized URL that tasks are deduplicated by.
    pub final_url: String,
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
    /// How long to wait before the request. It is relative because clocks differ.
    pub delay: Duration,
    /// Time since the claim was made: `delay` counts from the claim, not from its response.
    pub age: Duration,
}
