//! API keys, stored as hashes.

use uuid::Uuid;

use crate::{ApiKey, CallWrapper, KeyHash, KeyRotation, NewKey, Quota, StoreResult, WrappedStore};

/// API keys, stored as hashes.
pub trait ApiKeys: Send + Sync {
    /// Adds a key; `Conflict` if the name or the secret exists.
    fn add_key(&self, key: NewKey) -> impl Future<Output = StoreResult<ApiKey>> + Send;

    /// Lists all keys, including revoked and expired ones.
    fn keys(&self) -> impl Future<Output = StoreResult<Vec<ApiKey>>> + Send;

    /// Revokes a key; false if it does not exist or is revoked.
    fn revoke_key(&self, id: Uuid) -> impl Future<Output = StoreResult<bool>> + Send;

    /// Gives a key a new secret; false if the key does not exist or is revoked. Only the last two secrets are ever valid.
    fn rotate_key(
        &self,
        id: Uuid,
        rotation: KeyRotation,
    ) -> impl Future<Output = StoreResult<bool>> + Send;

    /// Replaces the quota of a key; false if the key does not exist or is revoked.
    fn set_quota(&self, id: Uuid, quota: Quota) -> impl Future<Output = StoreResult<bool>> + Send;

    /// Returns the key that has this secret, or had it before its last rotation; accepted or not.
    fn key(&self, hash: KeyHash) -> impl Future<Output = StoreResult<Option<ApiKey>>> + Send;

    /// Remembers that a key is in use, if the last time is at least a minute ago.
    fn key_used(&self, id: Uuid) -> impl Future<Output = StoreResult<()>> + Send;
}

impl<S: ApiKeys, W: CallWrapper> ApiKeys for WrappedStore<S, W> {
    async fn add_key(&self, key: NewKey) -> StoreResult<ApiKey> {
        self.wrapper.call("add_key", self.inner.add_key(key)).await
    }

    async fn keys(&self) -> StoreResult<Vec<ApiKey>> {
        self.wrapper.call("keys", self.inner.keys()).await
    }

    async fn revoke_key(&self, id: Uuid) -> StoreResult<bool> {
        self.wrapper
            .call("revoke_key", self.inner.revoke_key(id))
            .await
    }

    async fn rotate_key(&self, id: Uuid, rotation: KeyRotation) -> StoreResult<bool> {
        let call = self.inner.rotate_key(id, rotation);
        self.wrapper.call("rotate_key", call).await
    }

    async fn set_quota(&self, id: Uuid, quota: Quota) -> StoreResult<bool> {
        self.wrapper
            .call("set_quota", self.inner.set_quota(id, quota))
            .await
    }

    async fn key(&self, hash: KeyHash) -> StoreResult<Option<ApiKey>> {
        self.wrapper.call("key", self.inner.key(hash)).await
    }

    async fn key_used(&self, id: Uuid) -> StoreResult<()> {
        self.wrapper.call("key_used", self.inner.key_used(id)).await
    }
}
