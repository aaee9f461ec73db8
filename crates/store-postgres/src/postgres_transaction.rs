//! The statements of one writing transaction.

use std::collections::HashMap;
use std::time::Duration;

use crawler_store::backend::{
    CountsRow, HeldLease, InsertedTasks, JobTransaction, LockedJob, LockedJobRow,
    MAX_CHAIN_REDIRECTS, MAX_TASKS_PER_STEP, MIN_OPEN_TASKS, NextLevel, SkippedTasks, TaskUpdate,
    Woken,
};
use crawler_store::{
    AddedUsage, Fence, JobCounts, JobCreation, JobId, JobStopReason, Lease, NewDocument, NewJob,
    NewMappedUrl, NewTask, OwnerUsage, RefusedUrl, TaskId,
};
use sqlx::{Error, PgConnection, Postgres, Transaction};
use uuid::Uuid;

use crate::{inserts, job_creation, lanes, left_out, refused_urls, text, usage};

/// How long a COMMIT may take. The work is done by then, so a slow COMMIT only waits for a disk or a standby.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(5);

/// A transaction.
#[derive(Debug)]
pub struct PostgresTransaction {
    pub(crate) db: Transaction<'static, Postgres>,
    /// The process that usage is counted for.
    pub(crate) process: Uuid,
}

impl JobTransaction for PostgresTransaction {
    type Error = Error;

    fn inconsistent(message: String) -> Error {
        Error::Decode(message.into())
    }

    async fn insert_job(&mut self, job: &NewJob) -> Result<JobCreation, Error> {
        inserts::job(&mut self.db, job).await
    }

    async fn lock_owner(&mut self, owner: &str) -> Result<(), Error> {
        sqlx::query!(
            "SELECT pg_advisory_xact_lock(hashtextextended('owner ' || $1::text, 0))",
            owner
        )
        .execute(&mut *self.db)
        .await?;
        Ok(())
    }

    async fn owner_usage(&mut self, owner: &str) -> Result<OwnerUsage, Error> {
        usage::read(&mut self.db, owner).await
    }

    async fn add_usage(&mut self, added: &[(&str, AddedUsage)]) -> Result<(), Error> {
        usage::add(&mut self.db, self.process, added).await
    }

    async fn begin_creation(&mut self, job: JobId, time: Duration) -> Result<(), Error> {
        job_creation::begin(&mut self.db, job, time).await
    }

    async fn extend_creation(&mut self, job: JobId, time: Duration) -> Result<bool, Error> {
        job_creation::extend(&mut self.db, job, time).await
    }

    async fn complete_creation(&mut self, job: &NewJob) -> Result<JobCreation, Error> {
        job_creation::complete(&mut self.db, job).await
    }

    async fn lock_jobs(&mut self, jobs: &[JobId]) -> Result<Vec<LockedJob>, Error> {
        let jobs: Vec<Uuid> = jobs.iter().map(|job| job.0).collect();
        let rows = sqlx::query_as!(
            LockedJobRow,
            r#"SELECT id, owner, status, max_depth::bigint AS max_depth, max_tasks, max_bytes, stop_reason, open_depth, admitted,
                      left_out, traps, bytes, open_tasks, stored_bytes, 9223372036854775807 AS "owner_room!", sequence,
                      COALESCE(deadline_at <= now(), false) AS "overdue!"
               FROM jobs WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE"#,
            &jobs
        )
        .fetch_all(&mut *self.db)
        .await?;
        let jobs = rows.into_iter().map(LockedJob::try_from);
        jobs.collect::<Result<_, _>>().map_err(Self::inconsistent)
    }

    async fn write_job(&mut self, job: &LockedJob, error: Option<String>) -> Result<(), Error> {
        sqlx::query!(
            "UPDATE jobs SET status = $2, error = COALESCE($3, error), stop_reason = $4, open_depth = $5::bigint,
                             admitted = $6, left_out = $7, bytes = $8, sequence = $9, traps = $10,
                             deadline_at = CASE WHEN status = 'queued' AND $2 = 'running'
                                                THEN now() + max_duration_ms * interval '1 ms' ELSE deadline_at END,
                             open_tasks = $11, stored_bytes = $12, updated_at = now()
             WHERE id = $1",
            job.id.0,
            job.state.as_str(),
            error,
            job.stop_reason.map(JobStopReason::as_str),
            job.open_depth,
            job.admitted,
            job.left_out,
            job.bytes,
            job.sequence,
            job.traps.to_json(),
            job.open_tasks,
            job.stored_bytes
        )
        .execute(&mut *self.db)
        .await?;
        Ok(())
    }

