//! The statements of one writing transaction.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use crawler_store::backend::{
    CountsRow, HeldLease, InsertedTasks, JobTransaction, LockedJob, LockedJobRow,
    MAX_CHAIN_REDIRECTS, MAX_TASKS_PER_STEP, MIN_OPEN_TASKS, NextLevel, SkippedTasks, TaskUpdate,
    Woken, to_i64,
};
use crawler_store::{
    AddedUsage, Fence, JobCounts, JobCreation, JobId, JobStopReason, Lease, NewDocument, NewJob,
    NewMappedUrl, NewTask, OwnerUsage, RefusedUrl, TaskId,
};
use serde_json::{Value, json};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, Sqlite, SqliteConnection, Transaction};

use crate::{inserts, job_creation, lanes, left_out, refused_urls, usage};

/// A transaction that has the write lock, and the database's time at its start.
#[derive(Debug)]
pub struct SqliteTransaction {
    pub(crate) db: Transaction<'static, Sqlite>,
    pub(crate) now: i64,
}

impl JobTransaction for SqliteTransaction {
    type Error = Error;

    fn inconsistent(message: String) -> Error {
        Error::Decode(message.into())
    }

    async fn insert_job(&mut self, job: &NewJob) -> Result<JobCreation, Error> {
        inserts::job(&mut self.db, job, self.now).await
    }

    async fn begin_creation(&mut self, job: JobId, time: Duration) -> Result<(), Error> {
        job_creation::begin(&mut self.db, job, time, self.now).await
    }

    async fn extend_creation(&mut self, job: JobId, time: Duration) -> Result<bool, Error> {
        job_creation::extend(&mut self.db, job, time, self.now).await
    }

    async fn complete_creation(&mut self, job: &NewJob) -> Result<JobCreation, Error> {
        job_creation::complete(&mut self.db, job, self.now).await
    }

    /// Does nothing: a writing transaction is the only one.
    async fn lock_owner(&mut self, _owner: &str) -> Result<(), Error> {
        Ok(())
    }

    async fn owner_usage(&mut self, owner: &str) -> Result<OwnerUsage, Error> {
        usage::read(&mut self.db, owner, self.now).await
    }

    async fn add_usage(&mut self, added: &[(&str, AddedUsage)]) -> Result<(), Error> {
        usage::add(&mut self.db, self.now, added).await
    }

    async fn lock_jobs(&mut self, jobs: &[JobId]) -> Result<Vec<LockedJob>, Error> {
        let mut rows = Vec::with_capacity(jobs.len());
        for job in jobs {
            let id = job.to_string();
            let row = sqlx::query_as!(
                LockedJobRow,
                r#"SELECT id AS "id: Hyphenated", owner, status, max_depth, max_tasks, max_bytes, stop_reason, open_depth,
                          admitted, left_out, traps, bytes, open_tasks, stored_bytes,
                          9223372036854775807 AS "owner_room!: i64", sequence, coalesce(deadline_at <= ?, 0) AS "overdue!: bool"
                   FROM jobs WHERE id = ?"#,
                self.now,
                id
            )
            .fetch_optional(&mut *self.db)
            .await?;
            rows.extend(row.map(LockedJob::try_from));
        }
        let jobs = rows.into_iter().collect::<Result<_, _>>();
        jobs.map_err(Self::inconsistent)
    }

    async fn write_job(&mut self, job: &LockedJob, error: Option<String>) -> Result<(), Error> {
        let (id, traps) = (job.id.to_string(), job.traps.to_json());
        sqlx::query!(
            "UPDATE jobs SET status = ?, error = coalesce(?, error), stop_reason = ?, open_depth = ?, admitted = ?,
                             left_out = ?, traps = ?, bytes = ?, sequence = ?, open_tasks = ?, stored_bytes = ?,
                             updated_at = ?
             WHERE id = ?",
            job.state.as_str(),
            error,
            job.stop_reason.map(JobStopReason::as_str),
            job.open_depth,
            job.admitted,
            job.left_out,
            traps,
            job.bytes,
            job.sequence,
            job.open_tasks,
            job.stored_bytes,
            self.now,
            id
        )
        .execute(&mut *self.db)
        .await?;
        Ok(())
    }

