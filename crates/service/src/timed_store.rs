//! A store that is timed: how long each verb took, and how often it failed, for those who watch.

use std::time::{Duration, Instant};

use store::{
    ApiKey, Cancel, Checkpoint, Claimed, Cursor, Document, FinishedTask, Job, JobFilter, JobId,
    JobOrder, KeyHash, Lease, MappedUrl, NewJob, Page, Reconciled, Rescue, Rescued, RobotsText,
    Settled, Settlement, Statistics, Store, StoreError, StoredRobots, StoredTask, TaskState, Turn,
    TurnId, WorkerId,
};
use uuid::Uuid;
use weburl::HostKey;

type Answer<T> = Result<T, StoreError>;

/// The same store, with a clock beside it.
#[derive(Clone, Debug)]
pub struct TimedStore<S> {
    inner: S,
}

impl<S: Store> TimedStore<S> {
    /// Times every call from now on.
    pub fn new(inner: S) -> Self {
        Self { inner }
    }
}

async fn timed<T>(verb: &'static str, call: impl Future<Output = Answer<T>>) -> Answer<T> {
    let begun = Instant::now();
    let answer = call.await;
    metrics::histogram!("crawler_store_seconds", "verb" => verb).record(begun.elapsed());
    let failed = match &answer {
        // A caller's mistake is none of the store's.
        Ok(_) | Err(StoreError::Conflict(_)) => 0,
        Err(_) => 1,
    };
    metrics::counter!("crawler_store_errors_total", "verb" => verb).increment(failed);
    answer
}

impl<S: Store> Store for TimedStore<S> {
    async fn create_job(&self, job: NewJob) -> Answer<()> {
        timed("create_job", self.inner.create_job(job)).await
    }

    async fn job(&self, id: JobId) -> Answer<Option<Job>> {
        timed("job", self.inner.job(id)).await
    }

    async fn order(&self, id: JobId) -> Answer<Option<JobOrder>> {
        timed("order", self.inner.order(id)).await
    }

    async fn jobs(
        &self,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> Answer<Page<Job>> {
        timed("jobs", self.inner.jobs(filter, limit, cursor)).await
    }

    async fn cancel(&self, id: JobId) -> Answer<Cancel> {
        timed("cancel", self.inner.cancel(id)).await
    }

    async fn claim(&self, worker: &WorkerId, most: usize, lease: Duration) -> Answer<Vec<Claimed>> {
        timed("claim", self.inner.claim(worker, most, lease)).await
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        leases: &[Lease],
        lease: Duration,
    ) -> Answer<Vec<Lease>> {
        timed("renew", self.inner.renew(worker, leases, lease)).await
    }

    async fn settle(
        &self,
        batch: Vec<Settlement>,
        checkpoint: Option<Checkpoint>,
    ) -> Answer<Settled> {
        timed("settle", self.inner.settle(batch, checkpoint)).await
    }

    async fn checkpoint(&self, key: &str) -> Answer<Option<Vec<u8>>> {
        timed("checkpoint", self.inner.checkpoint(key)).await
    }

    async fn rescue(&self, which: Rescue) -> Answer<Rescued> {
        timed("rescue", self.inner.rescue(which)).await
    }

    async fn reconcile(&self) -> Answer<Reconciled> {
        timed("reconcile", self.inner.reconcile()).await
    }

    async fn slow_host(&self, host: &HostKey, interval: Duration) -> Answer<()> {
        timed("slow_host", self.inner.slow_host(host, interval)).await
    }

    async fn pause_host(&self, host: &HostKey, pause: Duration) -> Answer<()> {
        timed("pause_host", self.inner.pause_host(host, pause)).await
    }

    async fn reserve_start(&self, host: &HostKey) -> Answer<Duration> {
        timed("reserve_start", self.inner.reserve_start(host)).await
    }

    async fn take_turn(&self, host: &HostKey, lease: Duration) -> Answer<Turn> {
        timed("take_turn", self.inner.take_turn(host, lease)).await
    }

    async fn end_turn(&self, turn: TurnId) -> Answer<()> {
        timed("end_turn", self.inner.end_turn(turn)).await
    }

    async fn documents(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> Answer<Page<Document>> {
        timed("documents", self.inner.documents(job, limit, cursor)).await
    }

    async fn mapped(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> Answer<Page<MappedUrl>> {
        timed("mapped", self.inner.mapped(job, limit, cursor)).await
    }

    async fn tasks(
        &self,
        job: JobId,
        state: Option<TaskState>,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> Answer<Page<StoredTask>> {
        timed("tasks", self.inner.tasks(job, state, limit, cursor)).await
    }

    async fn finished_since(
        &self,
        job: JobId,
        sequence: i64,
        limit: u32,
    ) -> Answer<Vec<FinishedTask>> {
        timed(
            "finished_since",
            self.inner.finished_since(job, sequence, limit),
        )
        .await
    }

    async fn add_key(&self, name: &str, hash: KeyHash) -> Answer<ApiKey> {
        timed("add_key", self.inner.add_key(name, hash)).await
    }

    async fn keys(&self) -> Answer<Vec<ApiKey>> {
        timed("keys", self.inner.keys()).await
    }

    async fn revoke_key(&self, id: Uuid) -> Answer<bool> {
        timed("revoke_key", self.inner.revoke_key(id)).await
    }

    async fn verify_key(&self, hash: KeyHash) -> Answer<Option<ApiKey>> {
        timed("verify_key", self.inner.verify_key(hash)).await
    }

    async fn robots(&self, origin: &str) -> Answer<Option<StoredRobots>> {
        timed("robots", self.inner.robots(origin)).await
    }

    async fn keep_robots(&self, origin: &str, robots: RobotsText) -> Answer<()> {
        timed("keep_robots", self.inner.keep_robots(origin, robots)).await
    }

    async fn prune(&self, age: Duration, most: u32) -> Answer<u64> {
        timed("prune", self.inner.prune(age, most)).await
    }

    async fn forget(&self, age: Duration) -> Answer<u64> {
        timed("forget", self.inner.forget(age)).await
    }

    async fn ready(&self) -> Answer<()> {
        timed("ready", self.inner.ready()).await
    }

    async fn statistics(&self) -> Answer<Statistics> {
        timed("statistics", self.inner.statistics()).await
    }
}
