//! The handle, and the trait's verbs, each kept in a file of its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use store::{
    ApiKey, Cancel, Checkpoint, Claimed, Cursor, Document, FinishedTask, Job, JobFilter, JobId,
    JobOrder, KeyHash, Lease, MappedUrl, NewJob, Page, Reconciled, Rescue, Rescued, RobotsText,
    Settled, Settlement, Statistics, Store, StoreError, StoredRobots, StoredTask, TaskState, Turn,
    TurnId, WorkerId,
};
use uuid::Uuid;
use weburl::HostKey;

use crate::fault::fault;
use crate::{
    PostgresOptions, cancel, claim, create_job, hosts, keys, listing, prune, reconcile, rescue,
    robots, settle, statistics, turns,
};

/// The store on Postgres.
#[derive(Clone, Debug)]
pub struct PostgresStore {
    pub(crate) pool: PgPool,
    pub(crate) options: PostgresOptions,
    /// How far the hosts were looked through for forgotten ones.
    swept: Arc<Mutex<String>>,
}

impl PostgresStore {
    pub(crate) fn new(pool: PgPool, options: PostgresOptions) -> Self {
        Self {
            pool,
            options,
            swept: Arc::default(),
        }
    }

    pub(crate) fn swept_hosts(&self) -> String {
        let swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        swept.clone()
    }

    pub(crate) fn set_swept_hosts(&self, last: String) {
        *self.swept.lock().unwrap_or_else(PoisonError::into_inner) = last;
    }

    /// Closes the connections; calls still under way end first.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

impl Store for PostgresStore {
    async fn create_job(&self, job: NewJob) -> Result<(), StoreError> {
        create_job::create_job(self, job).await.map_err(fault)
    }

    async fn job(&self, id: JobId) -> Result<Option<Job>, StoreError> {
        listing::job(self, id).await
    }

    async fn order(&self, id: JobId) -> Result<Option<JobOrder>, StoreError> {
        listing::order(self, id).await
    }

    async fn jobs(
        &self,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> Result<Page<Job>, StoreError> {
        listing::jobs(self, filter, limit, cursor).await
    }

    async fn cancel(&self, id: JobId) -> Result<Cancel, StoreError> {
        cancel::cancel(self, id).await
    }

    async fn claim(
        &self,
        worker: &WorkerId,
        most: usize,
        lease: Duration,
    ) -> Result<Vec<Claimed>, StoreError> {
        claim::claim(self, worker, most, lease).await.map_err(fault)
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        leases: &[Lease],
        lease: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        claim::renew(self, worker, leases, lease)
            .await
            .map_err(fault)
    }

    async fn settle(
        &self,
        batch: Vec<Settlement>,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Settled, StoreError> {
        settle::settle(self, batch, checkpoint).await
    }

    async fn checkpoint(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        sqlx::query_scalar!("SELECT bytes FROM checkpoints WHERE key = $1", key)
            .fetch_optional(&self.pool)
            .await
            .map_err(fault)
    }

    async fn rescue(&self, which: Rescue) -> Result<Rescued, StoreError> {
        rescue::rescue(self, which).await
    }

    async fn reconcile(&self) -> Result<Reconciled, StoreError> {
        reconcile::reconcile(self).await
    }

    async fn slow_host(&self, host: &HostKey, interval: Duration) -> Result<(), StoreError> {
        hosts::slow(self, host, interval).await.map_err(fault)
    }

    async fn pause_host(&self, host: &HostKey, pause: Duration) -> Result<(), StoreError> {
        hosts::pause(self, host, pause).await.map_err(fault)
    }

    async fn take_turn(&self, host: &HostKey, lease: Duration) -> Result<Turn, StoreError> {
        turns::take(self, host, lease).await.map_err(fault)
    }

    async fn end_turn(&self, turn: TurnId) -> Result<(), StoreError> {
        turns::end(self, turn).await.map_err(fault)
    }

    async fn reserve_start(&self, host: &HostKey) -> Result<Duration, StoreError> {
        hosts::reserve_start(self, host).await.map_err(fault)
    }

    async fn documents(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> Result<Page<Document>, StoreError> {
        listing::documents(self, job, limit, cursor).await
    }

    async fn mapped(
        &self,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> Result<Page<MappedUrl>, StoreError> {
        listing::mapped(self, job, limit, cursor).await
    }

    async fn tasks(
        &self,
        job: JobId,
        state: Option<TaskState>,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> Result<Page<StoredTask>, StoreError> {
        listing::tasks(self, job, state, limit, cursor).await
    }

    async fn finished_since(
        &self,
        job: JobId,
        sequence: i64,
        limit: u32,
    ) -> Result<Vec<FinishedTask>, StoreError> {
        listing::finished_since(self, job, sequence, limit).await
    }

    async fn add_key(&self, name: &str, hash: KeyHash) -> Result<ApiKey, StoreError> {
        keys::add(self, name, hash).await.map_err(fault)
    }

    async fn keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        keys::list(self).await.map_err(fault)
    }

    async fn revoke_key(&self, id: Uuid) -> Result<bool, StoreError> {
        keys::revoke(self, id).await.map_err(fault)
    }

    async fn verify_key(&self, hash: KeyHash) -> Result<Option<ApiKey>, StoreError> {
        keys::verify(self, hash).await.map_err(fault)
    }

    async fn robots(&self, origin: &str) -> Result<Option<StoredRobots>, StoreError> {
        robots::robots(self, origin).await
    }

    async fn keep_robots(&self, origin: &str, robots: RobotsText) -> Result<(), StoreError> {
        robots::keep(self, origin, robots).await.map_err(fault)
    }

    async fn prune(&self, age: Duration, most: u32) -> Result<u64, StoreError> {
        prune::prune(self, age, most).await.map_err(fault)
    }

    async fn forget(&self, age: Duration) -> Result<u64, StoreError> {
        prune::forget(self, age).await.map_err(fault)
    }

    async fn ready(&self) -> Result<(), StoreError> {
        hosts::ready(self).await.map_err(fault)
    }

    async fn statistics(&self) -> Result<Statistics, StoreError> {
        statistics::statistics(self).await
    }
}
