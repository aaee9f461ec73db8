//! A job's row under its lock, and the rules that hold there: stopping, the gate, and the end.
//!
//! Settling, cancelling and reconciling all come through [`lock`] and [`conclude`], so each rule stands once.

use std::collections::BTreeSet;

use sqlx::{Error, PgConnection};
use store::{JobCounts, JobState};
use uuid::Uuid;

use crate::numbers::to_u64;

/// Tasks of a job that change state together in one transaction, at most: few enough for every limit of time.
const SOME: i64 = 10_000;
/// With fewer open tasks than this, the rest of a level is opened.
const FEW: i64 = 1_000;

/// What the rules need of a job, as it was when its row was locked and as it will be written back.
#[derive(Debug)]
pub(crate) struct JobRow {
    pub(crate) id: Uuid,
    pub(crate) status: String,
    pub(crate) max_depth: Option<i32>,
    pub(crate) max_tasks: Option<i64>,
    pub(crate) max_bytes: Option<i64>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) open_depth: i32,
    pub(crate) admitted: i64,
    pub(crate) left_out: i64,
    pub(crate) bytes: i64,
    pub(crate) sequence: i64,
    pub(crate) overdue: bool,
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

    /// Whether a task this deep waits behind the gate: with no depth limit there is none.
    pub(crate) fn gate(&self) -> i32 {
        if self.max_depth.is_some() {
            self.open_depth
        } else {
            i32::MAX
        }
    }
}

/// Locks jobs' rows, in one order.
pub(crate) async fn lock(db: &mut PgConnection, jobs: &[Uuid]) -> Result<Vec<JobRow>, Error> {
    sqlx::query_as!(
        JobRow,
        r#"SELECT id, status, max_depth, max_tasks, max_bytes, stop_reason, open_depth, admitted, left_out, bytes,
                  sequence, COALESCE(deadline_at <= now(), false) AS "overdue!"
           FROM jobs WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE"#,
        jobs
    )
    .fetch_all(db)
    .await
}

/// Skips some of a job's tasks: those queued, and with `held` those with workers too, whose leases end with it. A job
/// may have millions of them: no transaction takes them all, and whoever comes next goes on.
async fn skip_some(
    db: &mut PgConnection,
    job: &mut JobRow,
    reason: &str,
    held: bool,
) -> Result<BTreeSet<String>, Error> {
    let hosts = sqlx::query!(
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
        job.id,
        reason,
        job.sequence,
        held,
        SOME
    )
    .fetch_one(db)
    .await?;
    job.sequence += hosts.skipped;
    Ok(hosts.hosts.unwrap_or_default().into_iter().collect())
}

/// Applies the rules to a locked job and writes its row.
pub(crate) async fn conclude(db: &mut PgConnection, job: &mut JobRow) -> Result<Conclusion, Error> {
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
        conclusion.hosts = skip_some(db, job, &reason, held).await?;
    } else if job.max_depth.is_some() {
        open_gate(db, job, &mut conclusion).await?;
    }
    let counts = live_or_counted(db, job.id).await?;
    let mut error = None;
    if job.status == "queued" && counts.as_ref().is_none_or(|counts| counts.total() > 0) {
        let begun = sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks WHERE job_id = $1 AND fence > 0) AS "begun!""#,
            job.id
        )
        .fetch_one(&mut *db)
        .await?;
        if begun {
            "running".clone_into(&mut job.status);
        }
    }
    if let Some(mut state) = counts.as_ref().and_then(JobState::derive) {
        if job.stop_reason.as_deref() == Some("cancelled") {
            state = JobState::Cancelled;
        }
        state.as_str().clone_into(&mut job.status);
        conclusion.finished = true;
        if state == JobState::Failed {
            error = Some(why_failed(db, job).await?);
        }
    }
    write(db, job, error).await?;
    Ok(conclusion)
}

