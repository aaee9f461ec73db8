//! API keys, stored as hashes.

use uuid::Uuid;

use crate::{ApiKey, CallWrapper, KeyHash, KeyRole, Owner, StoreResult, WrappedStore};

/// API keys, stored as hashes.
pub trait ApiKeys: Send + Sync {
    /// Adds a key by its hash; `Conflict` if the name or the key exists.
    fn add_key(
        &self,
        name: &Owner,
        role: KeyRole,
        hash: KeyHash,
    ) -> impl Future<Output = StoreResult<ApiKey>> + Send;

    /// Lists all keys, including revoked ones.
    fn keys(&self) -> impl Future<Output = StoreResult<Vec<ApiKey>>> + Send;

    /// Revokes a key; false if there is no active key with this id.
    fn revoke_key(&self, id: Uuid) -> impl Future<Output = StoreResult<bool>> + Send;

    /// Returns the active key with this hash.
    fn verify_key(&self, hash: KeyHash)
    -> impl Future<Output = StoreResult<Option<ApiKey>>> + Send;
}

impl<S: ApiKeys, W: CallWrapper> ApiKeys for WrappedStore<S, W> {
    async fn add_key(&self, name: &Owner, role: KeyRole, hash: KeyHash) -> StoreResult<ApiKey> {
        let call = self.inner.add_key(name, role, hash);
        self.wrapper.call("add_key", call).await
    }

    async fn keys(&self) -> StoreResult<Vec<ApiKey>> {
        self.wrapper.call("keys", self.inner.keys()).await
    }

    async fn revoke_key(&self, id: Uuid) -> StoreResult<bool> {
        self.wrapper
            .call("revoke_key", self.inner.revoke_key(id))
            .await
    }

    async fn verify_key(&self, hash: KeyHash) -> StoreResult<Option<ApiKey>> {
        let call = self.inner.verify_key(hash);
        self.wrapper.call("verify_key", call).await
    }
}
