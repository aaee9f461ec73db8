//! Readiness, statistics, and deleting old rows: a bounded number of rows at a time, so that one large job does not
//! hold its locks for minutes.

use std::time::Duration;

use crawler_store::backend::{
    Backend, JobTransaction, KindRow, MAX_DOCUMENT_BYTES_PER_STEP, TotalsRow, statistics, to_i64,
    to_millis,
};
use crawler_store::{AddedUsage, JobId, Statistics, StoreResult, Upkeep};
use sqlx::{Connection, Error, PgConnection};

use crate::fault::{fault, is_out_of_resources};
use crate::postgres_transaction::commit;
use crate::{PostgresStore, left_out, usage};

/// Writes a temporary file of a megabyte, about what one batch of results may need.
const WRITE_TEMPORARY_FILE: &str = "
    WITH filler AS MATERIALIZED (SELECT repeat('x', 1024) AS text FROM generate_series(1, 1024))
    SELECT sum(length(text)) FROM filler";

impl Upkeep for PostgresStore {
    async fn prune(&self, age: Duration, max: u32) -> StoreResult<u64> {
        prune(self, age, max).await.map_err(fault)
    }

    async fn prune_hosts(&self, age: Duration, robots_age: Duration) -> StoreResult<u64> {
        prune_hosts(self, age, robots_age).await.map_err(fault)
    }

    /// Does nothing: this is left to autovacuum.
    async fn shrink(&self) -> StoreResult<u64> {
        Ok(0)
    }

    async fn ready(&self) -> StoreResult<()> {
        ready(self).await.map_err(fault)
    }

    async fn reachable(&self) -> StoreResult<()> {
        reachable(self).await.map_err(fault)
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
    let (mut deleted, has_more) = prune_documents(&mut db, JobId(job), max).await?;
    if has_more {
        commit(db).await?;
        return Ok(deleted);
    }
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
        let ended = sqlx::query!(
            "DELETE FROM jobs WHERE id = $1 RETURNING owner, stored_bytes",
            job
        )
        .fetch_one(&mut *db)
        .await?;
        deleted += 1;
        let freed = AddedUsage {
            stored_bytes: -ended.stored_bytes,
            ..AddedUsage::default()
        };
        usage::add(&mut db, store.process, &[(&ended.owner, freed)]).await?;
    }
    commit(db).await?;
    Ok(deleted)
}

/// Deletes some documents of a job, up to this many and to a total size; returns how many, and whether there are more.
async fn prune_documents(
    db: &mut PgConnection,
    job: JobId,
    max: i64,
) -> Result<(u64, bool), Error> {
    // The first one is deleted whatever its size.
    let deleted = sqlx::query!(
        "DELETE FROM documents WHERE id IN (
             SELECT id FROM (
                 SELECT id, sum(bytes) OVER (ORDER BY id) AS total, bytes FROM (
                     SELECT id, pg_column_size(meta)::bigint + COALESCE(octet_length(content_md), 0)
                                + COALESCE(octet_length(content_raw), 0) AS bytes
                     FROM documents WHERE job_id = $1 ORDER BY id LIMIT $2) first
             ) sizes WHERE total <= $3::bigint OR total = bytes)",
        job.0,
        max,
        to_i64(MAX_DOCUMENT_BYTES_PER_STEP as u64)
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    let has_more = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM documents WHERE job_id = $1) AS "more!""#,
        job.0
    )
    .fetch_one(db)
    .await?;
    Ok((deleted, has_more))
}

/// A host that a settlement wakes in the meantime has been used once its row is locked, and stays.
async fn prune_hosts(
    store: &PostgresStore,
    age: Duration,
    robots_age: Duration,
) -> Result<u64, Error> {
    usage::fold(store).await?;
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
         WHERE GREATEST(next_start, paused_until, wanted_until, open_at) <= now() - $1 * interval '1 ms'
           AND NOT EXISTS (SELECT 1 FROM job_hosts l WHERE l.host_key = h.host_key)
           AND NOT EXISTS (SELECT 1 FROM crawl_tasks t WHERE t.host_key = h.host_key AND t.status = 'processing')",
        age
    )
    .execute(&store.pool)
    .await?
    .rows_affected();
    Ok(origins + hosts)
}

/// Commits a write, because a database that can only be read is not ready, and checks that there is space for more: small
/// writes still fit into existing pages and log files long after the disk is full.
async fn ready(store: &PostgresStore) -> Result<(), Error> {
    let mut db = store.begin().await?;
    sqlx::query!("INSERT INTO host_turns (host_key, lease_until) VALUES ('', now())")
        .execute(&mut *db.db)
        .await?;
    sqlx::query!(
        "DELETE FROM host_turns WHERE host_key = $1 AND lease_until <= now()",
        ""
    )
    .execute(&mut *db.db)
    .await?;
    // What does not fit into `work_mem` goes to a temporary file, on the disk of the tables.
    for setting in [
        "SET LOCAL work_mem = '64kB'",
        "SET LOCAL temp_tablespaces = ''",
    ] {
        sqlx::query(setting).execute(&mut *db.db).await?;
    }
    sqlx::query(WRITE_TEMPORARY_FILE)
        .execute(&mut *db.db)
        .await?;
    db.commit().await
}

/// Opens a connection of its own.
async fn reachable(store: &PostgresStore) -> Result<(), Error> {
    match PgConnection::connect_with(&store.pool.connect_options()).await {
        Ok(connection) => connection.close().await,
        // It answers, but has no connection to spare.
        Err(error) if is_out_of_resources(&error) => Ok(()),
        Err(error) => Err(error),
    }
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
