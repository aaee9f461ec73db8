//! API keys, stored as hashes.

use crawler_store::backend::{ApiKeyRow, Backend, JobTransaction};
use crawler_store::{ApiKey, ApiKeys, KeyHash, KeyRole, Owner, StoreResult, UnixMillis};
use sqlx::Error;
use sqlx::types::uuid::fmt::Hyphenated;
use uuid::Uuid;

use crate::SqliteStore;
use crate::fault::fault;

impl ApiKeys for SqliteStore {
    async fn add_key(&self, name: &Owner, role: KeyRole, hash: KeyHash) -> StoreResult<ApiKey> {
        add(self, name, role, hash).await.map_err(fault)
    }

    async fn keys(&self) -> StoreResult<Vec<ApiKey>> {
        let rows = sqlx::query_as!(
            ApiKeyRow,
            r#"SELECT id AS "id: Hyphenated", name, role, created_at, revoked_at FROM api_keys ORDER BY id"#
        )
        .fetch_all(&self.readers)
        .await
        .map_err(fault)?;
        rows.into_iter().map(ApiKey::try_from).collect()
    }

    async fn revoke_key(&self, id: Uuid) -> StoreResult<bool> {
        revoke(self, id).await.map_err(fault)
    }

    async fn verify_key(&self, hash: KeyHash) -> StoreResult<Option<ApiKey>> {
        let bytes = hash.as_bytes();
        let row = sqlx::query_as!(
            ApiKeyRow,
            r#"SELECT id AS "id: Hyphenated", name, role, created_at, revoked_at
               FROM api_keys WHERE hash = ? AND revoked_at IS NULL"#,
            bytes
        )
        .fetch_optional(&self.readers)
        .await
        .map_err(fault)?;
        row.map(ApiKey::try_from).transpose()
    }
}

async fn add(
    store: &SqliteStore,
    name: &Owner,
    role: KeyRole,
    hash: KeyHash,
) -> Result<ApiKey, Error> {
    let mut transaction = store.begin().await?;
    let (id, now) = (Uuid::now_v7(), transaction.now);
    let (text, name_text, bytes, role_text) = (
        id.to_string(),
        name.as_str(),
        hash.as_bytes(),
        role.as_str(),
    );
    sqlx::query!(
        "INSERT INTO api_keys (id, name, hash, role, created_at) VALUES (?, ?, ?, ?, ?)",
        text,
        name_text,
        bytes,
        role_text,
        now
    )
    .execute(&mut *transaction.db)
    .await?;
    transaction.commit().await?;
    Ok(ApiKey {
        id,
        name: name.clone(),
        role,
        created_at: UnixMillis(now),
        revoked_at: None,
    })
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
