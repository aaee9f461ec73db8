//! Readiness, statistics, and deleting old rows: a bounded number of rows at a time, so that one large job does not
//! hold up every other writer.

use std::time::Duration;

use crawler_store::backend::{Backend, KindRow, TotalsRow, statistics, to_millis};
use crawler_store::{Statistics, StoreResult, Upkeep};
use sqlx::Error;

use crate::fault::fault;
use crate::sqlite_transaction::{SqliteTransaction, clock};
use crate::{SqliteStore, left_out};

impl Upkeep for SqliteStore {
    async fn prune(&self, age: Duration, max: u32) -> StoreResult<u64> {
        prune(self, age, max).await.map_err(fault)
    }

    async fn prune_hosts(&self, age: Duration, robots_age: Duration) -> StoreResult<u64> {
        prune_hosts(self, age, robots_age).await.map_err(fault)
    }

    async fn ready(&self) -> StoreResult<()> {
        ready(self).await.map_err(fault)
    }

    async fn statistics(&self) -> StoreResult<Statistics> {
        let (kinds, totals) = open_tasks(self).await.map_err(fault)?;
        statistics(kinds, &totals)
    }
}

async fn prune(store: &SqliteStore, age: Duration, max: u32) -> Result<u64, Error> {
    let max = i64::from(max);
    let SqliteTransaction { mut db, now } = store.begin().await?;
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
        max
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    let left = max.saturating_sub_unsigned(deleted);
    deleted += sqlx::query!(
        "DELETE FROM mapped_urls WHERE id IN (SELECT id FROM mapped_urls WHERE job_id = ? LIMIT ?)",
        job,
        left
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    let left = max.saturating_sub_unsigned(deleted);
    deleted += sqlx::query!(
        "DELETE FROM crawl_tasks WHERE id IN (SELECT id FROM crawl_tasks WHERE job_id = ? LIMIT ?)",
        job,
        left
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    let left = max.saturating_sub_unsigned(deleted);
    deleted += left_out::delete_some(&mut db, &job, left).await?;
    if max.saturating_sub_unsigned(deleted) > 0 {
        // The job has no other rows left.
        deleted += sqlx::query!("DELETE FROM jobs WHERE id = ?", job)
            .execute(&mut *db)
            .await?
            .rows_affected();
    }
    db.commit().await?;
    Ok(deleted)
}

async fn prune_hosts(
    store: &SqliteStore,
    age: Duration,
    robots_age: Duration,
) -> Result<u64, Error> {
    let SqliteTransaction { mut db, now } = store.begin().await?;
    let (before, robots_before) = (now - to_millis(age), now - to_millis(robots_age));
    let origins = sqlx::query!("DELETE FROM origins WHERE fetched_at <= ?", robots_before)
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

/// Writes and rolls back, because a file that can only be read is not ready.
async fn ready(store: &SqliteStore) -> Result<(), Error> {
    let SqliteTransaction { mut db, now } = store.begin().await?;
    sqlx::query!(
        "INSERT INTO host_turns (host_key, lease_until) VALUES ('', ?)",
        now
    )
    .execute(&mut *db)
    .await?;
    db.rollback().await
}

async fn open_tasks(store: &SqliteStore) -> Result<(Vec<KindRow>, TotalsRow), Error> {
    let mut db = store.readers.acquire().await?;
    let now = clock(&mut db).await?;
    let kinds = sqlx::query_as!(
        KindRow,
        r#"SELECT j.type AS "kind!",
                  count(*) FILTER (WHERE t.status = 'queued' AND t.gated = 0 AND t.not_before <= ?1) AS "ready!: i64",
                  count(*) FILTER (WHERE t.status = 'queued' AND t.gated = 0 AND t.not_before > ?1) AS "waiting!: i64",
                  count(*) FILTER (WHERE t.gated = 1) AS "gated!: i64",
                  count(*) FILTER (WHERE t.status = 'processing') AS "processing!: i64"
           FROM jobs j JOIN crawl_tasks t ON t.job_id = j.id
           WHERE j.status IN ('queued', 'running') AND t.status IN ('queued', 'processing') GROUP BY j.type"#,
        now
    )
    .fetch_all(&mut *db)
    .await?;
    let totals = sqlx::query_as!(
        TotalsRow,
        r#"SELECT (SELECT ?1 - min(not_before) FROM crawl_tasks
                   WHERE status = 'queued' AND gated = 0 AND not_before <= ?1) AS "oldest: i64",
                  (SELECT count(*) FROM crawl_tasks
                   WHERE status = 'processing' AND lease_until <= ?1) AS "expired!: i64",
                  (SELECT count(*) FROM jobs WHERE status IN ('queued', 'running')) AS "open!: i64""#,
        now
    )
    .fetch_one(&mut *db)
    .await?;
    Ok((kinds, totals))
}
