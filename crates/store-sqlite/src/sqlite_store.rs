//! The handle to a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crawler_store::backend::{
    Backend, FairShares, JobTransaction, LaneSweep, MAX_JOBS_PER_ROUND, UsageCache,
};
use crawler_store::{JobCounts, JobId, Quota, StoreError};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqlitePool};

use crate::fault::fault;
use crate::sqlite_transaction::{SqliteTransaction, clock, count_tasks};
use crate::{SqliteOptions, job_creation, lanes, left_out};

/// The store in a SQLite file.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
    pub(crate) options: SqliteOptions,
    /// Path of the file.
    pub(crate) path: Arc<PathBuf>,
    pub(crate) shares: FairShares,
    sweep: LaneSweep,
    usage: UsageCache,
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
            shares: FairShares::default(),
            sweep: LaneSweep::default(),
            usage: UsageCache::default(),
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

    fn default_quota(&self) -> &Quota {
        &self.options.limits.quota
    }

    fn usage_cache(&self) -> &UsageCache {
        &self.usage
    }

    async fn running_jobs(&self, owner: &str) -> Result<Vec<JobId>, Error> {
        let jobs = sqlx::query_scalar!(
            r#"SELECT id AS "id: Hyphenated" FROM jobs WHERE owner = ?1 AND status IN ('queued', 'running') AND creating_until IS NULL
                 AND (stop_reason IS NULL OR stop_reason IN ('max_pages', 'quota_queued_tasks'))
               ORDER BY id LIMIT ?2"#,
            owner,
            MAX_JOBS_PER_ROUND
        )
        .fetch_all(&self.readers)
        .await?;
        Ok(jobs.into_iter().map(JobId::from).collect())
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
               WHERE status IN ('queued', 'running') AND creating_until IS NULL AND (deadline_at <= ?1 OR stop_reason NOT IN ('max_pages', 'quota_queued_tasks'))
               ORDER BY deadline_at LIMIT ?2"#,
            now,
            MAX_JOBS_PER_ROUND
        )
        .fetch_all(&mut *db)
        .await?;
        // Then stuck jobs: no task is ready or held, and either some are gated or none is open.
        let stuck = sqlx::query_scalar!(
            r#"SELECT id AS "id: Hyphenated" FROM jobs WHERE status IN ('queued', 'running') AND creating_until IS NULL
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

    async fn delete_abandoned(&self) -> Result<u64, Error> {
        job_creation::delete_abandoned(self).await
    }

    async fn delete_left_out(&self) -> Result<u64, Error> {
        left_out::delete(self).await
    }

    async fn restore_lanes(&self) -> Result<u64, Error> {
        let SqliteTransaction { mut db, now } = self.begin().await?;
        sqlx::query!("DELETE FROM host_turns WHERE lease_until <= ?", now)
            .execute(&mut *db)
            .await?;
        let (created, last) = lanes::restore(&mut db, self.sweep.position(), now).await?;
        SqliteTransaction { db, now }.commit().await?;
        self.sweep.advance(last);
        Ok(created)
    }
}
