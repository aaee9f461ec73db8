//! API keys, stored as hashes.

use crawler_store::backend::{ApiKeyRow, Backend, JobTransaction, to_millis};
use crawler_store::{
    ApiKey, ApiKeys, KeyHash, KeyRotation, NewKey, Quota, StoreError, StoreResult,
};
use sqlx::Error;
use sqlx::types::uuid::fmt::Hyphenated;
use uuid::Uuid;

use crate::SqliteStore;
use crate::fault::fault;

impl ApiKeys for SqliteStore {
    async fn add_key(&self, key: NewKey) -> StoreResult<ApiKey> {
        add(self, &key).await.map_err(fault)?;
        let added = self.key(key.hash).await?;
        added.ok_or_else(|| {
            StoreError::Unavailable("the key was not found after it was added".into())
        })
    }

    async fn keys(&self) -> StoreResult<Vec<ApiKey>> {
        let rows = sqlx::query_as!(
            ApiKeyRow,
            r#"SELECT id AS "id: Hyphenated", name, role, quota, created_at,
                      COALESCE(expires_at <= CAST(unixepoch('subsec') * 1000 AS INTEGER), 0) AS "expired!: bool",
                      0 AS "replaced!: bool", expires_at, last_used_at, revoked_at, previous_until
               FROM api_keys ORDER BY id"#
        )
        .fetch_all(&self.readers)
        .await
        .map_err(fault)?;
        rows.into_iter().map(ApiKey::try_from).collect()
    }

    async fn revoke_key(&self, id: Uuid) -> StoreResult<bool> {
        revoke(self, id).await.map_err(fault)
    }

    async fn rotate_key(&self, id: Uuid, rotation: KeyRotation) -> StoreResult<bool> {
        rotate(self, id, rotation).await.map_err(fault)
    }

    async fn set_quota(&self, id: Uuid, quota: Quota) -> StoreResult<bool> {
        set_quota(self, id, quota).await.map_err(fault)
    }

    async fn key(&self, hash: KeyHash) -> StoreResult<Option<ApiKey>> {
        let bytes = hash.as_bytes();
        let row = sqlx::query_as!(
            ApiKeyRow,
            r#"SELECT id AS "id: Hyphenated", name, role, quota, created_at,
                      COALESCE(expires_at <= CAST(unixepoch('subsec') * 1000 AS INTEGER), 0) AS "expired!: bool",
                      COALESCE(hash <> ?1 AND previous_until <= CAST(unixepoch('subsec') * 1000 AS INTEGER), 0) AS "replaced!: bool",
                      expires_at, last_used_at, revoked_at, previous_until
               FROM api_keys WHERE hash = ?1 OR previous_hash = ?1"#,
            bytes
        )
        .fetch_optional(&self.readers)
        .await
        .map_err(fault)?;
        row.map(ApiKey::try_from).transpose()
    }

    async fn key_used(&self, id: Uuid) -> StoreResult<()> {
        mark_used(self, id).await.map_err(fault)
    }
}

async fn add(store: &SqliteStore, key: &NewKey) -> Result<(), Error> {
    let mut transaction = store.begin().await?;
    let (id, name, bytes) = (
        Uuid::now_v7().to_string(),
        key.name.as_str(),
        key.hash.as_bytes(),
    );
    let (role, quota, now) = (key.role.as_str(), key.quota.to_json(), transaction.now);
    let expires_at = key.expires_in.map(|time| now + to_millis(time));
    sqlx::query!(
        "INSERT INTO api_keys (id, name, hash, role, quota, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        id,
        name,
        bytes,
        role,
        quota,
        now,
        expires_at
    )
    .execute(&mut *transaction.db)
    .await?;
    transaction.commit().await
}

async fn revoke(store: &SqliteStore, id: Uuid) -> Result<bool, Error> {
    let mut transaction = store.begin().await?;
    let id = id.to_string();
    let revoked = sqlx::query!(
        "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
        transaction.now,
        id
    )
    .execute(&mut *transaction.db)
    .await?
    .rows_affected();
    transaction.commit().await?;
    Ok(revoked > 0)
}

async fn rotate(store: &SqliteStore, id: Uuid, rotation: KeyRotation) -> Result<bool, Error> {
    let mut transaction = store.begin().await?;
    let (id, bytes, now) = (id.to_string(), rotation.hash.as_bytes(), transaction.now);
    let until = now + to_millis(rotation.grace);
    let expires_at = rotation.expires_in.map(|time| now + to_millis(time));
    let rotated = sqlx::query!(
        "UPDATE api_keys
         SET previous_hash = hash, previous_until = ?3, hash = ?2,
             expires_at = COALESCE(?4, expires_at)
         WHERE id = ?1 AND revoked_at IS NULL",
        id,
        bytes,
        until,
        expires_at
    )
    .execute(&mut *transaction.db)
    .await?
    .rows_affected();
    transaction.commit().await?;
    Ok(rotated > 0)
}

async fn set_quota(store: &SqliteStore, id: Uuid, quota: Quota) -> Result<bool, Error> {
    let mut transaction = store.begin().await?;
    let (id, quota) = (id.to_string(), quota.to_json());
    let written = sqlx::query!(
        "UPDATE api_keys SET quota = ? WHERE id = ? AND revoked_at IS NULL",
        quota,
        id
    )
    .execute(&mut *transaction.db)
    .await?
    .rows_affected();
    transaction.commit().await?;
    Ok(written > 0)
}

async fn mark_used(store: &SqliteStore, id: Uuid) -> Result<(), Error> {
    let mut transaction = store.begin().await?;
    let (id, now) = (id.to_string(), transaction.now);
    sqlx::query!(
        "UPDATE api_keys SET last_used_at = ?2
         WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at <= ?2 - 60000)",
        id,
        now
    )
    .execute(&mut *transaction.db)
    .await?;
    transaction.commit().await
}
