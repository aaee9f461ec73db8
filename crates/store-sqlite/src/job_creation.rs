//! Jobs that are created in several transactions.

use std::time::Duration;

use crawler_store::backend::{Backend, MAX_TASKS_PER_STEP, to_i64, to_millis};
use crawler_store::{IdempotencyKey, JobCreation, JobId, NewJob};
use sqlx::{Error, SqliteConnection};

use crate::sqlite_transaction::SqliteTransaction;
use crate::{SqliteStore, inserts};

/// Marks a new job as incomplete. Its idempotency key is stored when it is complete.
pub(crate) async fn begin(
    db: &mut SqliteConnection,
    job: JobId,
    time: Duration,
    now: i64,
) -> Result<(), Error> {
    let (id, until) = (job.to_string(), now + to_millis(time));
    sqlx::query!(
        "UPDATE jobs SET creating_until = ?, open_depth = -1, idempotency_key = NULL, idempotency_request = NULL
         WHERE id = ?",
        until,
        id
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Allows more time for an incomplete job; returns whether it still exists.
pub(crate) async fn extend(
    db: &mut SqliteConnection,
    job: JobId,
    time: Duration,
    now: i64,
) -> Result<bool, Error> {
    let (id, until) = (job.to_string(), now + to_millis(time));
    let extended = sqlx::query!(
        "UPDATE jobs SET creating_until = ?1 WHERE id = ?2 AND creating_until > ?3",
        until,
        id,
        now
    )
    .execute(db)
    .await?;
    Ok(extended.rows_affected() == 1)
}

/// Makes a job visible, unless another one has its idempotency key: then it is deleted later.
pub(crate) async fn complete(
    db: &mut SqliteConnection,
    job: &NewJob,
    now: i64,
) -> Result<JobCreation, Error> {
    let id = job.id.to_string();
    let key = job.idempotency.as_ref().map(IdempotencyKey::key);
    let request = job.idempotency.as_ref().map(IdempotencyKey::request);
    let completed = sqlx::query!(
        "UPDATE jobs SET creating_until = NULL, idempotency_key = ?2, idempotency_request = ?3, updated_at = ?4
         WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM jobs other WHERE other.idempotency_key = ?2)",
        id,
        key,
        request,
        now
    )
    .execute(&mut *db)
    .await?;
    match job.idempotency {
        Some(idempotency) if completed.rows_affected() == 0 => {
            sqlx::query!("UPDATE jobs SET creating_until = ? WHERE id = ?", now, id)
                .execute(&mut *db)
                .await?;
            inserts::existing_job(db, idempotency).await
        }
        _ => Ok(JobCreation::Created),
    }
}

/// Deletes some rows of a job whose creator has died; returns how many.
pub(crate) async fn delete_abandoned(store: &SqliteStore) -> Result<u64, Error> {
    let SqliteTransaction { mut db, now } = store.begin().await?;
    let Some(job) = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE creating_until <= ? ORDER BY creating_until LIMIT 1",
        now
    )
    .fetch_optional(&mut *db)
    .await?
    else {
        return Ok(0);
    };
    let mut deleted = sqlx::query!(
        "DELETE FROM crawl_tasks WHERE id IN (SELECT id FROM crawl_tasks WHERE job_id = ? LIMIT ?)",
        job,
        MAX_TASKS_PER_STEP
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    if to_i64(deleted) < MAX_TASKS_PER_STEP {
        deleted += sqlx::query!("DELETE FROM jobs WHERE id = ?", job)
            .execute(&mut *db)
            .await?
            .rows_affected();
    }
    db.commit().await?;
    Ok(deleted)
}
