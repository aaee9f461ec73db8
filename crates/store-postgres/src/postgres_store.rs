//! The handle to a store.

use crawler_store::backend::{
    Backend, FairShares, JobSweep, JobWindow, LaneSweep, MAX_JOBS_CHECKED, MAX_JOBS_PER_ROUND,
    MAX_LANES_PER_ROUND, UsageCache, to_u64,
};
use crawler_store::{JobCounts, JobId, Quota, StoreError};
use sqlx::{Error, PgPool};
use uuid::Uuid;

use crate::fault::fault;
use crate::postgres_transaction::{PostgresTransaction, count_tasks};
use crate::{PostgresOptions, job_creation, lanes, left_out, open_jobs};

/// The store on Postgres.
#[derive(Clone, Debug)]
pub struct PostgresStore {
    pub(crate) pool: PgPool,
    pub(crate) options: PostgresOptions,
    pub(crate) shares: FairShares,
    pub(crate) window: JobWindow,
    sweep: LaneSweep,
    job_sweep: JobSweep,
    usage: UsageCache,
    /// Names the rows of usage that this process writes.
    pub(crate) process: Uuid,
}

impl PostgresStore {
    pub(crate) fn new(pool: PgPool, options: PostgresOptions) -> Self {
        Self {
            pool,
            options,
            shares: FairShares::default(),
            window: JobWindow::default(),
            sweep: LaneSweep::default(),
            job_sweep: JobSweep::default(),
            usage: UsageCache::default(),
            process: Uuid::now_v7(),
        }
    }

    /// Closes the connections after the calls under way have ended.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

impl Backend for PostgresStore {
    type Transaction = PostgresTransaction;
    type Error = Error;

    async fn begin(&self) -> Result<PostgresTransaction, Error> {
        Ok(PostgresTransaction {
            db: self.pool.begin().await?,
            process: self.process,
        })
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
            "SELECT id FROM jobs WHERE owner = $1 AND status IN ('queued', 'running') AND creating_until IS NULL
               AND (stop_reason IS NULL OR stop_reason IN ('max_pages', 'quota_queued_tasks'))
             ORDER BY id LIMIT $2",
            owner,
            MAX_JOBS_PER_ROUND
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(jobs.into_iter().map(JobId).collect())
    }

    async fn count_tasks(&self, job: JobId) -> Result<JobCounts, Error> {
        let mut db = self.pool.acquire().await?;
        count_tasks(&mut db, job).await
    }

    async fn jobs_to_reconcile(&self) -> Result<Vec<JobId>, Error> {
        // Jobs that are due to end come first, so that no others crowd them out.
        let due = sqlx::query_scalar!(
            "SELECT id FROM jobs WHERE status IN ('queued', 'running') AND creating_until IS NULL AND deadline_at <= now()
             ORDER BY deadline_at LIMIT $1",
            MAX_JOBS_PER_ROUND
        )
        .fetch_all(&self.pool)
        .await?;
        // Then, in turn, jobs that are being ended, and stuck ones: no task is ready or held, and either some are gated or none is
        // open.
        let checked = sqlx::query!(
            r#"SELECT id,
                      creating_until IS NULL
                      AND (COALESCE(stop_reason, 'max_pages') NOT IN ('max_pages', 'quota_queued_tasks')
                           OR NOT EXISTS (
                               SELECT 1 FROM crawl_tasks t
                               WHERE t.job_id = j.id AND t.status IN ('queued', 'processing') AND NOT t.gated
                                 AND NOT (t.status = 'queued' AND t.attempt > 0 AND t.not_before > now()))
                           AND (EXISTS (SELECT 1 FROM crawl_tasks t
                                        WHERE t.job_id = j.id AND t.status = 'queued' AND t.gated)
                                OR NOT EXISTS (SELECT 1 FROM crawl_tasks t
                                               WHERE t.job_id = j.id AND t.status IN ('queued', 'processing') AND NOT t.gated)))
                      AS "due!"
               FROM (SELECT id, creating_until, stop_reason FROM jobs WHERE status IN ('queued', 'running') AND id > $1
                     ORDER BY id LIMIT $2) j ORDER BY id"#,
            self.job_sweep.position().0,
            MAX_JOBS_CHECKED
        )
        .fetch_all(&self.pool)
        .await?;
        let checked = checked.into_iter().map(|row| (JobId(row.id), row.due));
        let swept = self.job_sweep.advance(checked);
        let ids = due.into_iter().map(JobId);
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
        sqlx::query!("DELETE FROM host_turns WHERE lease_until <= now()")
            .execute(&self.pool)
            .await?;
        let after = self.sweep.position();
        let (created, last) = lanes::restore(self, after, MAX_LANES_PER_ROUND).await?;
        self.sweep.advance(last);
        Ok(to_u64(created))
    }
}
