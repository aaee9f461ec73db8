//! The statements of one writing transaction: each store writes them in its own SQL.

use std::collections::HashMap;
use std::time::Duration;

use super::{LockedJob, UsageCache, Woken};
use crate::{
    AddedUsage, JobCounts, JobCreation, JobId, JobStopReason, Lease, NewDocument, NewJob,
    NewMappedUrl, NewTask, OwnerUsage, Quota, RefusedUrl, StoreError, TaskState,
};

/// A store that the shared rules can run on.
pub trait Backend: Sync {
    /// A writing transaction.
    type Transaction: JobTransaction<Error = Self::Error>;
    /// The database's error.
    type Error: Send;

    /// Begins a writing transaction.
    fn begin(&self) -> impl Future<Output = Result<Self::Transaction, Self::Error>> + Send;

    /// Sorts a database error by what the caller does next.
    fn fault(error: Self::Error) -> StoreError;

    /// Quotas of owners whose keys do not set others.
    fn default_quota(&self) -> &Quota;

    /// What owners use, as last read.
    fn usage_cache(&self) -> &UsageCache;

    /// Jobs of an owner that are open and not being ended, up to
    /// [`MAX_JOBS_PER_ROUND`](super::MAX_JOBS_PER_ROUND).
    fn running_jobs(
        &self,
        owner: &str,
    ) -> impl Future<Output = Result<Vec<JobId>, Self::Error>> + Send;

    /// Counts a job's tasks by state.
    fn count_tasks(
        &self,
        job: JobId,
    ) -> impl Future<Output = Result<JobCounts, Self::Error>> + Send;

    /// Jobs that are due to end, then jobs without a task that could advance them.
    fn jobs_to_reconcile(&self) -> impl Future<Output = Result<Vec<JobId>, Self::Error>> + Send;

    /// Deletes some rows of a job whose creation was not completed in time; returns how many.
    fn delete_abandoned(&self) -> impl Future<Output = Result<u64, Self::Error>> + Send;

    /// Deletes some of the left-out URL hashes of ended jobs; returns how many.
    fn delete_left_out(&self) -> impl Future<Output = Result<u64, Self::Error>> + Send;

    /// Frees expired turns, and creates the missing lanes of a part of the queued tasks; returns how many.
    fn restore_lanes(&self) -> impl Future<Output = Result<u64, Self::Error>> + Send;
}

/// The holder of a lease, as the task's row has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldLease {
    /// The task's job.
    pub job: JobId,
    /// The task's host.
    pub host: String,
    /// The normalized URL that tasks are deduplicated by.
    pub final_url: String,
}

/// The result of inserting tasks.
#[derive(Default, Debug)]
pub struct InsertedTasks {
    /// Tasks that were inserted: those with a new key and within the job's limit.
    pub inserted: i64,
    /// Positions of the tasks with a new key that exceeded the limit.
    pub refused: Vec<usize>,
    /// Hosts of inserted tasks that are not gated, and of those that were moved.
    pub hosts: Vec<String>,
}

/// The result of skipping tasks.
#[derive(Default, Debug)]
pub struct SkippedTasks {
    /// How many tasks.
    pub count: i64,
    /// Their hosts; the job's lanes there are to be deleted.
    pub hosts: Vec<String>,
}

/// The next depth level of a job.
#[derive(Clone, Copy, Debug)]
pub struct NextLevel {
    /// The smallest depth among gated tasks.
    pub depth: Option<i64>,
    /// Whether it may be opened: nothing nearer is ready or held, or the open part runs low.
    pub may_open: bool,
    /// Whether a task is queued or held, gated or not.
    pub has_open_tasks: bool,
}

/// The write that settles one task.
#[derive(Clone, Debug)]
pub struct TaskUpdate<'a> {
    /// The lease that the write carries.
    pub lease: Lease,
    /// The task's new state.
    pub state: TaskState,
    /// Human-readable reason.
    pub error: Option<&'a str>,
    /// Machine-readable reason.
    pub reason: Option<&'a str>,
    /// Body bytes to add.
    pub bytes: i64,
    /// Its number among the job's finished tasks; `None` if it is queued again.
    pub sequence: Option<i64>,
    /// Milliseconds until it may be claimed again; `None` if it is finished.
    pub retry_in: Option<i64>,
    /// The attempt does not count.
    pub handed_back: bool,
    /// The key of the task that a redirect leads to.
    pub redirects_to: Option<&'a str>,
}

/// The statements of one writing transaction.
pub trait JobTransaction: Send {
    /// The database's error.
    type Error: Send;

    /// An error about stored data that contradicts itself.
    fn inconsistent(message: String) -> Self::Error;

    /// Inserts a job's row, unless a job has its idempotency key. Waits for another transaction that inserts the key.
    fn insert_job(
        &mut self,
        job: &NewJob,
    ) -> impl Future<Output = Result<JobCreation, Self::Error>> + Send;

    /// Makes other transactions that lock the owner wait until the end of this one.
    fn lock_owner(&mut self, owner: &str) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// What an owner uses.
    fn owner_usage(
        &mut self,
        owner: &str,
    ) -> impl Future<Output = Result<OwnerUsage, Self::Error>> + Send;

