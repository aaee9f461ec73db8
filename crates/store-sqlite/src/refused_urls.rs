//! URLs that a job does not follow as crawler traps, as skipped tasks.

use crawler_store::backend::LockedJob;
use crawler_store::{JobId, RefusedUrl};
use serde_json::{Value, json};
use sqlx::{Error, SqliteConnection};

/// Inserts those with a new key; returns their reasons.
pub(crate) async fn insert(
    db: &mut SqliteConnection,
    job: &LockedJob,
    refused: &[&RefusedUrl],
    now: i64,
) -> Result<Vec<String>, Error> {
    let row = |one: &&RefusedUrl| {
        let task = &one.task;
        json!([
            task.requested_url,
            task.final_url,
            task.url,
            task.host.as_str(),
            task.depth,
            task.via,
            task.found.as_str(),
            one.reason.as_str(),
            one.message()
        ])
    };
    let (id, rows) = (job.id.to_string(), refused.iter().map(row));
    let rows = rows.collect::<Value>().to_string();
    let inserted = sqlx::query_scalar!(
        r#"INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, via, found, reason, error,
                                    status, sequence, not_before, created_at, updated_at)
           SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
                  value ->> 7, value ->> 8, 'skipped', ?2 + row_number() OVER (ORDER BY key), ?3, ?3, ?3
           FROM json_each(?4) WHERE NOT EXISTS (
               SELECT 1 FROM crawl_tasks WHERE job_id = ?1 AND final_url = value ->> 1)
           RETURNING reason AS "reason!""#,
        id,
        job.sequence,
        now,
        rows
    )
    .fetch_all(db)
    .await?;
    Ok(inserted)
}

/// Deletes tasks that were never claimed and have one of these reasons; returns the reason of each.
pub(crate) async fn remove(
    db: &mut SqliteConnection,
    job: JobId,
    keys: &[String],
    reasons: &[String],
) -> Result<Vec<String>, Error> {
    let id = job.to_string();
    let (keys, reasons) = (json!(keys).to_string(), json!(reasons).to_string());
    sqlx::query_scalar!(
        r#"DELETE FROM crawl_tasks
           WHERE job_id = ?1 AND final_url IN (SELECT value FROM json_each(?2)) AND status = 'skipped' AND attempt = 0
             AND reason IN (SELECT value FROM json_each(?3))
           RETURNING reason AS "reason!""#,
        id,
        keys,
        reasons
    )
    .fetch_all(db)
    .await
}