    async fn held_leases(&mut self, leases: &[Lease]) -> Result<HashMap<Lease, HeldLease>, Error> {
        let leases = lease_rows(leases);
        // A cross join runs in the order it is written: each lease is looked up by its task's key.
        let rows = sqlx::query!(
            r#"SELECT t.id AS "id!", t.fence AS "fence!", t.job_id AS "job_id!: Hyphenated", t.host_key AS "host_key!",
                      t.final_url AS "final_url!"
               FROM json_each(?) l CROSS JOIN crawl_tasks t
               WHERE t.id = l.value ->> 0 AND t.fence = l.value ->> 1 AND t.status = 'processing'"#,
            leases
        )
        .fetch_all(&mut *self.db)
        .await?;
        let held = rows.into_iter().map(|row| {
            let lease = Lease {
                task: TaskId(row.id),
                fence: Fence(row.fence),
            };
            let held = HeldLease {
                job: JobId::from(row.job_id),
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
        let mut inserted = inserts::tasks(&mut self.db, job, tasks, self.now).await?;
        if job.may_move(tasks) {
            let moved = inserts::move_nearer(&mut self.db, job, tasks).await?;
            inserted.hosts.extend(moved);
        }
        Ok(inserted)
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
        refused_urls::insert(&mut self.db, job, refused, self.now).await
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
        inserts::documents(&mut self.db, job, documents, self.now).await
    }

    async fn insert_mapped_urls(
        &mut self,
        job: JobId,
        links: &[&NewMappedUrl],
    ) -> Result<(), Error> {
        inserts::mapped_urls(&mut self.db, job, links, self.now).await
    }

    async fn redirects_from(
        &mut self,
        job: JobId,
        keys: &[&str],
    ) -> Result<Vec<(String, String)>, Error> {
        let (id, keys) = (job.to_string(), json!(keys).to_string());
        // Cross joins run in the order they are written: each task is looked up by its key.
        let rows = sqlx::query!(
            r#"WITH RECURSIVE chain (final_url, redirects_to) AS (
                   SELECT t.final_url, t.redirects_to FROM json_each(?1) n CROSS JOIN crawl_tasks t
                   WHERE t.job_id = ?2 AND t.final_url = n.value AND t.redirects_to IS NOT NULL
                   UNION
                   SELECT t.final_url, t.redirects_to FROM chain c CROSS JOIN crawl_tasks t
                   WHERE t.job_id = ?2 AND t.final_url = c.redirects_to AND t.redirects_to IS NOT NULL
                   LIMIT ?3
               )
               SELECT final_url AS "final_url!: String", redirects_to AS "redirects_to!: String" FROM chain"#,
            keys,
            id,
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
        let row = |one: &TaskUpdate<'_>| {
            json!([
                one.lease.task.0,
                one.lease.fence.0,
                one.state.as_str(),
                one.error,
                one.reason,
                one.bytes,
                one.sequence,
                i64::from(one.handed_back),
                one.retry_in.map(|millis| self.now + millis),
                one.redirects_to,
            ])
        };
        let rows = updates.iter().map(row).collect::<Value>().to_string();
        // The `+` before `status` keeps SQLite from using its index: each row is looked up by its task's key.
        let written = sqlx::query!(
            "UPDATE crawl_tasks
             SET status = n.value ->> 2, error = n.value ->> 3, reason = n.value ->> 4, bytes = bytes + (n.value ->> 5),
                 sequence = n.value ->> 6, attempt = attempt - (n.value ->> 7), worker = NULL, lease_until = NULL,
                 not_before = coalesce(n.value ->> 8, not_before), redirects_to = n.value ->> 9, updated_at = ?1
             FROM json_each(?2) n
             WHERE crawl_tasks.id = n.value ->> 0 AND fence = n.value ->> 1 AND +status = 'processing'",
            self.now,
            rows
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
        let id = job.id.to_string();
        let rows = sqlx::query!(
            r#"UPDATE crawl_tasks
               SET status = 'skipped', reason = ?1, error = ?1, sequence = ?2 + rest.place, gated = 0,
                   fence = fence + 1, worker = NULL, lease_until = NULL, updated_at = ?3
               FROM (SELECT rest_id, row_number() OVER (ORDER BY rest_id) AS place FROM (
                         SELECT id AS rest_id FROM crawl_tasks INDEXED BY crawl_tasks_open
                         WHERE job_id = ?4 AND status IN ('queued', 'processing') AND (status = 'queued' OR ?5)
                         LIMIT ?6)) rest
               WHERE id = rest.rest_id RETURNING host_key AS "host_key!""#,
            reason.as_str(),
            job.sequence,
            self.now,
            id,
            held,
            MAX_TASKS_PER_STEP
        )
        .fetch_all(&mut *self.db)
        .await?;
        let count = to_i64(rows.len() as u64);
        let hosts: BTreeSet<String> = rows.into_iter().map(|row| row.host_key).collect();
        Ok(SkippedTasks {
            count,
            hosts: hosts.into_iter().collect(),
        })
    }

    async fn next_level(&mut self, job: &LockedJob) -> Result<NextLevel, Error> {
        let id = job.id.to_string();
        sqlx::query_as!(
            NextLevel,
            r#"SELECT g.depth AS "depth: i64",
                      CASE WHEN g.depth IS NULL THEN 0
                      WHEN g.depth <= ?2 THEN (
                          SELECT count(*) < ?4 FROM (
                              SELECT 1 FROM crawl_tasks INDEXED BY crawl_tasks_open
                              WHERE job_id = ?1 AND status IN ('queued', 'processing') AND gated = 0 LIMIT ?4))
                      ELSE NOT EXISTS (
                          SELECT 1 FROM crawl_tasks INDEXED BY crawl_tasks_open
                          WHERE job_id = ?1 AND status IN ('queued', 'processing') AND gated = 0 AND depth <= ?2
                            AND NOT (status = 'queued' AND attempt > 0 AND not_before > ?3))
                      END AS "may_open!: bool",
                      g.depth IS NOT NULL OR EXISTS (
                          SELECT 1 FROM crawl_tasks INDEXED BY crawl_tasks_open
                          WHERE job_id = ?1 AND status IN ('queued', 'processing')) AS "has_open_tasks!: bool"
               FROM (SELECT min(depth) AS depth FROM crawl_tasks INDEXED BY crawl_tasks_open
                     WHERE job_id = ?1 AND status IN ('queued', 'processing') AND gated = 1) g"#,
            id,
            job.open_depth,
            self.now,
            MIN_OPEN_TASKS
        )
        .fetch_one(&mut *self.db)
        .await
    }

    async fn open_level(&mut self, job: &LockedJob, depth: i64) -> Result<Vec<String>, Error> {
        let id = job.id.to_string();
        let opened = sqlx::query!(
            r#"UPDATE crawl_tasks SET gated = 0 WHERE id IN (
                   SELECT id FROM crawl_tasks INDEXED BY crawl_tasks_open
                   WHERE job_id = ?1 AND status IN ('queued', 'processing') AND gated = 1 AND depth <= ?2
                   ORDER BY depth LIMIT ?3)
               RETURNING host_key AS "host_key!""#,
            id,
            depth,
            MAX_TASKS_PER_STEP
        )
        .fetch_all(&mut *self.db)
        .await?;
        Ok(opened.into_iter().map(|row| row.host_key).collect())
    }

    async fn has_open_tasks(&mut self, job: &LockedJob) -> Result<bool, Error> {
        let id = job.id.to_string();
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks INDEXED BY crawl_tasks_open
                              WHERE job_id = ? AND status IN ('queued', 'processing')) AS "open!: bool""#,
            id
        )
        .fetch_one(&mut *self.db)
        .await
    }

