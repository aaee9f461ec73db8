//! Code shared by both SQL stores: the rules of a job, and the conversion of rows. Each store adds only its SQL.
//!
//! A store implements [`JobTransaction`], the statements of one writing transaction, and [`Backend`]; the functions
//! here put the statements in order. Callers of a store need none of this.

mod admit;
mod cancel;
mod conclude;
mod create_job;
mod excess_rows;
mod fair_queue;
mod fair_shares;
mod job_sweep;
mod job_transaction;
mod job_window;
mod lane_search;
mod lane_sweep;
mod locked_job;
mod locked_job_row;
mod numbers;
mod open_jobs;
mod owner_quotas;
mod paging;
mod reconcile;
mod redirect_loops;
mod refuse;
mod rows;
mod settle;
mod starts;
mod woken;

use std::time::Duration;

pub use cancel::cancel;
pub use conclude::conclude;
pub use create_job::{MAX_SEEDS_PER_STEP, create_job};
pub use fair_queue::OpenJob;
pub use fair_shares::{Allotment, ClaimLane, FairShares};
pub use job_sweep::JobSweep;
pub use job_transaction::{
    Backend, HeldLease, InsertedTasks, JobTransaction, NextLevel, SkippedTasks, TaskUpdate,
};
pub use job_window::{
    JobWindow, MAX_JOBS_READ, MAX_OWNERS_READ, OwnerWindow, WindowReading, WindowRow,
};
pub use lane_search::{CrowdedHost, LaneRow, LaneSearch, PostponedLane, SearchPart};
pub use lane_sweep::LaneSweep;
pub use locked_job::{Conclusion, LockedJob};
pub use locked_job_row::LockedJobRow;
pub use numbers::{
    ALONE_AFTER, ALONE_AFTER_LOST_LEASES, MAX_LOST_LEASES, from_millis, poison_limit, to_i32,
    to_i64, to_millis, to_u64,
};
pub use open_jobs::{OpenJobsReader, open_jobs};
pub use owner_quotas::UsageCache;
pub use paging::{
    after_id, before_job, document_page, job, job_page, mapped_page, page_limit, task_page,
};
pub use reconcile::reconcile;
pub use redirect_loops::MAX_CHAIN_REDIRECTS;
pub use rows::{
    ApiKeyRow, ClaimedRow, CountsRow, DAY_MILLIS, DocumentRow, JobRow, JsonColumn, KindRow,
    MappedUrlRow, OwnerUsageRow, RequestRow, RobotsRow, TaskRow, TotalsRow, claimed_from,
    finished_tasks, lost_leases, statistics,
};
pub use settle::settle;
pub use starts::{set_starts, taken_from};
pub use woken::Woken;

/// Maximum number of tasks in one claim: the lease has to outlast the work.
pub const MAX_CLAIM: usize = 1_000;
/// Maximum number of tasks of a job that change state in one transaction, so that others can write too.
pub const MAX_TASKS_PER_STEP: i64 = 2_000;
/// Maximum number of tasks and mapped URLs that one transaction settles; see [`Settlement::rows`](crate::Settlement::rows).
pub const MAX_ROWS_PER_SETTLEMENT: usize = 2_000;
/// Maximum number of bytes of documents that one transaction stores or deletes, unless one document is larger.
pub const MAX_DOCUMENT_BYTES_PER_STEP: usize = 4 << 20;
/// Maximum number of bytes of URLs that one transaction settles: each is parsed, compared and indexed, so they take longer than
/// those of documents.
pub const MAX_URL_BYTES_PER_STEP: usize = 1 << 20;
/// Number of left-out URLs of a job from which no more are counted: each takes space until the job has ended.
pub const MAX_LEFT_OUT: i64 = 1_000_000;
/// With fewer open tasks than this, the next part of a depth level is opened.
pub const MIN_OPEN_TASKS: i64 = 1_000;
/// How much longer than its maximum duration a job may exist without being started.
pub const MAX_WAIT: Duration = Duration::from_hours(24 * 7);
/// Maximum number of jobs in one round of reconciling; the next round takes the rest.
pub const MAX_JOBS_PER_ROUND: i64 = 500;
/// Maximum number of open jobs that one round of reconciling checks; the next round continues after them.
pub const MAX_JOBS_CHECKED: i64 = 2_000;
/// Maximum number of lanes of crowded hosts that one claim postpones; the next claims postpone the rest.
pub const MAX_CROWDED_LANES: i64 = 2_000;
/// Maximum number of lanes in one round of reconciling; the next round continues after them.
pub const MAX_LANES_PER_ROUND: i64 = 2_000;
