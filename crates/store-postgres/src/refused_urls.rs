//! URLs that a job does not follow as crawler traps, as skipped tasks.

use crawler_store::backend::LockedJob;
use crawler_store::{JobId, NewTask, RefusedUrl};
use sqlx::{Error, PgConnection};

use crate::inserts::TaskColumns;

/// Inserts those with a new key; returns their reasons. The job's row is locked, so nobody else inserts a task of it.
pub(crate) async fn insert(
    db: &mut PgConnection,
    job: &LockedJob,
    refused: &[&RefusedUrl],
) -> Result<Vec<String>, Error> {
    let tasks: Vec<&NewTask> = refused.iter().map(|one| &one.task).collect();
    let columns = TaskColumns::new(&tasks);
    let reasons = refused.iter().map(|one| one.reason.as_str().to_owned());
    let reasons: Vec<String> = reasons.collect();
    let messages: Vec<String> = refused.iter().map(|one| one.message()).collect();
    sqlx::query_scalar!(
        r#"INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, via, found, reason, error,
                                    status, sequence)
           SELECT $1, n.requested_url, n.final_url, n.url, n.host_key, n.depth, n.via, n.found, n.reason, n.error,
                  'skipped', $2::bigint + row_number() OVER (ORDER BY n.place)
           FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[], $9::text[], $10::text[],
                       $11::text[]) WITH ORDINALITY
                AS n(requested_url, final_url, url, host_key, depth, via, found, reason, error, place)
           WHERE NOT EXISTS (SELECT 1 FROM crawl_tasks t WHERE t.job_id = $1 AND t.final_url = n.final_url)
           RETURNING reason AS "reason!""#,
        job.id.0,
        job.sequence,
        &columns.requested,
        &columns.keys,
        &columns.urls,
        &columns.hosts,
        &columns.depths,
        &columns.vias as _,
        &columns.found,
        &reasons,
        &messages
    )
    .fetch_all(db)
    .await
}

/// Deletes tasks that were never claimed and have one of these reasons; returns the reason of each.
pub(crate) async fn remove(
    db: &mut PgConnection,
    job: JobId,
    keys: &[String],
    reasons: &[String],
) -> Result<Vec<String>, Error> {
    sqlx::query_scalar!(
        r#"DELETE FROM crawl_tasks
           WHERE job_id = $1 AND final_url = ANY($2) AND status = 'skipped' AND attempt = 0 AND reason = ANY($3)
           RETURNING reason AS "reason!""#,
        job.0,
        keys,
        reasons
    )
    .fetch_all(db)
    .await
}