    async fn count_tasks(&mut self, job: JobId) -> Result<JobCounts, Error> {
        count_tasks(&mut self.db, job).await
    }

    async fn first_error(&mut self, job: JobId) -> Result<Option<String>, Error> {
        let id = job.to_string();
        let error = sqlx::query_scalar!(
            "SELECT error FROM crawl_tasks WHERE job_id = ? AND error IS NOT NULL
             ORDER BY (status = 'failed') DESC, id LIMIT 1",
            id
        )
        .fetch_optional(&mut *self.db)
        .await?;
        Ok(error.flatten())
    }

    async fn wake(&mut self, woken: &Woken) -> Result<(), Error> {
        lanes::wake(&mut self.db, woken, self.now).await
    }

    async fn commit(self) -> Result<(), Error> {
        self.db.commit().await
    }
}

/// The database's clock, in milliseconds.
pub(crate) async fn clock(db: &mut SqliteConnection) -> Result<i64, Error> {
    sqlx::query_scalar!(r#"SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS "now!: i64""#)
        .fetch_one(db)
        .await
}

/// Leases as JSON rows of a task's id and fence.
pub(crate) fn lease_rows(leases: &[Lease]) -> String {
    let row = |lease: &Lease| vec![lease.task.0, lease.fence.0];
    leases.iter().map(row).collect::<Value>().to_string()
}

pub(crate) async fn count_tasks(db: &mut SqliteConnection, job: JobId) -> Result<JobCounts, Error> {
    let id = job.to_string();
    let row = sqlx::query_as!(
        CountsRow,
        r#"SELECT count(*) FILTER (WHERE status = 'queued') AS "queued!: i64",
                  count(*) FILTER (WHERE status = 'processing') AS "processing!: i64",
                  count(*) FILTER (WHERE status = 'done') AS "done!: i64",
                  count(*) FILTER (WHERE status = 'failed') AS "failed!: i64",
                  count(*) FILTER (WHERE status = 'skipped') AS "skipped!: i64"
           FROM crawl_tasks WHERE job_id = ?"#,
        id
    )
    .fetch_one(db)
    .await?;
    Ok(row.into())
}
