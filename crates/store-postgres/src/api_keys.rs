//! API keys, stored as hashes.

use crawler_store::backend::ApiKeyRow;
use crawler_store::{ApiKey, ApiKeys, KeyHash, KeyRole, Owner, StoreResult};
use uuid::Uuid;

use crate::PostgresStore;
use crate::fault::fault;

impl ApiKeys for PostgresStore {
    async fn add_key(&self, name: &Owner, role: KeyRole, hash: KeyHash) -> StoreResult<ApiKey> {
        let row = sqlx::query_as!(
            ApiKeyRow,
            r#"INSERT INTO api_keys (id, name, hash, role) VALUES ($1, $2, $3, $4)
               RETURNING id, name, role, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                         (extract(epoch FROM revoked_at) * 1000)::bigint AS revoked_at"#,
            Uuid::now_v7(),
            name.as_str(),
            hash.as_bytes(),
            role.as_str()
        )
        .fetch_one(&self.pool)
        .await
        .map_err(fault)?;
        row.try_into()
    }

    async fn keys(&self) -> StoreResult<Vec<ApiKey>> {
        let rows = sqlx::query_as!(
            ApiKeyRow,
            r#"SELECT id, name, role, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                      (extract(epoch FROM revoked_at) * 1000)::bigint AS revoked_at
               FROM api_keys ORDER BY id"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(fault)?;
        rows.into_iter().map(ApiKey::try_from).collect()
    }

    async fn revoke_key(&self, id: Uuid) -> StoreResult<bool> {
        let revoked = sqlx::query!(
            "UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL",
            id
        )
        .execute(&self.pool)
        .await
        .map_err(fault)?;
        Ok(revoked.rows_affected() > 0)
    }

    async fn verify_key(&self, hash: KeyHash) -> StoreResult<Option<ApiKey>> {
        let row = sqlx::query_as!(
            ApiKeyRow,
            r#"SELECT id, name, role, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                      (extract(epoch FROM revoked_at) * 1000)::bigint AS revoked_at
               FROM api_keys WHERE hash = $1 AND revoked_at IS NULL"#,
            hash.as_bytes()
        )
        .fetch_optional(&self.pool)
        .await
        .map_err(fault)?;
        row.map(ApiKey::try_from).transpose()
    }
}
