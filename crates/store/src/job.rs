//! A stored piece of work.

use std::time::Duration;

use serde_json::Value;

use crate::{JobId, JobState, NewTask, UnixMillis};

/// What a job is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobKind {
    /// One page.
    Scrape,
    /// A list of pages.
    BatchScrape,
    /// A site's pages, as documents.
    Crawl,
    /// A site's URLs.
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

    /// From the stable spelling.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// A job's budgets; what is `None` is not limited.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct JobLimits {
    /// Links are followed while depth is below this. With it, depth is the shortest distance.
    pub max_depth: Option<u32>,
    /// Tasks admitted, seeds included.
    pub max_tasks: Option<u64>,
    /// Body bytes.
    pub max_bytes: Option<u64>,
    /// The hard end, counted from the job's creation by the database's clock.
    pub max_duration: Option<Duration>,
}

/// A job to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct NewJob {
    /// Its name, chosen by whoever asks.
    pub id: JobId,
    /// What it is for.
    pub kind: JobKind,
    /// What was asked, as it was asked.
    pub params: Value,
    /// Its budgets.
    pub limits: JobLimits,
    /// Where it begins.
    pub seeds: Vec<NewTask>,
}

/// What was asked of a job: enough to work on its tasks.
#[derive(Clone, PartialEq, Debug)]
pub struct JobOrder {
    /// Its name.
    pub id: JobId,
    /// What it is for.
    pub kind: JobKind,
    /// What was asked.
    pub params: Value,
}

/// Tasks by state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct JobCounts {
    /// Not begun, or waiting to be tried again.
    pub queued: u64,
    /// With a worker.
    pub processing: u64,
    /// Fetched and stored.
    pub done: u64,
    /// Could not be had.
    pub failed: u64,
    /// Not asked for.
    pub skipped: u64,
}

impl JobCounts {
    /// All tasks.
    pub fn total(&self) -> u64 {
        self.queued + self.processing + self.done + self.failed + self.skipped
    }
}

/// A job as it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// Its name.
    pub id: JobId,
    /// What it is for.
    pub kind: JobKind,
    /// Where it stands.
    pub state: JobState,
    /// What was asked.
    pub params: Value,
    /// Its budgets.
    pub limits: JobLimits,
    /// Why it failed.
    pub error: Option<String>,
    /// The limit or the person that ended it early: `max_bytes`, `max_duration`, `cancelled`.
    pub stop_reason: Option<String>,
    /// Tasks by state.
    pub counts: JobCounts,
    /// New tasks that `max_tasks`, or an end come early, kept out.
    pub left_out: u64,
    /// Documents stored.
    pub documents: u64,
    /// Mapped URLs stored.
    pub mapped_urls: u64,
    /// Body bytes.
    pub bytes: u64,
    /// When it was made.
    pub created_at: UnixMillis,
    /// When its row last changed.
    pub updated_at: UnixMillis,
}

/// Which jobs to list.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct JobFilter {
    /// Only those that stand here.
    pub state: Option<JobState>,
    /// Only those for this.
    pub kind: Option<JobKind>,
}

/// What cancelling led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cancel {
    /// It is cancelled now.
    Cancelled,
    /// It had ended before.
    AlreadyFinal(JobState),
    /// There is no such job.
    NotFound,
}
