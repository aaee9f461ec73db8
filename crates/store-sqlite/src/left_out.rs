//! Hashes of the URLs that a job found but did not admit.

use crawler_store::JobId;
use crawler_store::backend::{Backend, MAX_TASKS_PER_STEP, to_i64};
use serde_json::Value;
use sqlx::{Error, SqliteConnection};

use crate::SqliteStore;
use crate::sqlite_transaction::SqliteTransaction;

fn rows(hashes: &[i64]) -> String {
    hashes.iter().copied().collect::<Value>().to_string()
}

/// Remembers hashes; returns how many are new.
pub(crate) async fn insert(
    db: &mut SqliteConnection,
    job: JobId,
    hashes: &[i64],
) -> Result<i64, Error> {
    let (id, rows) = (job.to_string(), rows(hashes));
    let inserted = sqlx::query!(
        "INSERT INTO left_out_urls (job_id, url_hash) SELECT ?1, value FROM json_each(?2) WHERE true
         ON CONFLICT DO NOTHING",
        id,
        rows
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    if inserted > 0 {
        sqlx::query!(
            "UPDATE jobs SET has_left_out_urls = 1 WHERE id = ? AND has_left_out_urls = 0",
            id
        )
        .execute(db)
        .await?;
    }
    Ok(to_i64(inserted))
}

/// Forgets hashes; returns how many were remembered.
pub(crate) async fn remove(
    db: &mut SqliteConnection,
    job: JobId,
    hashes: &[i64],
) -> Result<i64, Error> {
    let (id, rows) = (job.to_string(), rows(hashes));
    let removed = sqlx::query!(
        "DELETE FROM left_out_urls WHERE job_id = ?1 AND url_hash IN (SELECT value FROM json_each(?2))",
        id,
        rows
    )
    .execute(db)
    .await?
    .rows_affected();
    Ok(to_i64(removed))
}

/// Deletes some of the hashes of a job that has ended; returns how many.
pub(crate) async fn delete(store: &SqliteStore) -> Result<u64, Error> {
    let SqliteTransaction { mut db, .. } = store.begin().await?;
    let Some(job) = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE has_left_out_urls = 1 AND status NOT IN ('queued', 'running')
         ORDER BY updated_at LIMIT 1"
    )
    .fetch_optional(&mut *db)
    .await?
    else {
        return Ok(0);
    };
    let deleted = delete_some(&mut db, &job, MAX_TASKS_PER_STEP).await?;
    if to_i64(deleted) < MAX_TASKS_PER_STEP {
        sqlx::query!("UPDATE jobs SET has_left_out_urls = 0 WHERE id = ?", job)
            .execute(&mut *db)
            .await?;
    }
    db.commit().await?;
    Ok(deleted)
}

/// Deletes at most `max` hashes of a job; returns how many.
pub(crate) async fn delete_some(
    db: &mut SqliteConnection,
    job: &str,
    max: i64,
) -> Result<u64, Error> {
    let deleted = sqlx::query!(
        "DELETE FROM left_out_urls WHERE job_id = ?1
           AND url_hash IN (SELECT url_hash FROM left_out_urls WHERE job_id = ?1 LIMIT ?2)",
        job,
        max
    )
    .execute(db)
    .await?;
    Ok(deleted.rows_affected())
}
