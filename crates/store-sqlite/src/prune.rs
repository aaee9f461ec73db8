//! Forgetting old jobs, a bounded number of rows at a time: one large job must not hold up every other writer.

use std::time::Duration;

use sqlx::Error;

use crate::numbers::to_millis;
use crate::{SqliteStore, writer};

pub(crate) async fn prune(store: &SqliteStore, age: Duration, most: u32) -> Result<u64, Error> {
    let most = i64::from(most);
    let (mut db, now) = writer::begin(store).await?;
    let before = now - to_millis(age);
    let Some(job) = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE status NOT IN ('queued', 'running') AND updated_at <= ?
         ORDER BY updated_at LIMIT 1",
        before
    )
    .fetch_optional(&mut *db)
    .await?
    else {
        return Ok(0);
    };
    let mut deleted = sqlx::query!(
        "DELETE FROM documents WHERE id IN (SELECT id FROM documents WHERE job_id = ? LIMIT ?)",
        job,
        most
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    let left = most.saturating_sub_unsigned(deleted);
    deleted += sqlx::query!(
        "DELETE FROM mapped_urls WHERE id IN (SELECT id FROM mapped_urls WHERE job_id = ? LIMIT ?)",
        job,
        left
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    let left = most.saturating_sub_unsigned(deleted);
    deleted += sqlx::query!(
        "DELETE FROM crawl_tasks WHERE id IN (SELECT id FROM crawl_tasks WHERE job_id = ? LIMIT ?)",
        job,
        left
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    if most.saturating_sub_unsigned(deleted) > 0 {
        // Everything below it is gone.
        deleted += sqlx::query!("DELETE FROM jobs WHERE id = ?", job)
            .execute(&mut *db)
            .await?
            .rows_affected();
    }
    db.commit().await?;
    Ok(deleted)
}

pub(crate) async fn forget(store: &SqliteStore, age: Duration) -> Result<u64, Error> {
    let (mut db, now) = writer::begin(store).await?;
    let before = now - to_millis(age);
    let origins = sqlx::query!("DELETE FROM origins WHERE fetched_at <= ?", before)
        .execute(&mut *db)
        .await?
        .rows_affected();
    let hosts = sqlx::query!(
        "DELETE FROM hosts
         WHERE idle = 1 AND max(next_start, paused_until, wanted_until) <= ?1
           AND NOT EXISTS (SELECT 1 FROM crawl_tasks t
                           WHERE t.host_key = hosts.host_key AND t.status = 'queued' AND t.gated = 0)
           AND NOT EXISTS (SELECT 1 FROM crawl_tasks t
                           WHERE t.host_key = hosts.host_key AND t.status = 'processing')",
        before
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    db.commit().await?;
    Ok(origins + hosts)
}
