//! The handle to a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crawler_store::backend::{
    Backend, HostSweep, JobTransaction, MAX_HOSTS_PER_ROUND, MAX_JOBS_PER_ROUND,
};
use crawler_store::{JobCounts, JobId, StoreError};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqlitePool};

use crate::fault::fault;
use crate::sqlite_transaction::{SqliteTransaction, clock, count_tasks};
use crate::{SqliteOptions, left_out};

/// The store in a SQLite file.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
    pub(crate) options: SqliteOptions,
    /// Path of the file.
    pub(crate) path: Arc<PathBuf>,
    sweep: HostSweep,
}

impl SqliteStore {
    pub(crate) fn new(
        path: &Path,
        writer: SqlitePool,
        readers: SqlitePool,
        options: SqliteOptions,
    ) -> Self {
        Self {
            path: Arc::new(path.to_owned()),
            writer,
            readers,
            options,
            sweep: HostSweep::default(),
        }
    }

    /// Closes the connections after the calls under way have ended.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

impl Backend for SqliteStore {
    type Transaction = SqliteTransaction;
    type Error = Error;

    /// Begins a transaction that has the write lock from the start.
    async fn begin(&self) -> Result<SqliteTransaction, Error> {
        let mut db = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        let now = clock(&mut db).await?;
        Ok(SqliteTransaction { db, now })
    }

    fn fault(error: Error) -> StoreError {
        fault(error)
    }

    async fn count_tasks(&self, job: JobId) -> Result<JobCounts, Error> {
        let mut db = self.readers.acquire().await?;
        count_tasks(&mut db, job).await
    }

    async fn jobs_to_reconcile(&self) -> Result<Vec<JobId>, Error> {
        let mut db = self.readers.acquire().await?;
        let now = clock(&mut db).await?;
        // Jobs that are due to end come first, so that no others crowd them out.
        let mut due = sqlx::query_scalar!(
            r#"SELECT id AS "id: Hyphenated" FROM jobs
               WHERE status IN ('queued', 'running') AND (deadline_at <= ?1 OR stop_reason <> 'max_pages')
               ORDER BY deadline_at LIMIT ?2"#,
            now,
            MAX_JOBS_PER_ROUND
        )
        .fetch_all(&mut *db)
        .await?;
        // Then stuck jobs: no task is ready or held, and either some are gated or none is open.
        let stuck = sqlx::query_scalar!(
            r#"SELECT id AS "id: Hyphenated" FROM jobs WHERE status IN ('queued', 'running')
               AND NOT EXISTS (
                   SELECT 1 FROM crawl_tasks t INDEXED BY crawl_tasks_open
                   WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing') AND t.gated = 0
                     AND NOT (t.status = 'queued' AND t.attempt > 0 AND t.not_before > ?1))
               AND (EXISTS (SELECT 1 FROM crawl_tasks t INDEXED BY crawl_tasks_open
                            WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing') AND t.gated = 1)
                    OR NOT EXISTS (SELECT 1 FROM crawl_tasks t INDEXED BY crawl_tasks_open
                                   WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing')))
               ORDER BY id LIMIT ?2"#,
            now,
            MAX_JOBS_PER_ROUND
        )
        .fetch_all(&mut *db)
        .await?;
        due.extend(stuck);
        Ok(due.into_iter().map(JobId::from).collect())
    }

    async fn delete_left_out(&self) -> Result<u64, Error> {
        left_out::delete(self).await
    }

    async fn wake_idle_hosts(&self) -> Result<u64, Error> {
        let SqliteTransaction { mut db, now } = self.begin().await?;
        sqlx::query!("DELETE FROM host_turns WHERE lease_until <= ?", now)
            .execute(&mut *db)
            .await?;
        let from = self.sweep.position();
        let part = sqlx::query_scalar!(
            "SELECT host_key FROM hosts WHERE host_key > ? ORDER BY host_key LIMIT ?",
            from,
            MAX_HOSTS_PER_ROUND
        )
        .fetch_all(&mut *db)
        .await?;
        let last = part.last().cloned().unwrap_or_default();
        let woken = sqlx::query!(
            "UPDATE hosts SET idle = 0, open_at = max(?1, next_start, paused_until)
             WHERE host_key > ?2 AND host_key <= ?3 AND idle = 1 AND EXISTS (
                 SELECT 1 FROM crawl_tasks t
                 WHERE t.host_key = hosts.host_key AND t.status = 'queued' AND t.gated = 0)",
            now,
            from,
            last
        )
        .execute(&mut *db)
        .await?
        .rows_affected();
        SqliteTransaction { db, now }.commit().await?;
        let full = part.len() as u64 >= MAX_HOSTS_PER_ROUND.unsigned_abs();
        self.sweep.advance(full.then_some(last));
        Ok(woken)
    }
}
