//! Jobs: stored pieces of work.

use std::time::Duration;

use serde_json::Value;

use crate::{
    IdempotencyKey, JobId, JobState, JobStopReason, NewTask, Owner, Priority, RefusedCounts,
    UnixMillis,
};

/// The kind of a job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobKind {
    /// One page.
    Scrape,
    /// A list of pages.
    BatchScrape,
    /// The pages of a site, as documents.
    Crawl,
    /// The URLs of a site.
    Map,
}

impl JobKind {
    /// Every kind, for tables and tests.
    pub const ALL: [Self; 4] = [Self::Scrape, Self::BatchScrape, Self::Crawl, Self::Map];

    /// The stable spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scrape => "scrape",
            Self::BatchScrape => "batch_scrape",
            Self::Crawl => "crawl",
            Self::Map => "map",
        }
    }

    /// Parses the stable spelling.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// The limits of a job; `None` is unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct JobLimits {
    /// Links are followed below this depth. With it, depth is the shortest distance from a seed.
    pub max_depth: Option<u32>,
    /// Admitted tasks, including seeds.
    pub max_tasks: Option<u64>,
    /// Body bytes.
    pub max_bytes: Option<u64>,
    /// Time from the job's creation to its end, by the database's clock.
    pub max_duration: Option<Duration>,
}

/// A job to create.
#[derive(Clone, PartialEq, Debug)]
pub struct NewJob {
    /// Its id, chosen by the caller.
    pub id: JobId,
    /// Its owner.
    pub owner: Owner,
    /// Its priority among the jobs of its owner.
    pub priority: Priority,
    /// Its kind.
    pub kind: JobKind,
    /// The parameters of the request, unchanged.
    pub params: Value,
    /// Its limits.
    pub limits: JobLimits,
    /// Whether all of its pages are rendered in a browser.
    pub renders: bool,
    /// Its first tasks.
    pub seeds: Vec<NewTask>,
    /// The key that its request can be repeated with.
    pub idempotency: Option<IdempotencyKey>,
}

/// What a job was created with: enough to work on its tasks.
#[derive(Clone, PartialEq, Debug)]
pub struct JobRequest {
    /// Its id.
    pub id: JobId,
    /// Its kind.
    pub kind: JobKind,
    /// The parameters of the request.
    pub params: Value,
}

/// The number of tasks in each state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct JobCounts {
    /// Not started, or waiting for a retry.
    pub queued: u64,
    /// Held by a worker.
    pub processing: u64,
    /// Fetched and stored.
    pub done: u64,
    /// Could not be fetched.
    pub failed: u64,
    /// Not fetched on purpose.
    pub skipped: u64,
}

impl JobCounts {
    /// All tasks.
    pub fn total(&self) -> u64 {
        self.queued + self.processing + self.done + self.failed + self.skipped
    }
}

/// A job and its progress.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Its owner.
    pub owner: Owner,
    /// Its priority among the jobs of its owner.
    pub priority: Priority,
    /// Its kind.
    pub kind: JobKind,
    /// Its state.
    pub state: JobState,
    /// The parameters of the request.
    pub params: Value,
    /// Its limits.
    pub limits: JobLimits,
    /// Error message, if it failed.
    pub error: Option<String>,
    /// Why it did not fetch everything.
    pub stop_reason: Option<JobStopReason>,
    /// Tasks by state.
    pub counts: JobCounts,
    /// New tasks that were not admitted, because of `max_tasks` or an early end. Counted up to
    /// [`MAX_LEFT_OUT`](crate::backend::MAX_LEFT_OUT).
    pub left_out: u64,
    /// URLs that were not followed, by reason.
    pub refused: RefusedCounts,
    /// Documents stored.
    pub documents: u64,
    /// Mapped URLs stored.
    pub mapped_urls: u64,
    /// Body bytes.
    pub bytes: u64,
    /// Creation time.
    pub created_at: UnixMillis,
    /// Time of the last change.
    pub updated_at: UnixMillis,
}

/// Which jobs to list.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct JobFilter {
    /// Only jobs in this state.
    pub state: Option<JobState>,
    /// Only jobs of this kind.
    pub kind: Option<JobKind>,
}

/// The result of cancelling a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cancel {
    /// The job is cancelled.
    Cancelled,
    /// The job had already ended.
    AlreadyFinal(JobState),
    /// There is no such job.
    NotFound,
}
