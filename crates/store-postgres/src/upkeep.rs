//! Readiness, statistics, and deleting old rows: a bounded number of rows at a time, so that one large job does not
//! hold its locks for minutes.

use std::time::Duration;

use crawler_store::backend::{KindRow, TotalsRow, statistics, to_millis};
use crawler_store::{JobId, Statistics, StoreResult, Upkeep};
use sqlx::Error;

use crate::fault::fault;
use crate::{PostgresStore, left_out};

impl Upkeep for PostgresStore {
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
        let kinds = open_tasks(self).await.map_err(fault)?;
        let totals = sqlx::query_as!(
            TotalsRow,
            r#"SELECT (SELECT (extract(epoch FROM now() - min(not_before)) * 1000)::bigint FROM crawl_tasks
                       WHERE status = 'queued' AND NOT gated AND not_before <= now()) AS oldest,
                      (SELECT count(*) FROM crawl_tasks
                       WHERE status = 'processing' AND lease_until <= now()) AS "expired!",
                      (SELECT count(*) FROM jobs WHERE status IN ('queued', 'running')) AS "open!""#
        )
        .fetch_one(&self.pool)
        .await
        .map_err(fault)?;
        statistics(kinds, &totals)
    }
}

async fn prune(store: &PostgresStore, age: Duration, max: u32) -> Result<u64, Error> {
    let max = i64::from(max);
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
        max
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    let left = |deleted: u64| max.saturating_sub_unsigned(deleted);
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
    deleted += left_out::delete_some(&mut db, JobId(job), left(deleted)).await?;
    if left(deleted) > 0 {
        // The job has no other rows left.
        deleted += sqlx::query!("DELETE FROM jobs WHERE id = $1", job)
            .execute(&mut *db)
            .await?
            .rows_affected();
    }
    db.commit().await?;
    Ok(deleted)
}

/// A host that a settlement wakes in the meantime is no longer idle once its row is locked, and stays.
async fn prune_hosts(
    store: &PostgresStore,
    age: Duration,
    robots_age: Duration,
) -> Result<u64, Error> {
    let (age, robots_age) = (to_millis(age) as f64, to_millis(robots_age) as f64);
    let origins = sqlx::query!(
        "DELETE FROM origins WHERE fetched_at <= now() - $1 * interval '1 ms'",
        robots_age
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

/// Writes and rolls back, because a database that can only be read is not ready.
async fn ready(store: &PostgresStore) -> Result<(), Error> {
    let mut db = store.pool.begin().await?;
    sqlx::query!("INSERT INTO host_turns (host_key, lease_until) VALUES ('', now())")
        .execute(&mut *db)
        .await?;
    db.rollback().await
}

/// In two parts, because gated tasks have their own index.
async fn open_tasks(store: &PostgresStore) -> Result<Vec<KindRow>, Error> {
    sqlx::query_as!(
        KindRow,
        r#"SELECT kind AS "kind!", sum(ready)::bigint AS "ready!", sum(waiting)::bigint AS "waiting!",
                  sum(gated)::bigint AS "gated!", sum(processing)::bigint AS "processing!"
           FROM (
               SELECT j.type AS kind,
                      count(*) FILTER (WHERE t.status = 'queued' AND t.not_before <= now()) AS ready,
                      count(*) FILTER (WHERE t.status = 'queued' AND t.not_before > now()) AS waiting,
                      0 AS gated, count(*) FILTER (WHERE t.status = 'processing') AS processing
               FROM jobs j JOIN crawl_tasks t ON t.job_id = j.id
               WHERE j.status IN ('queued', 'running') AND t.status IN ('queued', 'processing') AND NOT t.gated
               GROUP BY j.type
               UNION ALL
               SELECT j.type, 0, 0, count(*), 0 FROM jobs j JOIN crawl_tasks t ON t.job_id = j.id
               WHERE j.status IN ('queued', 'running') AND t.status = 'queued' AND t.gated GROUP BY j.type
           ) parts GROUP BY kind"#
    )
    .fetch_all(&store.pool)
    .await
}
