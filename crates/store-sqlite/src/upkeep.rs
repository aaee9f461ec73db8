//! Readiness, statistics, and deleting old rows: a bounded number of rows at a time, so that one large job does not
//! hold up every other writer.

use std::time::Duration;

use crawler_store::backend::{
    Backend, KindRow, MAX_DOCUMENT_BYTES_PER_STEP, TotalsRow, statistics, to_i64, to_millis,
};
use crawler_store::{AddedUsage, Statistics, StoreResult, Upkeep};
use sqlx::{Error, SqliteConnection};

use crate::fault::fault;
use crate::sqlite_transaction::{SqliteTransaction, clock};
use crate::{SqliteStore, disk_space, left_out, usage};

/// Free pages that are always kept: 1 MB.
const MIN_FREE_PAGES: u64 = 256;
/// Removes 4 MB of free pages. Has no effect on files of older versions until `PRAGMA auto_vacuum = 2; VACUUM` was run once.
const VACUUM_STEP: &str = "PRAGMA incremental_vacuum(1024)";

impl Upkeep for SqliteStore {
    async fn prune(&self, age: Duration, max: u32) -> StoreResult<u64> {
        prune(self, age, max).await.map_err(fault)
    }

    async fn prune_hosts(&self, age: Duration, robots_age: Duration) -> StoreResult<u64> {
        prune_hosts(self, age, robots_age).await.map_err(fault)
    }

    async fn shrink(&self) -> StoreResult<u64> {
        shrink(self).await.map_err(fault)
    }

    async fn ready(&self) -> StoreResult<()> {
        ready(self).await.map_err(fault)
    }

    /// Always succeeds: the file is open.
    async fn reachable(&self) -> StoreResult<()> {
        Ok(())
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
    let (mut deleted, has_more) = prune_documents(&mut db, &job, max).await?;
    if has_more {
        db.commit().await?;
        return Ok(deleted);
    }
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
        let ended = sqlx::query!(
            "DELETE FROM jobs WHERE id = ? RETURNING owner, stored_bytes",
            job
        )
        .fetch_one(&mut *db)
        .await?;
        deleted += 1;
        let freed = AddedUsage {
            stored_bytes: -ended.stored_bytes,
            ..AddedUsage::default()
        };
        usage::add(&mut db, now, &[(&ended.owner, freed)]).await?;
    }
    db.commit().await?;
    Ok(deleted)
}

/// Deletes some documents of a job, up to this many and to a total size; returns how many, and whether there are more.
async fn prune_documents(
    db: &mut SqliteConnection,
    job: &str,
    max: i64,
) -> Result<(u64, bool), Error> {
    let max_bytes = to_i64(MAX_DOCUMENT_BYTES_PER_STEP as u64);
    // The first one is deleted whatever its size.
    let deleted = sqlx::query!(
        "DELETE FROM documents WHERE id IN (
             SELECT id FROM (
                 SELECT id, sum(bytes) OVER (ORDER BY id) AS total, bytes FROM (
                     SELECT id, octet_length(meta) + coalesce(octet_length(content_md), 0)
                                + coalesce(octet_length(content_raw), 0) AS bytes
                     FROM documents WHERE job_id = ?1 ORDER BY id LIMIT ?2))
             WHERE total <= ?3 OR total = bytes)",
        job,
        max,
        max_bytes
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    let has_more = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM documents WHERE job_id = ?) AS "more!: bool""#,
        job
    )
    .fetch_one(db)
    .await?;
    Ok((deleted, has_more))
}

async fn prune_hosts(
    store: &SqliteStore,
    age: Duration,
    robots_age: Duration,
) -> Result<u64, Error> {
    let SqliteTransaction { mut db, now } = store.begin().await?;
    usage::fold(&mut db, now).await?;
    let (before, robots_before) = (now - to_millis(age), now - to_millis(robots_age));
    let origins = sqlx::query!("DELETE FROM origins WHERE fetched_at <= ?", robots_before)
        .execute(&mut *db)
        .await?
        .rows_affected();
    let hosts = sqlx::query!(
        "DELETE FROM hosts
         WHERE max(next_start, paused_until, wanted_until, open_at) <= ?1
           AND NOT EXISTS (SELECT 1 FROM job_hosts l WHERE l.host_key = hosts.host_key)
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

/// Moves free pages to the end of the file and cuts them off, unless they are few: the next rows will use them.
async fn shrink(store: &SqliteStore) -> Result<u64, Error> {
    let mut db = store.writer.acquire().await?;
    let number = async |db: &mut SqliteConnection, pragma| {
        let number = sqlx::query_scalar::<_, i64>(pragma).fetch_one(db).await?;
        Ok::<_, Error>(number.unsigned_abs())
    };
    let pages = number(&mut db, "PRAGMA page_count").await?;
    let free = number(&mut db, "PRAGMA freelist_count").await?;
    if free <= MIN_FREE_PAGES.max(pages / 8) {
        return Ok(0);
    }
    sqlx::query(VACUUM_STEP).execute(&mut *db).await?;
    let left = number(&mut db, "PRAGMA page_count").await?;
    // The file itself becomes shorter when its log is written back.
    sqlx::query("PRAGMA wal_checkpoint(PASSIVE)")
        .execute(&mut *db)
        .await?;
    let size = number(&mut db, "PRAGMA page_size").await?;
    Ok(pages.saturating_sub(left) * size)
}

/// Commits a write, because a file that can only be read is not ready, and checks that there is space for more: the log
/// beside the file has room for small writes long after the disk is full.
async fn ready(store: &SqliteStore) -> Result<(), Error> {
    let SqliteTransaction { mut db, now } = store.begin().await?;
    sqlx::query!(
        "INSERT INTO host_turns (host_key, lease_until) VALUES ('', ?)",
        now
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "DELETE FROM host_turns WHERE host_key = ? AND lease_until <= ?",
        "",
        now
    )
    .execute(&mut *db)
    .await?;
    db.commit().await?;
    disk_space::check(&store.path).await?;
    Ok(())
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