    async fn held_leases(&mut self, leases: &[Lease]) -> Result<HashMap<Lease, HeldLease>, Error> {
        let ids: Vec<i64> = leases.iter().map(|lease| lease.task.0).collect();
        let fences: Vec<i64> = leases.iter().map(|lease| lease.fence.0).collect();
        let rows = sqlx::query!(
            "SELECT t.id, t.fence, t.job_id, t.host_key, t.final_url FROM crawl_tasks t
             WHERE t.status = 'processing' AND EXISTS (
                 SELECT 1 FROM unnest($1::bigint[], $2::bigint[]) AS l(id, fence) WHERE t.id = l.id AND t.fence = l.fence)
               AND t.id = ANY($1)
             ORDER BY t.id FOR NO KEY UPDATE OF t",
            &ids,
            &fences
        )
        .fetch_all(&mut *self.db)
        .await?;
        let held = rows.into_iter().map(|row| {
            let lease = Lease {
                task: TaskId(row.id),
                fence: Fence(row.fence),
            };
            let held = HeldLease {
                job: JobId(row.job_id),
                host: row.host_key,
                final_url: row.final_url,
            };
            (lease, held)
        });
        Ok(held.collect())
    }

    async fn insert_tasks(
        &mut self,
        job: &LockedJob,
        tasks: &[&NewTask],
    ) -> Result<InsertedTasks, Error> {
        inserts::tasks(&mut self.db, job, tasks).await
    }

    async fn insert_left_out(&mut self, job: JobId, hashes: &[i64]) -> Result<i64, Error> {
        left_out::insert(&mut self.db, job, hashes).await
    }

    async fn remove_left_out(&mut self, job: JobId, hashes: &[i64]) -> Result<i64, Error> {
        left_out::remove(&mut self.db, job, hashes).await
    }

    async fn insert_refused(
        &mut self,
        job: &LockedJob,
        refused: &[&RefusedUrl],
    ) -> Result<Vec<String>, Error> {
        refused_urls::insert(&mut self.db, job, refused).await
    }

    async fn remove_refused(
        &mut self,
        job: JobId,
        keys: &[String],
        reasons: &[String],
    ) -> Result<Vec<String>, Error> {
        refused_urls::remove(&mut self.db, job, keys, reasons).await
    }

    async fn insert_documents(
        &mut self,
        job: JobId,
        documents: &[&NewDocument],
    ) -> Result<i64, Error> {
        inserts::documents(&mut self.db, job, documents).await
    }

    async fn insert_mapped_urls(
        &mut self,
        job: JobId,
        links: &[&NewMappedUrl],
    ) -> Result<(), Error> {
        inserts::mapped_urls(&mut self.db, job, links).await
    }

