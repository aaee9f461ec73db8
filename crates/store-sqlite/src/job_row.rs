//! A job's row inside a writing transaction, and the rules that hold there: stopping, the gate, and the end.
//!
//! Settling, cancelling and reconciling all come through [`read`] and [`conclude`], so each rule stands once.

use std::collections::BTreeSet;

use sqlx::{Error, SqliteConnection};
use store::{JobCounts, JobState};

use crate::numbers::to_u64;

/// Tasks of a job that change state together in one transaction, at most: others want to write too.
const SOME: i64 = 10_000;
/// With fewer open tasks than this, the rest of a level is opened.
const FEW: i64 = 1_000;

/// What the rules need of a job, as it was read and as it will be written back.
#[derive(Debug)]
pub(crate) struct JobRow {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) max_depth: Option<i64>,
    pub(crate) max_tasks: Option<i64>,
    pub(crate) max_bytes: Option<i64>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) deadline_at: Option<i64>,
    pub(crate) open_depth: i64,
    pub(crate) admitted: i64,
    pub(crate) left_out: i64,
    pub(crate) bytes: i64,
    pub(crate) sequence: i64,
}

/// What [`conclude`] changed.
#[derive(Default, Debug)]
pub(crate) struct Conclusion {
    pub(crate) finished: bool,
    pub(crate) opened: bool,
    /// Hosts that have something to give again.
    pub(crate) hosts: BTreeSet<String>,
}

impl JobRow {
    pub(crate) fn is_final(&self) -> bool {
        JobState::named(&self.status).is_none_or(JobState::is_final)
    }

    /// How many more tasks it may have.
    pub(crate) fn room(&self) -> i64 {
        if self.stop_reason.is_some() {
            return 0;
        }
        self.max_tasks
            .map_or(i64::MAX, |most| (most - self.admitted).max(0))
    }

    /// Tasks deeper than this wait behind the gate: with no depth limit there is none.
    pub(crate) fn gate(&self) -> i64 {
        if self.max_depth.is_some() {
            self.open_depth
        } else {
            i64::MAX
        }
    }
}

pub(crate) async fn read(db: &mut SqliteConnection, job: &str) -> Result<Option<JobRow>, Error> {
    sqlx::query_as!(
        JobRow,
        "SELECT id, status, max_depth, max_tasks, max_bytes, stop_reason, deadline_at, open_depth, admitted, left_out,
                bytes, sequence
         FROM jobs WHERE id = ?",
        job
    )
    .fetch_optional(db)
    .await
}

/// Skips some of a job's tasks: those queued, and with `held` those with workers too, whose leases end with it. A job
/// may have millions of them: no transaction takes them all, and whoever comes next goes on.
async fn skip_some(
    db: &mut SqliteConnection,
    job: &mut JobRow,
    reason: &str,
    held: bool,
    now: i64,
) -> Result<BTreeSet<String>, Error> {
    let rows = sqlx::query!(
        r#"UPDATE crawl_tasks
           SET status = 'skipped', reason = ?1, error = ?1, sequence = ?2 + rest.place, gated = 0,
               fence = fence + 1, worker = NULL, lease_until = NULL, updated_at = ?3
           FROM (SELECT rest_id, row_number() OVER (ORDER BY rest_id) AS place FROM (
                     SELECT id AS rest_id FROM crawl_tasks INDEXED BY crawl_tasks_open
                     WHERE job_id = ?4 AND status IN ('queued', 'processing') AND (status = 'queued' OR ?5)
                     LIMIT ?6)) rest
           WHERE id = rest.rest_id RETURNING host_key AS "host_key!""#,
        reason,
        job.sequence,
        now,
        job.id,
        held,
        SOME
    )
    .fetch_all(db)
    .await?;
    job.sequence += i64::try_from(rows.len()).unwrap_or(0);
    Ok(rows.into_iter().map(|row| row.host_key).collect())
}

/// Applies the rules to a job and writes its row.
pub(crate) async fn conclude(
    db: &mut SqliteConnection,
    job: &mut JobRow,
    now: i64,
) -> Result<Conclusion, Error> {
    let mut conclusion = Conclusion::default();
    if job.is_final() {
        return Ok(conclusion);
    }
    if job.stop_reason.is_none() && job.max_bytes.is_some_and(|most| job.bytes >= most) {
        job.stop_reason = Some("max_bytes".to_owned());
    }
    if let Some(reason) = job.stop_reason.clone() {
        // A limit of bytes lets what is under way end; time and people do not wait.
        let held = reason != "max_bytes";
        conclusion.hosts = skip_some(db, job, &reason, held, now).await?;
    } else if job.max_depth.is_some() {
        open_gate(db, job, now, &mut conclusion).await?;
    }
    let live = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks INDEXED BY crawl_tasks_open
                          WHERE job_id = ? AND status IN ('queued', 'processing')) AS "live!: bool""#,
        job.id
    )
    .fetch_one(&mut *db)
    .await?;
    let mut error = None;
    if !live {
        // Only the end of a job is worth counting its rows.
        let counts = counts(db, &job.id).await?;
        if let Some(mut state) = JobState::derive(&counts) {
            if job.stop_reason.as_deref() == Some("cancelled") {
                state = JobState::Cancelled;
            }
            state.as_str().clone_into(&mut job.status);
            conclusion.finished = true;
            if state == JobState::Failed {
                error = Some(why_failed(db, job).await?);
            }
        }
    }
    write(db, job, error, now).await?;
    Ok(conclusion)
}

