//! Operations for the operator: readiness, statistics, deleting old rows.

use std::time::Duration;

use crate::{CallWrapper, Statistics, StoreResult, WrappedStore};

/// Operations for the operator: readiness, statistics, deleting old rows.
pub trait Upkeep: Send + Sync {
    /// Deletes at most `max` rows of jobs that ended at least `age` ago; returns how many.
    /// Zero means that nothing is left to delete.
    fn prune(&self, age: Duration, max: u32) -> impl Future<Output = StoreResult<u64>> + Send;

    /// Deletes hosts without tasks that were not used for `age`, and robots.txt files that were not read for `robots_age`;
    /// returns how many.
    fn prune_hosts(
        &self,
        age: Duration,
        robots_age: Duration,
    ) -> impl Future<Output = StoreResult<u64>> + Send;

    /// Returns a bounded part of the space of deleted rows to the file system; returns how many bytes.
    /// Zero means that nothing is left to return.
    fn shrink(&self) -> impl Future<Output = StoreResult<u64>> + Send;

    /// Checks that the store can be read and written, by trying.
    fn ready(&self) -> impl Future<Output = StoreResult<()>> + Send;

    /// Checks that the database can be reached, without waiting for connections in use.
    fn reachable(&self) -> impl Future<Output = StoreResult<()>> + Send;

    /// Returns statistics about open jobs and tasks.
    fn statistics(&self) -> impl Future<Output = StoreResult<Statistics>> + Send;
}

impl<S: Upkeep, W: CallWrapper> Upkeep for WrappedStore<S, W> {
    async fn prune(&self, age: Duration, max: u32) -> StoreResult<u64> {
        self.wrapper.call("prune", self.inner.prune(age, max)).await
    }

    async fn prune_hosts(&self, age: Duration, robots_age: Duration) -> StoreResult<u64> {
        let call = self.inner.prune_hosts(age, robots_age);
        self.wrapper.call("prune_hosts", call).await
    }

    async fn shrink(&self) -> StoreResult<u64> {
        self.wrapper.call("shrink", self.inner.shrink()).await
    }

    async fn ready(&self) -> StoreResult<()> {
        self.wrapper.call("ready", self.inner.ready()).await
    }

    async fn reachable(&self) -> StoreResult<()> {
        self.wrapper.call("reachable", self.inner.reachable()).await
    }

    async fn statistics(&self) -> StoreResult<Statistics> {
        self.wrapper
            .call("statistics", self.inner.statistics())
            .await
    }
}