    async fn redirects_from(
        &mut self,
        job: JobId,
        keys: &[&str],
    ) -> Result<Vec<(String, String)>, Error> {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        // The inner LIMIT makes the planner look up each task by its key, however many rows it expects.
        let rows = sqlx::query!(
            r#"WITH RECURSIVE chain AS (
                   SELECT t.final_url, t.redirects_to FROM crawl_tasks t
                   WHERE t.job_id = $1 AND t.final_url = ANY($2) AND t.redirects_to IS NOT NULL
                   UNION
                   SELECT n.final_url, n.redirects_to FROM chain c CROSS JOIN LATERAL (
                       SELECT t.final_url, t.redirects_to FROM crawl_tasks t
                       WHERE t.job_id = $1 AND t.final_url = c.redirects_to AND t.redirects_to IS NOT NULL LIMIT 1
                   ) n
               )
               SELECT final_url AS "final_url!", redirects_to AS "redirects_to!" FROM chain LIMIT $3"#,
            job.0,
            &keys,
            MAX_CHAIN_REDIRECTS
        )
        .fetch_all(&mut *self.db)
        .await?;
        let redirects = rows
            .into_iter()
            .map(|row| (row.final_url, row.redirects_to));
        Ok(redirects.collect())
    }

    async fn update_tasks(&mut self, updates: &[TaskUpdate<'_>]) -> Result<u64, Error> {
        fn column<T>(updates: &[TaskUpdate<'_>], value: impl Fn(&TaskUpdate<'_>) -> T) -> Vec<T> {
            updates.iter().map(value).collect()
        }
        let ids = column(updates, |one| one.lease.task.0);
        let fences = column(updates, |one| one.lease.fence.0);
        let states = column(updates, |one| one.state.as_str().to_owned());
        let errors = column(updates, |one| one.error.map(text::owned));
        let reasons = column(updates, |one| one.reason.map(text::owned));
        let bytes = column(updates, |one| one.bytes);
        let sequences = column(updates, |one| one.sequence);
        let retries = column(updates, |one| one.retry_in);
        let handed_back = column(updates, |one| one.handed_back);
        let redirects = column(updates, |one| one.redirects_to.map(str::to_owned));
        let written = sqlx::query!(
            "UPDATE crawl_tasks t
             SET status = n.status, error = n.error, reason = n.reason, bytes = t.bytes + n.bytes,
                 sequence = n.sequence, attempt = t.attempt - n.handed_back::int, worker = NULL, lease_until = NULL,
                 not_before = COALESCE(now() + n.retry * interval '1 ms', t.not_before),
                 redirects_to = n.redirects_to, updated_at = now()
             FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                         $8::bigint[], $9::boolean[], $10::text[])
                  AS n(id, fence, status, error, reason, bytes, sequence, retry, handed_back, redirects_to)
             WHERE t.id = n.id AND t.fence = n.fence AND t.status = 'processing'",
            &ids,
            &fences,
            &states,
            &errors as _,
            &reasons as _,
            &bytes,
            &sequences as _,
            &retries as _,
            &handed_back,
            &redirects as _
        )
        .execute(&mut *self.db)
        .await?;
        Ok(written.rows_affected())
    }

    async fn skip_tasks(
        &mut self,
        job: &LockedJob,
        reason: JobStopReason,
        held: bool,
    ) -> Result<SkippedTasks, Error> {
        let skipped = sqlx::query!(
            r#"WITH held AS MATERIALIZED (
                   SELECT id FROM crawl_tasks
                   WHERE job_id = $1 AND $4 AND status = 'processing' AND status IN ('queued', 'processing') AND NOT gated
                   ORDER BY id LIMIT $5 FOR NO KEY UPDATE
               ), open AS MATERIALIZED (
                   SELECT id FROM crawl_tasks
                   WHERE job_id = $1 AND status = 'queued' AND status IN ('queued', 'processing') AND NOT gated
                   LIMIT $5 FOR NO KEY UPDATE
               ), waiting AS MATERIALIZED (
                   SELECT id FROM crawl_tasks WHERE job_id = $1 AND status = 'queued' AND gated
                   LIMIT $5 FOR NO KEY UPDATE
               ), rest AS (
                   SELECT id FROM held UNION ALL SELECT id FROM open UNION ALL SELECT id FROM waiting
               ), numbered AS (
                   SELECT id, row_number() OVER (ORDER BY id) AS place FROM rest
               ), skipped AS (
                   UPDATE crawl_tasks t
                   SET status = 'skipped', reason = $2, error = $2, sequence = $3 + n.place, gated = false,
                       fence = t.fence + 1, worker = NULL, lease_until = NULL, updated_at = now()
                   FROM numbered n WHERE t.id = n.id RETURNING t.host_key
               )
               SELECT count(*) AS "skipped!", array_agg(DISTINCT host_key) AS hosts FROM skipped"#,
            job.id.0,
            reason.as_str(),
            job.sequence,
            held,
            MAX_TASKS_PER_STEP
        )
        .fetch_one(&mut *self.db)
        .await?;
        Ok(SkippedTasks {
            count: skipped.skipped,
            hosts: skipped.hosts.unwrap_or_default(),
        })
    }

    async fn next_level(&mut self, job: &LockedJob) -> Result<NextLevel, Error> {
        sqlx::query_as!(
            NextLevel,
            r#"SELECT g.depth::bigint AS depth,
                      CASE WHEN g.depth IS NULL THEN false
                      WHEN g.depth <= $2::bigint THEN (
                          SELECT count(*) < $3 FROM (
                              SELECT 1 FROM crawl_tasks
                              WHERE job_id = $1 AND status IN ('queued', 'processing') AND NOT gated LIMIT $3) few)
                      ELSE NOT EXISTS (
                          SELECT 1 FROM crawl_tasks n
                          WHERE n.job_id = $1 AND n.status IN ('queued', 'processing') AND NOT n.gated AND n.depth <= $2
                            AND NOT (n.status = 'queued' AND n.attempt > 0 AND n.not_before > clock_timestamp()))
                      END AS "may_open!",
                      g.depth IS NOT NULL OR EXISTS (
                          SELECT 1 FROM crawl_tasks
                          WHERE job_id = $1 AND status IN ('queued', 'processing') AND NOT gated) AS "has_open_tasks!"
               FROM (SELECT min(depth) AS depth FROM crawl_tasks WHERE job_id = $1 AND status = 'queued' AND gated) g"#,
            job.id.0,
            job.open_depth,
            MIN_OPEN_TASKS
        )
        .fetch_one(&mut *self.db)
        .await
    }

    async fn open_level(&mut self, job: &LockedJob, depth: i64) -> Result<Vec<String>, Error> {
        let hosts = sqlx::query_scalar!(
            "WITH opened AS (
                 UPDATE crawl_tasks SET gated = false WHERE id = ANY (ARRAY(
                     SELECT id FROM crawl_tasks WHERE job_id = $1 AND status = 'queued' AND gated AND depth <= $2::bigint
                     ORDER BY depth LIMIT $3))
                 RETURNING host_key
             )
             SELECT array_agg(DISTINCT host_key) FROM opened",
            job.id.0,
            depth,
            MAX_TASKS_PER_STEP
        )
        .fetch_one(&mut *self.db)
        .await?;
        Ok(hosts.unwrap_or_default())
    }

    async fn has_open_tasks(&mut self, job: &LockedJob) -> Result<bool, Error> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks
                              WHERE job_id = $1 AND status IN ('queued', 'processing') AND NOT gated)
                   OR EXISTS (SELECT 1 FROM crawl_tasks WHERE job_id = $1 AND status = 'queued' AND gated) AS "open!""#,
            job.id.0
        )
        .fetch_one(&mut *self.db)
        .await
    }

    /// A claim does not wait for a job's lock, so it may leave the state of a job as it is.
    async fn was_claimed(&mut self, job: &LockedJob) -> Result<bool, Error> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks WHERE job_id = $1 AND fence > 0) AS "begun!""#,
            job.id.0
        )
        .fetch_one(&mut *self.db)
        .await
    }

    async fn count_tasks(&mut self, job: JobId) -> Result<JobCounts, Error> {
        count_tasks(&mut self.db, job).await
    }

    async fn first_error(&mut self, job: JobId) -> Result<Option<String>, Error> {
        let error = sqlx::query_scalar!(
            "SELECT error FROM crawl_tasks WHERE job_id = $1 AND error IS NOT NULL
             ORDER BY (status = 'failed') DESC, id LIMIT 1",
            job.0
        )
        .fetch_optional(&mut *self.db)
        .await?;
        Ok(error.flatten())
    }

    async fn wake(&mut self, woken: &Woken) -> Result<(), Error> {
        lanes::wake(&mut self.db, woken).await
    }

    async fn commit(self) -> Result<(), Error> {
        commit(self.db).await
    }
}

/// Commits. A COMMIT that is not answered in time may still have succeeded, like one whose connection breaks.
pub(crate) async fn commit(transaction: Transaction<'_, Postgres>) -> Result<(), Error> {
    let unanswered = |_| {
        let message = format!("COMMIT timed out after {COMMIT_TIMEOUT:?}");
        std::io::Error::new(std::io::ErrorKind::TimedOut, message)
    };
    tokio::time::timeout(COMMIT_TIMEOUT, transaction.commit())
        .await
        .map_err(unanswered)?
}

pub(crate) async fn count_tasks(db: &mut PgConnection, job: JobId) -> Result<JobCounts, Error> {
    let row = sqlx::query_as!(
        CountsRow,
        r#"SELECT count(*) FILTER (WHERE status = 'queued') AS "queued!",
                  count(*) FILTER (WHERE status = 'processing') AS "processing!",
                  count(*) FILTER (WHERE status = 'done') AS "done!",
                  count(*) FILTER (WHERE status = 'failed') AS "failed!",
                  count(*) FILTER (WHERE status = 'skipped') AS "skipped!"
           FROM crawl_tasks WHERE job_id = $1"#,
        job.0
    )
    .fetch_one(db)
    .await?;
    Ok(row.into())
}
