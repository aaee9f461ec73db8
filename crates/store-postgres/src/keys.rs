//! API keys: by hash only.

use sqlx::Error;
use store::{ApiKey, KeyHash, UnixMillis};
use uuid::Uuid;

use crate::PostgresStore;

struct KeyRow {
    id: Uuid,
    name: String,
    created_at: i64,
    revoked_at: Option<i64>,
}

impl From<KeyRow> for ApiKey {
    fn from(row: KeyRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            created_at: UnixMillis(row.created_at),
            revoked_at: row.revoked_at.map(UnixMillis),
        }
    }
}

pub(crate) async fn add(store: &PostgresStore, name: &str, hash: KeyHash) -> Result<ApiKey, Error> {
    let row = sqlx::query_as!(
        KeyRow,
        r#"INSERT INTO api_keys (id, name, hash) VALUES ($1, $2, $3)
           RETURNING id, name, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                     (extract(epoch FROM revoked_at) * 1000)::bigint AS revoked_at"#,
        Uuid::now_v7(),
        name,
        hash.as_bytes()
    )
    .fetch_one(&store.pool)
    .await?;
    Ok(row.into())
}

pub(crate) async fn list(store: &PostgresStore) -> Result<Vec<ApiKey>, Error> {
    let rows = sqlx::query_as!(
        KeyRow,
        r#"SELECT id, name, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                  (extract(epoch FROM revoked_at) * 1000)::bigint AS revoked_at
           FROM api_keys ORDER BY id"#
    )
    .fetch_all(&store.pool)
    .await?;
    Ok(rows.into_iter().map(ApiKey::from).collect())
}

pub(crate) async fn revoke(store: &PostgresStore, id: Uuid) -> Result<bool, Error> {
    let revoked = sqlx::query!(
        "UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL",
        id
    )
    .execute(&store.pool)
    .await?;
    Ok(revoked.rows_affected() > 0)
}

pub(crate) async fn verify(store: &PostgresStore, hash: KeyHash) -> Result<Option<ApiKey>, Error> {
    let row = sqlx::query_as!(
        KeyRow,
        r#"SELECT id, name, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                  (extract(epoch FROM revoked_at) * 1000)::bigint AS revoked_at
           FROM api_keys WHERE hash = $1 AND revoked_at IS NULL"#,
        hash.as_bytes()
    )
    .fetch_optional(&store.pool)
    .await?;
    Ok(row.map(ApiKey::from))
}
