//! Forgetting old jobs, a bounded number of rows at a time: one large job must not hold its locks for minutes.

use std::time::Duration;

use sqlx::Error;

use crate::PostgresStore;
use crate::numbers::to_millis;

pub(crate) async fn prune(store: &PostgresStore, age: Duration, most: u32) -> Result<u64, Error> {
    let most = i64::from(most);
    let mut db = store.pool.begin().await?;
    let Some(job) = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE status NOT IN ('queued', 'running') AND updated_at <= now() - $1 * interval '1 ms'
         ORDER BY updated_at LIMIT 1 FOR UPDATE SKIP LOCKED",
        to_millis(age) as f64
    )
    .fetch_optional(&mut *db)
    .await?
    else {
        return Ok(0);
    };
    let mut deleted = sqlx::query!(
        "DELETE FROM documents WHERE id IN (SELECT id FROM documents WHERE job_id = $1 LIMIT $2)",
        job,
        most
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    let left = |deleted: u64| most.saturating_sub_unsigned(deleted);
    deleted += sqlx::query!(
        "DELETE FROM mapped_urls WHERE id IN (SELECT id FROM mapped_urls WHERE job_id = $1 LIMIT $2)",
        job,
        left(deleted)
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    deleted += sqlx::query!(
        "DELETE FROM crawl_tasks WHERE id IN (SELECT id FROM crawl_tasks WHERE job_id = $1 LIMIT $2)",
        job,
        left(deleted)
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    if left(deleted) > 0 {
        // Everything below it is gone.
        deleted += sqlx::query!("DELETE FROM jobs WHERE id = $1", job)
            .execute(&mut *db)
            .await?
            .rows_affected();
    }
    db.commit().await?;
    Ok(deleted)
}

/// A host that a settlement wakes meanwhile is not idle when its lock is had, and stays.
pub(crate) async fn forget(store: &PostgresStore, age: Duration) -> Result<u64, Error> {
    let age = to_millis(age) as f64;
    let origins = sqlx::query!(
        "DELETE FROM origins WHERE fetched_at <= now() - $1 * interval '1 ms'",
        age
    )
    .execute(&store.pool)
    .await?
    .rows_affected();
    let hosts = sqlx::query!(
        "DELETE FROM hosts h
         WHERE idle AND GREATEST(next_start, paused_until, wanted_until) <= now() - $1 * interval '1 ms'
           AND NOT EXISTS (SELECT 1 FROM crawl_tasks t
                           WHERE t.host_key = h.host_key AND t.status = 'queued' AND NOT t.gated)
           AND NOT EXISTS (SELECT 1 FROM crawl_tasks t WHERE t.host_key = h.host_key AND t.status = 'processing')",
        age
    )
    .execute(&store.pool)
    .await?
    .rows_affected();
    Ok(origins + hosts)
}