/// The next level is opened when nothing nearer is ready or with a worker; what waits for a retry is not waited for.
/// A large level is opened a part at a time, before the part before it runs out.
async fn open_gate(
    db: &mut SqliteConnection,
    job: &mut JobRow,
    now: i64,
    conclusion: &mut Conclusion,
) -> Result<(), Error> {
    let next = sqlx::query_scalar!(
        r#"SELECT min(depth) AS "depth: i64" FROM crawl_tasks INDEXED BY crawl_tasks_open
           WHERE job_id = ? AND status IN ('queued', 'processing') AND gated = 1"#,
        job.id
    )
    .fetch_one(&mut *db)
    .await?;
    let Some(depth) = next else {
        return Ok(());
    };
    let opens = sqlx::query_scalar!(
        r#"SELECT CASE WHEN ?4 <= ?2 THEN (
                   SELECT count(*) < ?5 FROM (
                       SELECT 1 FROM crawl_tasks INDEXED BY crawl_tasks_open
                       WHERE job_id = ?1 AND status IN ('queued', 'processing') AND gated = 0 LIMIT ?5))
               ELSE NOT EXISTS (
                   SELECT 1 FROM crawl_tasks INDEXED BY crawl_tasks_open
                   WHERE job_id = ?1 AND status IN ('queued', 'processing') AND gated = 0 AND depth <= ?2
                     AND NOT (status = 'queued' AND attempt > 0 AND not_before > ?3))
               END AS "opens!: bool""#,
        job.id,
        job.open_depth,
        now,
        depth,
        FEW
    )
    .fetch_one(&mut *db)
    .await?;
    if !opens {
        return Ok(());
    }
    let opened = sqlx::query!(
        r#"UPDATE crawl_tasks SET gated = 0 WHERE id IN (
               SELECT id FROM crawl_tasks INDEXED BY crawl_tasks_open
               WHERE job_id = ?1 AND status IN ('queued', 'processing') AND gated = 1 AND depth <= ?2
               ORDER BY depth LIMIT ?3)
           RETURNING host_key AS "host_key!""#,
        job.id,
        depth,
        SOME
    )
    .fetch_all(db)
    .await?;
    job.open_depth = job.open_depth.max(depth);
    conclusion.opened = true;
    conclusion
        .hosts
        .extend(opened.into_iter().map(|row| row.host_key));
    Ok(())
}

/// A job's tasks by state.
pub(crate) async fn counts(db: &mut SqliteConnection, job: &str) -> Result<JobCounts, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) FILTER (WHERE status = 'queued') AS "queued!: i64",
                  count(*) FILTER (WHERE status = 'processing') AS "processing!: i64",
                  count(*) FILTER (WHERE status = 'done') AS "done!: i64",
                  count(*) FILTER (WHERE status = 'failed') AS "failed!: i64",
                  count(*) FILTER (WHERE status = 'skipped') AS "skipped!: i64"
           FROM crawl_tasks WHERE job_id = ?"#,
        job
    )
    .fetch_one(db)
    .await?;
    Ok(JobCounts {
        queued: to_u64(row.queued),
        processing: to_u64(row.processing),
        done: to_u64(row.done),
        failed: to_u64(row.failed),
        skipped: to_u64(row.skipped),
    })
}

/// The first task's failure, else the first reason for a skip.
async fn why_failed(db: &mut SqliteConnection, job: &JobRow) -> Result<String, Error> {
    let told = sqlx::query_scalar!(
        "SELECT error FROM crawl_tasks WHERE job_id = ? AND error IS NOT NULL
         ORDER BY (status = 'failed') DESC, id LIMIT 1",
        job.id
    )
    .fetch_optional(db)
    .await?
    .flatten();
    Ok(told.unwrap_or_else(|| "there was nothing to fetch".to_owned()))
}

/// Writes the row back.
async fn write(
    db: &mut SqliteConnection,
    job: &JobRow,
    error: Option<String>,
    now: i64,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE jobs SET status = ?, error = coalesce(?, error), stop_reason = ?, open_depth = ?, admitted = ?,
                         left_out = ?, bytes = ?, sequence = ?, updated_at = ?
         WHERE id = ?",
        job.status,
        error,
        job.stop_reason,
        job.open_depth,
        job.admitted,
        job.left_out,
        job.bytes,
        job.sequence,
        now,
        job.id
    )
    .execute(db)
    .await?;
    Ok(())
}
