//! The one writer, and the time at which it writes.

use sqlx::{Error, Sqlite, SqliteConnection, Transaction};

use crate::SqliteStore;

/// A transaction that has the write lock from its begin, and the database's time then.
pub(crate) async fn begin(
    store: &SqliteStore,
) -> Result<(Transaction<'static, Sqlite>, i64), Error> {
    let mut db = store.writer.begin_with("BEGIN IMMEDIATE").await?;
    let now = clock(&mut db).await?;
    Ok((db, now))
}

/// The database's clock, in milliseconds.
pub(crate) async fn clock(db: &mut SqliteConnection) -> Result<i64, Error> {
    sqlx::query_scalar!(r#"SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS "now!: i64""#)
        .fetch_one(db)
        .await
}