    /// Counts what owners, in ascending order, used.
    fn add_usage(
        &mut self,
        added: &[(&str, AddedUsage)],
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Marks a new job as incomplete: until it is completed it exists for nobody, and all its tasks are gated. It is deleted
    /// after this time. It does not have its idempotency key yet.
    fn begin_creation(
        &mut self,
        job: JobId,
        time: Duration,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Allows this much more time for an incomplete job; returns whether it still exists.
    fn extend_creation(
        &mut self,
        job: JobId,
        time: Duration,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send;

    /// Completes a job, unless another job has its idempotency key: then it is deleted later.
    fn complete_creation(
        &mut self,
        job: &NewJob,
    ) -> impl Future<Output = Result<JobCreation, Self::Error>> + Send;

    /// Reads these jobs' rows and locks them until the end, in ascending order.
    fn lock_jobs(
        &mut self,
        jobs: &[JobId],
    ) -> impl Future<Output = Result<Vec<LockedJob>, Self::Error>> + Send;

    /// Writes a job's row back; `error` replaces the stored one if there is one.
    fn write_job(
        &mut self,
        job: &LockedJob,
        error: Option<String>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The leases among these that still hold.
    fn held_leases(
        &mut self,
        leases: &[Lease],
    ) -> impl Future<Output = Result<HashMap<Lease, HeldLease>, Self::Error>> + Send;

    /// Inserts the tasks whose key is new, up to the job's limit. No two of them share a key. Gated tasks with a key among them
    /// that were found at a greater depth are moved to theirs.
    fn insert_tasks(
        &mut self,
        job: &LockedJob,
        tasks: &[&NewTask],
    ) -> impl Future<Output = Result<InsertedTasks, Self::Error>> + Send;

    /// Remembers these hashes of URLs that were left out; returns how many are new.
    fn insert_left_out(
        &mut self,
        job: JobId,
        hashes: &[i64],
    ) -> impl Future<Output = Result<i64, Self::Error>> + Send;

    /// Forgets these hashes; returns how many were remembered.
    fn remove_left_out(
        &mut self,
        job: JobId,
        hashes: &[i64],
    ) -> impl Future<Output = Result<i64, Self::Error>> + Send;

    /// Stores URLs that are refused as skipped tasks, unless their key is known; returns the reasons of those stored. No two of
    /// them share a key. Their sequence numbers follow the job's.
    fn insert_refused(
        &mut self,
        job: &LockedJob,
        refused: &[&RefusedUrl],
    ) -> impl Future<Output = Result<Vec<String>, Self::Error>> + Send;

    /// Deletes the tasks with these keys that were never more than refused for one of these reasons; returns the reason of each.
    fn remove_refused(
        &mut self,
        job: JobId,
        keys: &[String],
        reasons: &[String],
    ) -> impl Future<Output = Result<Vec<String>, Self::Error>> + Send;

    /// Inserts documents; one per `final_url`, the first one stays. Returns the bytes of those that are new.
    fn insert_documents(
        &mut self,
        job: JobId,
        documents: &[&NewDocument],
    ) -> impl Future<Output = Result<i64, Self::Error>> + Send;

    /// Inserts mapped URLs.
    fn insert_mapped_urls(
        &mut self,
        job: JobId,
        links: &[&NewMappedUrl],
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// The redirects that chains of redirects from these keys consist of, each as its own key and that of its target; not more
    /// than [`MAX_CHAIN_REDIRECTS`](super::MAX_CHAIN_REDIRECTS), the nearest ones.
    fn redirects_from(
        &mut self,
        job: JobId,
        keys: &[&str],
    ) -> impl Future<Output = Result<Vec<(String, String)>, Self::Error>> + Send;

    /// Writes tasks whose leases hold; returns how many rows changed.
    fn update_tasks(
        &mut self,
        updates: &[TaskUpdate<'_>],
    ) -> impl Future<Output = Result<u64, Self::Error>> + Send;

    /// Skips some of a job's open tasks: queued ones, and with `held` those that workers hold too. A job may have
    /// millions of them, so no transaction takes them all.
    fn skip_tasks(
        &mut self,
        job: &LockedJob,
        reason: JobStopReason,
        held: bool,
    ) -> impl Future<Output = Result<SkippedTasks, Self::Error>> + Send;

    /// What decides whether the next depth level is opened.
    fn next_level(
        &mut self,
        job: &LockedJob,
    ) -> impl Future<Output = Result<NextLevel, Self::Error>> + Send;

    /// Opens a level, or a part of it; returns the hosts of its tasks.
    fn open_level(
        &mut self,
        job: &LockedJob,
        depth: i64,
    ) -> impl Future<Output = Result<Vec<String>, Self::Error>> + Send;

    /// Whether a task is queued or held.
    fn has_open_tasks(
        &mut self,
        job: &LockedJob,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send;

    /// Whether a task was ever claimed, for stores whose claims may leave the job's state alone.
    fn was_claimed(
        &mut self,
        _job: &LockedJob,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send {
        std::future::ready(Ok(false))
    }

    /// Counts a job's tasks by state.
    fn count_tasks(
        &mut self,
        job: JobId,
    ) -> impl Future<Output = Result<JobCounts, Self::Error>> + Send;

    /// The first failed task's error, else the first reason for a skip.
    fn first_error(
        &mut self,
        job: JobId,
    ) -> impl Future<Output = Result<Option<String>, Self::Error>> + Send;

    /// Lets claims check these lanes and hosts again. Lanes are created if they do not exist.
    fn wake(&mut self, woken: &Woken) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Commits.
    fn commit(self) -> impl Future<Output = Result<(), Self::Error>> + Send;
}
