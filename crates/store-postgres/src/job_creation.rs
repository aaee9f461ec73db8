//! Jobs that are created in several transactions.

use std::time::Duration;

use crawler_store::backend::{MAX_TASKS_PER_STEP, to_i64, to_millis};
use crawler_store::{IdempotencyKey, JobCreation, JobId, NewJob};
use sqlx::{Acquire, Error, PgConnection};

use crate::postgres_transaction::commit;
use crate::{PostgresStore, inserts};

/// Marks a new job as incomplete. Its idempotency key is stored when it is complete.
pub(crate) async fn begin(db: &mut PgConnection, job: JobId, time: Duration) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE jobs SET creating_until = now() + $2 * interval '1 ms', open_depth = -1,
                         idempotency_key = NULL, idempotency_request = NULL
         WHERE id = $1",
        job.0,
        to_millis(time) as f64
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Allows more time for an incomplete job; returns whether it still exists.
pub(crate) async fn extend(
    db: &mut PgConnection,
    job: JobId,
    time: Duration,
) -> Result<bool, Error> {
    let extended = sqlx::query!(
        "UPDATE jobs SET creating_until = now() + $2 * interval '1 ms' WHERE id = $1 AND creating_until > now()",
        job.0,
        to_millis(time) as f64
    )
    .execute(db)
    .await?;
    Ok(extended.rows_affected() == 1)
}

/// Makes a job visible, unless another one has its idempotency key: then it is deleted later.
pub(crate) async fn complete(db: &mut PgConnection, job: &NewJob) -> Result<JobCreation, Error> {
    // Another transaction may store the same key at the same time: this one then waits, and fails.
    let mut attempt = db.begin().await?;
    let completed = sqlx::query!(
        "UPDATE jobs SET creating_until = NULL, idempotency_key = $2, idempotency_request = $3, updated_at = now()
         WHERE id = $1",
        job.id.0,
        job.idempotency.as_ref().map(IdempotencyKey::key),
        job.idempotency.as_ref().map(IdempotencyKey::request)
    )
    .execute(&mut *attempt)
    .await;
    match (completed, job.idempotency) {
        (Ok(_), _) => {
            attempt.commit().await?;
            Ok(JobCreation::Created)
        }
        (Err(Error::Database(error)), Some(idempotency)) if error.is_unique_violation() => {
            attempt.rollback().await?;
            sqlx::query!(
                "UPDATE jobs SET creating_until = now() WHERE id = $1",
                job.id.0
            )
            .execute(&mut *db)
            .await?;
            inserts::existing_job(db, idempotency).await
        }
        (Err(error), _) => Err(error),
    }
}

/// Deletes some rows of a job whose creator has died; returns how many.
pub(crate) async fn delete_abandoned(store: &PostgresStore) -> Result<u64, Error> {
    let mut db = store.pool.begin().await?;
    let Some(job) = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE creating_until <= now() ORDER BY creating_until LIMIT 1 FOR UPDATE SKIP LOCKED"
    )
    .fetch_optional(&mut *db)
    .await?
    else {
        return Ok(0);
    };
    let mut deleted = sqlx::query!(
        "DELETE FROM crawl_tasks WHERE id = ANY (ARRAY(SELECT id FROM crawl_tasks WHERE job_id = $1 LIMIT $2))",
        job,
        MAX_TASKS_PER_STEP
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    if to_i64(deleted) < MAX_TASKS_PER_STEP {
        deleted += sqlx::query!("DELETE FROM jobs WHERE id = $1", job)
            .execute(&mut *db)
            .await?
            .rows_affected();
    }
    commit(db).await?;
    Ok(deleted)
}
