//! The handle to a store.

use crawler_store::backend::{Backend, HostSweep, MAX_HOSTS_PER_ROUND, MAX_JOBS_PER_ROUND, to_u64};
use crawler_store::{JobCounts, JobId, StoreError};
use sqlx::{Error, PgPool};

use crate::fault::fault;
use crate::postgres_transaction::{PostgresTransaction, count_tasks};
use crate::{PostgresOptions, left_out};

/// The store on Postgres.
#[derive(Clone, Debug)]
pub struct PostgresStore {
    pub(crate) pool: PgPool,
    pub(crate) options: PostgresOptions,
    sweep: HostSweep,
}

impl PostgresStore {
    pub(crate) fn new(pool: PgPool, options: PostgresOptions) -> Self {
        Self {
            pool,
            options,
            sweep: HostSweep::default(),
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
        Ok(PostgresTransaction(self.pool.begin().await?))
    }

    fn fault(error: Error) -> StoreError {
        fault(error)
    }

    async fn count_tasks(&self, job: JobId) -> Result<JobCounts, Error> {
        let mut db = self.pool.acquire().await?;
        count_tasks(&mut db, job).await
    }

    async fn jobs_to_reconcile(&self) -> Result<Vec<JobId>, Error> {
        // Jobs that are due to end come first, so that no others crowd them out.
        let mut due = sqlx::query_scalar!(
            "SELECT id FROM jobs WHERE status IN ('queued', 'running') AND (deadline_at <= now() OR stop_reason <> 'max_pages')
             ORDER BY deadline_at LIMIT $1",
            MAX_JOBS_PER_ROUND
        )
        .fetch_all(&self.pool)
        .await?;
        // Then stuck jobs: no task is ready or held, and either some are gated or none is open.
        let stuck = sqlx::query_scalar!(
            "SELECT id FROM jobs j WHERE status IN ('queued', 'running')
             AND NOT EXISTS (
                 SELECT 1 FROM crawl_tasks t
                 WHERE t.job_id = j.id AND t.status IN ('queued', 'processing') AND NOT t.gated
                   AND NOT (t.status = 'queued' AND t.attempt > 0 AND t.not_before > now()))
             AND (EXISTS (SELECT 1 FROM crawl_tasks t WHERE t.job_id = j.id AND t.status = 'queued' AND t.gated)
                  OR NOT EXISTS (SELECT 1 FROM crawl_tasks t
                                 WHERE t.job_id = j.id AND t.status IN ('queued', 'processing') AND NOT t.gated))
             ORDER BY id LIMIT $1",
            MAX_JOBS_PER_ROUND
        )
        .fetch_all(&self.pool)
        .await?;
        due.extend(stuck);
        Ok(due.into_iter().map(JobId).collect())
    }

    async fn delete_left_out(&self) -> Result<u64, Error> {
        left_out::delete(self).await
    }

    async fn wake_idle_hosts(&self) -> Result<u64, Error> {
        sqlx::query!("DELETE FROM host_turns WHERE lease_until <= now()")
            .execute(&self.pool)
            .await?;
        let swept = sqlx::query!(
            r#"WITH part AS MATERIALIZED (
                   SELECT host_key, idle FROM hosts WHERE host_key > $1 ORDER BY host_key LIMIT $2
               ), forgotten AS MATERIALIZED (
                   SELECT host_key FROM hosts h WHERE idle AND host_key IN (SELECT host_key FROM part WHERE idle) AND EXISTS (
                       SELECT 1 FROM crawl_tasks t
                       WHERE t.host_key = h.host_key AND t.status = 'queued' AND NOT t.gated)
                   ORDER BY host_key FOR NO KEY UPDATE SKIP LOCKED
               ), woken AS (
                   UPDATE hosts h SET idle = false, open_at = GREATEST(now(), h.next_start, h.paused_until)
                   FROM forgotten f WHERE h.host_key = f.host_key RETURNING 1
               )
               SELECT (SELECT count(*) FROM part) AS "looked!", (SELECT max(host_key) FROM part) AS last,
                      (SELECT count(*) FROM woken) AS "woken!""#,
            self.sweep.position(),
            MAX_HOSTS_PER_ROUND
        )
        .fetch_one(&self.pool)
        .await?;
        let full = swept.looked >= MAX_HOSTS_PER_ROUND;
        self.sweep.advance(swept.last.filter(|_| full));
        Ok(to_u64(swept.woken))
    }
}
