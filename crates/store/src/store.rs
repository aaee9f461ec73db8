//! The contract between what works on jobs and what keeps them.

use std::future::Future;
use std::time::Duration;

use uuid::Uuid;
use weburl::HostKey;

use crate::{
    ApiKey, Cancel, Checkpoint, Claimed, Cursor, Document, FinishedTask, Job, JobFilter, JobId,
    JobOrder, KeyHash, Lease, MappedUrl, NewJob, Page, Reconciled, Rescue, Rescued, RobotsText,
    Settled, Settlement, Statistics, StoreError, StoredRobots, StoredTask, TaskState, Turn, TurnId,
    WorkerId,
};

/// Short for what every verb returns.
type Answer<T> = Result<T, StoreError>;

/// Who keeps jobs, tasks and documents. A clone is another handle on the same store.
///
/// Lease times come from the database's clock alone. Whatever a call promises is committed when it returns `Ok`.
pub trait Store: Clone + Send + Sync + 'static {
    /// Makes a job and its first tasks, or nothing. A job without seeds has failed from the start.
    fn create_job(&self, job: NewJob) -> impl Future<Output = Answer<()>> + Send;

    /// A job as it stands.
    fn job(&self, id: JobId) -> impl Future<Output = Answer<Option<Job>>> + Send;

    /// What was asked of a job, which costs the same whatever its size.
    fn order(&self, id: JobId) -> impl Future<Output = Answer<Option<JobOrder>>> + Send;

    /// Jobs, newest first.
    fn jobs(
        &self,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = Answer<Page<Job>>> + Send;

    /// Queued tasks become skipped, those with workers are taken from them, what was stored stays.
    fn cancel(&self, id: JobId) -> impl Future<Output = Answer<Cancel>> + Send;

    /// Up to `most` tasks whose hosts allow it, each with a lease of this length.
    fn claim(
        &self,
        worker: &WorkerId,
        most: usize,
        lease: Duration,
    ) -> impl Future<Output = Answer<Vec<Claimed>>> + Send;

    /// Renews all of a worker's leases in one statement; returns those that are lost.
    fn renew(
        &self,
        worker: &WorkerId,
        leases: &[Lease],
        lease: Duration,
    ) -> impl Future<Output = Answer<Vec<Lease>>> + Send;

    /// Writes what became of tasks, in one transaction. What a lost lease brought is dropped alone.
    fn settle(
        &self,
        batch: Vec<Settlement>,
        checkpoint: Option<Checkpoint>,
    ) -> impl Future<Output = Answer<Settled>> + Send;

    /// The bytes last written under this key.
    fn checkpoint(&self, key: &str) -> impl Future<Output = Answer<Option<Vec<u8>>>> + Send;

    /// Takes back leases. A task that ended its worker too often fails as `poisoned`.
    fn rescue(&self, which: Rescue) -> impl Future<Output = Answer<Rescued>> + Send;

    /// Repeats the rules that settling applies, and ends jobs whose time is up.
    fn reconcile(&self) -> impl Future<Output = Answer<Reconciled>> + Send;

    /// Least time between two requests to a host: its crawl-delay. The longest asked for holds.
    fn slow_host(
        &self,
        host: &HostKey,
        interval: Duration,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// No request to a host for this long: its `Retry-After`. The latest end asked for holds.
    fn pause_host(
        &self,
        host: &HostKey,
        pause: Duration,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// One request to a host outside of any job, if it is the host's turn; the slot is free again after `lease`.
    fn take_turn(
        &self,
        host: &HostKey,
        lease: Duration,
    ) -> impl Future<Output = Answer<Turn>> + Send;

    /// Gives a slot back.
    fn end_turn(&self, turn: TurnId) -> impl Future<Output = Answer<()>> + Send;

    /// Takes a host's next start for a request that no claim gave one: how long to wait for it.
    fn reserve_start(&self, host: &HostKey) -> impl Future<Output = Answer<Duration>> + Send;

    /// A job's documents, in the order they were stored.
    fn documents(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = Answer<Page<Document>>> + Send;

    /// A job's mapped URLs, in the order they were stored.
    fn mapped(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = Answer<Page<MappedUrl>>> + Send;

    /// A job's tasks, in the order they were admitted.
    fn tasks(
        &self,
        job: JobId,
        state: Option<TaskState>,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> impl Future<Output = Answer<Page<StoredTask>>> + Send;

    /// Tasks that ended after this event, in the order of commits; none is ever passed over.
    fn finished_since(
        &self,
        job: JobId,
        sequence: i64,
        limit: u32,
    ) -> impl Future<Output = Answer<Vec<FinishedTask>>> + Send;

    /// Adds an API key by its hash; `Conflict` when the name or the key is taken.
    fn add_key(&self, name: &str, hash: KeyHash) -> impl Future<Output = Answer<ApiKey>> + Send;

    /// Every key, revoked ones too.
    fn keys(&self) -> impl Future<Output = Answer<Vec<ApiKey>>> + Send;

    /// Revokes a key; false when there is no such key in use.
    fn revoke_key(&self, id: Uuid) -> impl Future<Output = Answer<bool>> + Send;

    /// The key with this hash, unless it was revoked.
    fn verify_key(&self, hash: KeyHash) -> impl Future<Output = Answer<Option<ApiKey>>> + Send;

    /// What is remembered of an origin's robots.txt.
    fn robots(&self, origin: &str) -> impl Future<Output = Answer<Option<StoredRobots>>> + Send;

    /// Remembers an origin's robots.txt.
    fn keep_robots(
        &self,
        origin: &str,
        robots: RobotsText,
    ) -> impl Future<Output = Answer<()>> + Send;

    /// Deletes at most `most` rows of final jobs that ended longer ago than `age`; returns how many.
    /// Zero means that nothing is left to delete.
    fn prune(&self, age: Duration, most: u32) -> impl Future<Output = Answer<u64>> + Send;

    /// Forgets robots.txt files and hosts without work that nobody asked for so long; returns how many.
    fn forget(&self, age: Duration) -> impl Future<Output = Answer<u64>> + Send;

    /// Whether the store can be read and written now: it tries.
    fn ready(&self) -> impl Future<Output = Answer<()>> + Send;

    /// Numbers for an operator.
    fn statistics(&self) -> impl Future<Output = Answer<Statistics>> + Send;
}
