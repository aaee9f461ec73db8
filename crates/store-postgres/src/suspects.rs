//! Which tasks of crashed workers a claim may take.

use crawler_store::WorkerId;
use crawler_store::backend::{ALONE_AFTER, ClaimLane};
use sqlx::{Error, PgConnection};
use uuid::Uuid;

/// Which tasks of crashed workers a claim may take.
#[derive(Default)]
pub(crate) struct Suspects {
    /// This task, and no other.
    pub(crate) alone: Option<i64>,
    /// This task, together with tasks that are not suspects.
    pub(crate) one: Option<i64>,
}

/// The suspects of these lanes that this worker may claim: one at a time, and alone after [`ALONE_AFTER`] crashes, so that no
/// other task is affected if it crashes its worker again. `None` if the worker must claim nothing now: it holds a task
/// that is tried alone, or has to finish others first.
///
/// A suspect of another job at the same hosts is no reason to claim nothing: it is tried when its own lane is found.
pub(crate) async fn suspects(
    db: &mut PgConnection,
    lanes: &[ClaimLane<'_>],
    worker: &WorkerId,
) -> Result<Option<Suspects>, Error> {
    let (jobs, hosts): (Vec<Uuid>, Vec<String>) = lanes
        .iter()
        .map(|lane| (lane.job.id.0, lane.host.to_owned()))
        .unzip();
    let found = sqlx::query!(
        r#"SELECT (SELECT max(m.crashes) FROM crawl_tasks m
                   WHERE m.status = 'processing' AND m.crashes > 0 AND m.worker = $3) AS held,
                  (SELECT t.id FROM crawl_tasks t
                   WHERE t.status = 'queued' AND NOT t.gated AND t.crashes > 0 AND t.crashes >= $4
                     AND t.not_before <= now()
                     AND (t.job_id, t.host_key) IN (SELECT job_id, host_key FROM unnest($1::uuid[], $2::text[]) AS n(job_id, host_key))
                   ORDER BY t.not_before, t.id LIMIT 1) AS alone,
                  (SELECT t.id FROM crawl_tasks t
                   WHERE t.status = 'queued' AND NOT t.gated AND t.crashes > 0 AND t.crashes < $4
                     AND t.not_before <= now()
                     AND (t.job_id, t.host_key) IN (SELECT job_id, host_key FROM unnest($1::uuid[], $2::text[]) AS n(job_id, host_key))
                   ORDER BY t.not_before, t.id LIMIT 1) AS one"#,
        &jobs,
        &hosts,
        worker.as_str(),
        ALONE_AFTER
    )
    .fetch_one(&mut *db)
    .await?;
    if found.held.is_some_and(|crashes| crashes >= ALONE_AFTER)
        || found.alone.is_some() && holds_tasks(db, worker).await?
    {
        return Ok(None);
    }
    Ok(Some(Suspects {
        alone: found.alone,
        one: found.one.filter(|_| found.held.is_none()),
    }))
}

async fn holds_tasks(db: &mut PgConnection, worker: &WorkerId) -> Result<bool, Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks WHERE status = 'processing' AND worker = $1) AS "held!""#,
        worker.as_str()
    )
    .fetch_one(db)
    .await
}
