//! The handle to a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crawler_store::backend::{
    Backend, FairShares, JobSweep, JobTransaction, JobWindow, LaneSweep, MAX_JOBS_CHECKED,
    MAX_JOBS_PER_ROUND, UsageCache,
};
use crawler_store::{JobCounts, JobId, Quota, StoreError};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqlitePool};

use crate::fault::fault;
use crate::sqlite_transaction::{SqliteTransaction, clock, count_tasks};
use crate::{SqliteOptions, job_creation, lanes, left_out, open_jobs};

/// The store in a SQLite file.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
    pub(crate) options: SqliteOptions,
    /// Path of the file.
    pub(crate) path: Arc<PathBuf>,
    pub(crate) shares: FairShares,
    pub(crate) window: JobWindow,
    sweep: LaneSweep,
    job_sweep: JobSweep,
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
            window: JobWindow::default(),
            sweep: LaneSweep::default(),
            job_sweep: JobSweep::default(),
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
        let due = sqlx::query_scalar!(
            r#"SELECT id AS "id: Hyphenated" FROM jobs
               WHERE status IN ('queued', 'running') AND creating_until IS NULL AND deadline_at <= ?1
               ORDER BY deadline_at LIMIT ?2"#,
            now,
            MAX_JOBS_PER_ROUND
        )
        .fetch_all(&mut *db)
        .await?;
        // Then, in turn, jobs that are being ended, and stuck ones: no task is ready or held, and either some are gated or none is
        // open.
        let after = self.job_sweep.position().to_string();
        let checked = sqlx::query!(
            r#"SELECT id AS "id: Hyphenated",
                      creating_until IS NULL
                      AND (coalesce(stop_reason, 'max_pages') NOT IN ('max_pages', 'quota_queued_tasks')
                           OR NOT EXISTS (
                               SELECT 1 FROM crawl_tasks t INDEXED BY crawl_tasks_open
                               WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing') AND t.gated = 0
                                 AND NOT (t.status = 'queued' AND t.attempt > 0 AND t.not_before > ?1))
                           AND (EXISTS (SELECT 1 FROM crawl_tasks t INDEXED BY crawl_tasks_open
                                        WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing') AND t.gated = 1)
                                OR NOT EXISTS (SELECT 1 FROM crawl_tasks t INDEXED BY crawl_tasks_open
                                               WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing'))))
                      AS "due!: bool"
               FROM jobs INDEXED BY jobs_open_listed WHERE status IN ('queued', 'running') AND id > ?2
               ORDER BY id LIMIT ?3"#,
            now,
            after,
            MAX_JOBS_CHECKED
        )
        .fetch_all(&mut *db)
        .await?;
        let checked = checked.into_iter().map(|row| (row.id.into(), row.due));
        let swept = self.job_sweep.advance(checked);
        let ids = due.into_iter().map(JobId::from);
        Ok(ids.chain(swept).collect())
    }

    async fn delete_abandoned(&self) -> Result<u64, Error> {
        job_creation::delete_abandoned(self).await
    }

    async fn delete_left_out(&self) -> Result<u64, Error> {
        left_out::delete(self).await
    }

    async fn restore_lanes(&self) -> Result<u64, Error> {
        open_jobs::forget_ended(self).await?;
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
