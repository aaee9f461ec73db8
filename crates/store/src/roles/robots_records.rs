//! robots.txt files, fetched once for all workers.

use crate::{CallWrapper, RobotsText, StoreResult, StoredRobots, WrappedStore};

/// robots.txt files, fetched once for all workers.
pub trait RobotsRecords: Send + Sync {
    /// Returns the stored robots.txt of an origin.
    fn robots(
        &self,
        origin: &str,
    ) -> impl Future<Output = StoreResult<Option<StoredRobots>>> + Send;

    /// Stores the result of fetching an origin's robots.txt. A failed fetch replaces nothing that was read before.
    fn save_robots(
        &self,
        origin: &str,
        robots: RobotsText,
    ) -> impl Future<Output = StoreResult<()>> + Send;
}

impl<S: RobotsRecords, W: CallWrapper> RobotsRecords for WrappedStore<S, W> {
    async fn robots(&self, origin: &str) -> StoreResult<Option<StoredRobots>> {
        self.wrapper.call("robots", self.inner.robots(origin)).await
    }

    async fn save_robots(&self, origin: &str, robots: RobotsText) -> StoreResult<()> {
        let call = self.inner.save_robots(origin, robots);
        self.wrapper.call("save_robots", call).await
    }
}
