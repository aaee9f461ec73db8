//! API keys: by hash only.

use sqlx::Error;
use store::{ApiKey, KeyHash, UnixMillis};
use uuid::Uuid;

use crate::{SqliteStore, writer};

struct KeyRow {
    id: String,
    name: String,
    created_at: i64,
    revoked_at: Option<i64>,
}

impl TryFrom<KeyRow> for ApiKey {
    type Error = Error;

    fn try_from(row: KeyRow) -> Result<Self, Error> {
        Ok(Self {
            id: Uuid::parse_str(&row.id).map_err(|error| Error::Decode(error.into()))?,
            name: row.name,
            created_at: UnixMillis(row.created_at),
            revoked_at: row.revoked_at.map(UnixMillis),
        })
    }
}

pub(crate) async fn add(store: &SqliteStore, name: &str, hash: KeyHash) -> Result<ApiKey, Error> {
    let (mut db, now) = writer::begin(store).await?;
    let id = Uuid::now_v7();
    let (text, bytes) = (id.to_string(), hash.as_bytes());
    sqlx::query!(
        "INSERT INTO api_keys (id, name, hash, created_at) VALUES (?, ?, ?, ?)",
        text,
        name,
        bytes,
        now
    )
    .execute(&mut *db)
    .await?;
    db.commit().await?;
    Ok(ApiKey {
        id,
        name: name.to_owned(),
        created_at: UnixMillis(now),
        revoked_at: None,
    })
}

pub(crate) async fn list(store: &SqliteStore) -> Result<Vec<ApiKey>, Error> {
    let rows = sqlx::query_as!(
        KeyRow,
        "SELECT id, name, created_at, revoked_at FROM api_keys ORDER BY id"
    )
    .fetch_all(&store.readers)
    .await?;
    rows.into_iter().map(ApiKey::try_from).collect()
}

pub(crate) async fn revoke(store: &SqliteStore, id: Uuid) -> Result<bool, Error> {
    let (mut db, now) = writer::begin(store).await?;
    let id = id.to_string();
    let revoked = sqlx::query!(
        "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
        now,
        id
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    db.commit().await?;
    Ok(revoked > 0)
}

pub(crate) async fn verify(store: &SqliteStore, hash: KeyHash) -> Result<Option<ApiKey>, Error> {
    let bytes = hash.as_bytes();
    let row = sqlx::query_as!(
        KeyRow,
        "SELECT id, name, created_at, revoked_at FROM api_keys WHERE hash = ? AND revoked_at IS NULL",
        bytes
    )
    .fetch_optional(&store.readers)
    .await?;
    row.map(ApiKey::try_from).transpose()
}
