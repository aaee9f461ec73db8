//! Hashes of the URLs that a job found but did not admit, written under its lock.

use crawler_store::JobId;
use crawler_store::backend::{MAX_TASKS_PER_STEP, to_i64};
use sqlx::{Error, PgConnection};

use crate::PostgresStore;
use crate::postgres_transaction::commit;

/// Remembers hashes; returns how many are new.
pub(crate) async fn insert(
    db: &mut PgConnection,
    job: JobId,
    hashes: &[i64],
) -> Result<i64, Error> {
    let inserted = sqlx::query!(
        "INSERT INTO left_out_urls (job_id, url_hash) SELECT $1, n.hash FROM unnest($2::bigint[]) AS n(hash)
         ON CONFLICT DO NOTHING",
        job.0,
        hashes
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    if inserted > 0 {
        sqlx::query!(
            "UPDATE jobs SET has_left_out_urls = true WHERE id = $1 AND NOT has_left_out_urls",
            job.0
        )
        .execute(db)
        .await?;
    }
    Ok(to_i64(inserted))
}

/// Forgets hashes; returns how many were remembered.
pub(crate) async fn remove(
    db: &mut PgConnection,
    job: JobId,
    hashes: &[i64],
) -> Result<i64, Error> {
    let removed = sqlx::query!(
        "DELETE FROM left_out_urls WHERE job_id = $1 AND url_hash = ANY($2)",
        job.0,
        hashes
    )
    .execute(db)
    .await?
    .rows_affected();
    Ok(to_i64(removed))
}

/// Deletes some of the hashes of a job that has ended; returns how many.
pub(crate) async fn delete(store: &PostgresStore) -> Result<u64, Error> {
    let mut db = store.pool.begin().await?;
    let Some(job) = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE has_left_out_urls AND status NOT IN ('queued', 'running')
         ORDER BY updated_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED"
    )
    .fetch_optional(&mut *db)
    .await?
    else {
        return Ok(0);
    };
    let deleted = delete_some(&mut db, JobId(job), MAX_TASKS_PER_STEP).await?;
    if to_i64(deleted) < MAX_TASKS_PER_STEP {
        sqlx::query!(
            "UPDATE jobs SET has_left_out_urls = false WHERE id = $1",
            job
        )
        .execute(&mut *db)
        .await?;
    }
    commit(db).await?;
    Ok(deleted)
}

/// Deletes at most `max` hashes of a job; returns how many.
pub(crate) async fn delete_some(db: &mut PgConnection, job: JobId, max: i64) -> Result<u64, Error> {
    let deleted = sqlx::query!(
        "DELETE FROM left_out_urls WHERE job_id = $1
           AND url_hash IN (SELECT url_hash FROM left_out_urls WHERE job_id = $1 LIMIT $2)",
        job.0,
        max
    )
    .execute(db)
    .await?;
    Ok(deleted.rows_affected())
}
