//! The queue that workers claim tasks from.

use std::time::Duration;

use crate::{
    CallWrapper, ClaimRoom, Claimed, JobId, JobRequest, Lease, Reconciled, Rescue, Rescued,
    Settled, Settlement, StoreResult, WorkerId, WrappedStore,
};

/// The queue that workers claim tasks from and settle them in.
///
/// Lease times come from the database's clock alone.
pub trait JobQueue: Send + Sync {
    /// Claims tasks whose hosts allow a request, as many as there is room for, each with a lease of this length.
    fn claim(
        &self,
        worker: &WorkerId,
        room: impl Into<ClaimRoom> + Send,
        lease: Duration,
    ) -> impl Future<Output = StoreResult<Vec<Claimed>>> + Send;

    /// Returns what a job was created with. The cost does not depend on the job's size.
    fn job_request(
        &self,
        id: JobId,
    ) -> impl Future<Output = StoreResult<Option<JobRequest>>> + Send;

    /// Renews a worker's leases in one statement and returns those that are lost.
    fn renew(
        &self,
        worker: &WorkerId,
        leases: &[Lease],
        lease: Duration,
    ) -> impl Future<Output = StoreResult<Vec<Lease>>> + Send;

    /// Writes the outcomes of tasks in one transaction. Only settlements with a lost lease are dropped. If the tasks found
    /// very many URLs, most of these are admitted before, in transactions of their own that check the lease as well.
    fn settle(&self, batch: Vec<Settlement>) -> impl Future<Output = StoreResult<Settled>> + Send;

    /// Takes leases back. A task that crashed its workers too often, or whose lease expired very often, fails as `poisoned`.
    fn rescue(&self, which: Rescue) -> impl Future<Output = StoreResult<Rescued>> + Send;

    /// Applies the same rules as settling again, and ends jobs that reached their deadline.
    fn reconcile(&self) -> impl Future<Output = StoreResult<Reconciled>> + Send;
}

impl<S: JobQueue, W: CallWrapper> JobQueue for WrappedStore<S, W> {
    async fn claim(
        &self,
        worker: &WorkerId,
        room: impl Into<ClaimRoom> + Send,
        lease: Duration,
    ) -> StoreResult<Vec<Claimed>> {
        let call = self.inner.claim(worker, room, lease);
        self.wrapper.call("claim", call).await
    }

    async fn job_request(&self, id: JobId) -> StoreResult<Option<JobRequest>> {
        let call = self.inner.job_request(id);
        self.wrapper.call("job_request", call).await
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        leases: &[Lease],
        lease: Duration,
    ) -> StoreResult<Vec<Lease>> {
        let call = self.inner.renew(worker, leases, lease);
        self.wrapper.call("renew", call).await
    }

    async fn settle(&self, batch: Vec<Settlement>) -> StoreResult<Settled> {
        self.wrapper.call("settle", self.inner.settle(batch)).await
    }

    async fn rescue(&self, which: Rescue) -> StoreResult<Rescued> {
        self.wrapper.call("rescue", self.inner.rescue(which)).await
    }

    async fn reconcile(&self) -> StoreResult<Reconciled> {
        self.wrapper.call("reconcile", self.inner.reconcile()).await
    }
}