/// The next level is opened when nothing nearer is ready or with a worker; what waits for a retry is not waited for.
/// A large level is opened a part at a time, before the part before it runs out.
async fn open_gate(
    db: &mut PgConnection,
    job: &mut JobRow,
    conclusion: &mut Conclusion,
) -> Result<(), Error> {
    let next = sqlx::query_scalar!(
        r#"SELECT min(depth) FROM crawl_tasks WHERE job_id = $1 AND status = 'queued' AND gated"#,
        job.id
    )
    .fetch_one(&mut *db)
    .await?;
    let Some(depth) = next else {
        return Ok(());
    };
    let opens = sqlx::query_scalar!(
        r#"SELECT CASE WHEN $3::int <= $2::int THEN (
                   SELECT count(*) < $4 FROM (
                       SELECT 1 FROM crawl_tasks
                       WHERE job_id = $1 AND status IN ('queued', 'processing') AND NOT gated LIMIT $4) few)
               ELSE NOT EXISTS (
                   SELECT 1 FROM crawl_tasks n
                   WHERE n.job_id = $1 AND n.status IN ('queued', 'processing') AND NOT n.gated AND n.depth <= $2
                     AND NOT (n.status = 'queued' AND n.attempt > 0 AND n.not_before > clock_timestamp()))
               END AS "opens!""#,
        job.id,
        job.open_depth,
        depth,
        FEW
    )
    .fetch_one(&mut *db)
    .await?;
    if !opens {
        return Ok(());
    }
    let hosts = sqlx::query_scalar!(
        r#"WITH opened AS (
               UPDATE crawl_tasks SET gated = false WHERE id = ANY (ARRAY(
                   SELECT id FROM crawl_tasks WHERE job_id = $1 AND status = 'queued' AND gated AND depth <= $2
                   ORDER BY depth LIMIT $3))
               RETURNING host_key
           )
           SELECT array_agg(DISTINCT host_key) FROM opened"#,
        job.id,
        depth,
        SOME
    )
    .fetch_one(db)
    .await?;
    job.open_depth = job.open_depth.max(depth);
    conclusion.opened = true;
    conclusion.hosts.extend(hosts.unwrap_or_default());
    Ok(())
}

/// `None` while something is queued or with a worker: only the end of a job is worth counting its rows.
async fn live_or_counted(db: &mut PgConnection, job: Uuid) -> Result<Option<JobCounts>, Error> {
    let live = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks
                          WHERE job_id = $1 AND status IN ('queued', 'processing') AND NOT gated)
               OR EXISTS (SELECT 1 FROM crawl_tasks WHERE job_id = $1 AND status = 'queued' AND gated) AS "live!""#,
        job
    )
    .fetch_one(&mut *db)
    .await?;
    if live {
        return Ok(None);
    }
    Ok(Some(counts(db, job).await?))
}

/// A job's tasks by state.
pub(crate) async fn counts(db: &mut PgConnection, job: Uuid) -> Result<JobCounts, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) FILTER (WHERE status = 'queued') AS "queued!",
                  count(*) FILTER (WHERE status = 'processing') AS "processing!",
                  count(*) FILTER (WHERE status = 'done') AS "done!",
                  count(*) FILTER (WHERE status = 'failed') AS "failed!",
                  count(*) FILTER (WHERE status = 'skipped') AS "skipped!"
           FROM crawl_tasks WHERE job_id = $1"#,
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
async fn why_failed(db: &mut PgConnection, job: &JobRow) -> Result<String, Error> {
    let told = sqlx::query_scalar!(
        "SELECT error FROM crawl_tasks WHERE job_id = $1 AND error IS NOT NULL
         ORDER BY (status = 'failed') DESC, id LIMIT 1",
        job.id
    )
    .fetch_optional(db)
    .await?
    .flatten();
    Ok(told.unwrap_or_else(|| "there was nothing to fetch".to_owned()))
}

async fn write(db: &mut PgConnection, job: &JobRow, error: Option<String>) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE jobs SET status = $2, error = COALESCE($3, error), stop_reason = $4, open_depth = $5, admitted = $6,
                         left_out = $7, bytes = $8, sequence = $9, updated_at = now()
         WHERE id = $1",
        job.id,
        job.status,
        error,
        job.stop_reason,
        job.open_depth,
        job.admitted,
        job.left_out,
        job.bytes,
        job.sequence
    )
    .execute(db)
    .await?;
    Ok(())
}
