//! What owners use of their quotas.

use crate::{AddedUsage, CallWrapper, Owner, OwnerUsage, StoreResult, WrappedStore};

/// What owners use of their quotas. What tasks use is counted when they are settled.
pub trait Usage: Send + Sync {
    /// Returns what an owner uses; an owner that was never seen uses nothing.
    fn usage(&self, owner: &Owner) -> impl Future<Output = StoreResult<OwnerUsage>> + Send;

    /// Counts what owners used outside of tasks.
    fn add_usage(
        &self,
        added: &[(Owner, AddedUsage)],
    ) -> impl Future<Output = StoreResult<()>> + Send;
}

impl<S: Usage, W: CallWrapper> Usage for WrappedStore<S, W> {
    async fn usage(&self, owner: &Owner) -> StoreResult<OwnerUsage> {
        self.wrapper.call("usage", self.inner.usage(owner)).await
    }

    async fn add_usage(&self, added: &[(Owner, AddedUsage)]) -> StoreResult<()> {
        let call = self.inner.add_usage(added);
        self.wrapper.call("add_usage", call).await
    }
}
