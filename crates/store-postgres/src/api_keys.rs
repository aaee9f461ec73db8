//! API keys, stored as hashes.

use crawler_store::backend::{ApiKeyRow, to_millis};
use crawler_store::{ApiKey, ApiKeys, KeyHash, KeyRotation, NewKey, Quota, StoreResult};
use uuid::Uuid;

use crate::PostgresStore;
use crate::fault::fault;

impl ApiKeys for PostgresStore {
    async fn add_key(&self, key: NewKey) -> StoreResult<ApiKey> {
        let row = sqlx::query_as!(
            ApiKeyRow,
            r#"INSERT INTO api_keys (id, name, hash, role, quota, expires_at)
               VALUES ($1, $2, $3, $4, $5::text::jsonb, now() + $6::bigint * interval '1 ms')
               RETURNING id, name, role, quota, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                      COALESCE(expires_at <= now(), false) AS "expired!", false AS "replaced!",
                      (extract(epoch FROM expires_at) * 1000)::bigint AS expires_at,
                      (extract(epoch FROM last_used_at) * 1000)::bigint AS last_used_at,
                      (extract(epoch FROM revoked_at) * 1000)::bigint AS revoked_at,
                      (extract(epoch FROM previous_until) * 1000)::bigint AS previous_until"#,
            Uuid::now_v7(),
            key.name.as_str(),
            key.hash.as_bytes(),
            key.role.as_str(),
            key.quota.to_json(),
            key.expires_in.map(to_millis)
        )
        .fetch_one(&self.pool)
        .await
        .map_err(fault)?;
        row.try_into()
    }

    async fn keys(&self) -> StoreResult<Vec<ApiKey>> {
        let rows = sqlx::query_as!(
            ApiKeyRow,
            r#"SELECT id, name, role, quota, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                      COALESCE(expires_at <= now(), false) AS "expired!", false AS "replaced!",
                      (extract(epoch FROM expires_at) * 1000)::bigint AS expires_at,
                      (extract(epoch FROM last_used_at) * 1000)::bigint AS last_used_at,
                      (extract(epoch FROM revoked_at) * 1000)::bigint AS revoked_at,
                      (extract(epoch FROM previous_until) * 1000)::bigint AS previous_until
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

    async fn rotate_key(&self, id: Uuid, rotation: KeyRotation) -> StoreResult<bool> {
        let rotated = sqlx::query!(
            "UPDATE api_keys
             SET previous_hash = hash, previous_until = now() + $3::bigint * interval '1 ms',
                 hash = $2, expires_at = COALESCE(now() + $4::bigint * interval '1 ms', expires_at)
             WHERE id = $1 AND revoked_at IS NULL",
            id,
            rotation.hash.as_bytes(),
            to_millis(rotation.grace),
            rotation.expires_in.map(to_millis)
        )
        .execute(&self.pool)
        .await
        .map_err(fault)?;
        Ok(rotated.rows_affected() > 0)
    }

    async fn set_quota(&self, id: Uuid, quota: Quota) -> StoreResult<bool> {
        let written = sqlx::query!(
            "UPDATE api_keys SET quota = $2::text::jsonb WHERE id = $1 AND revoked_at IS NULL",
            id,
            quota.to_json()
        )
        .execute(&self.pool)
        .await
        .map_err(fault)?;
        Ok(written.rows_affected() > 0)
    }

    async fn key(&self, hash: KeyHash) -> StoreResult<Option<ApiKey>> {
        let row = sqlx::query_as!(
            ApiKeyRow,
            r#"SELECT id, name, role, quota, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                      COALESCE(expires_at <= now(), false) AS "expired!",
                      COALESCE(hash <> $1 AND previous_until <= now(), false) AS "replaced!",
                      (extract(epoch FROM expires_at) * 1000)::bigint AS expires_at,
                      (extract(epoch FROM last_used_at) * 1000)::bigint AS last_used_at,
                      (extract(epoch FROM revoked_at) * 1000)::bigint AS revoked_at,
                      (extract(epoch FROM previous_until) * 1000)::bigint AS previous_until
               FROM api_keys WHERE hash = $1 OR previous_hash = $1"#,
            hash.as_bytes()
        )
        .fetch_optional(&self.pool)
        .await
        .map_err(fault)?;
        row.map(ApiKey::try_from).transpose()
    }

    async fn key_used(&self, id: Uuid) -> StoreResult<()> {
        sqlx::query!(
            "UPDATE api_keys SET last_used_at = now()
             WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= now() - interval '1 minute')",
            id
        )
        .execute(&self.pool)
        .await
        .map_err(fault)?;
        Ok(())
    }
}
