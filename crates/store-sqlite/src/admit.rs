//! New tasks: the last step of admission, where a key is new or it is not.

use std::collections::{BTreeSet, HashSet};

use serde_json::json;
use sqlx::{Error, SqliteConnection};
use store::NewTask;

use crate::job_row::JobRow;
use crate::numbers::to_i64;

/// Lets in those whose key is new, as far as the job's limit goes. Returns how many, and adds to `hosts` those that
/// have something to give now.
pub(crate) async fn admit(
    db: &mut SqliteConnection,
    job: &mut JobRow,
    tasks: &[&NewTask],
    hosts: &mut BTreeSet<String>,
    now: i64,
) -> Result<u64, Error> {
    let mut fitting: Vec<&NewTask> = tasks.iter().copied().filter(|task| task.fits()).collect();
    job.left_out += to_i64((tasks.len() - fitting.len()) as u64);
    if fitting.is_empty() {
        return Ok(0);
    }
    // The nearest of those that share a key, in the order they were found.
    fitting.sort_by_key(|task| task.depth);
    let mut keys = HashSet::new();
    fitting.retain(|task| keys.insert(task.final_url.as_str()));
    let rows: Vec<_> = fitting
        .iter()
        .map(|task| {
            json!([
                task.requested_url,
                task.final_url,
                task.url,
                task.host.as_str(),
                task.depth,
                task.hops,
                task.via,
                task.found.as_str()
            ])
        })
        .collect();
    let rows = serde_json::Value::Array(rows).to_string();
    let fresh = sqlx::query_scalar!(
        r#"SELECT count(*) AS "fresh!: i64" FROM json_each(?1) WHERE NOT EXISTS (
               SELECT 1 FROM crawl_tasks WHERE job_id = ?2 AND final_url = value ->> 1)"#,
        rows,
        job.id
    )
    .fetch_one(&mut *db)
    .await?;
    let (gate, room) = (job.gate(), job.room());
    let let_in = if fresh > 0 && room > 0 {
        sqlx::query!(
            r#"INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, hops, via, found, gated,
                                        not_before, created_at, updated_at)
               SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
                      value ->> 7, (value ->> 4) > ?2, ?3, ?3, ?3
               FROM json_each(?4) WHERE NOT EXISTS (
                   SELECT 1 FROM crawl_tasks WHERE job_id = ?1 AND final_url = value ->> 1)
               ORDER BY key LIMIT ?5
               ON CONFLICT (job_id, final_url) DO NOTHING
               RETURNING host_key AS "host_key!", gated AS "gated!: bool""#,
            job.id,
            gate,
            now,
            rows,
            room
        )
        .fetch_all(&mut *db)
        .await?
    } else {
        Vec::new()
    };
    let count = to_i64(let_in.len() as u64);
    job.admitted += count;
    job.left_out += fresh - count;
    hosts.extend(
        let_in
            .into_iter()
            .filter(|row| !row.gated)
            .map(|row| row.host_key),
    );
    if job.max_depth.is_some() && fitting.iter().any(|task| i64::from(task.depth) <= gate) {
        let nearer = sqlx::query!(
            r#"UPDATE crawl_tasks
               SET depth = n.value ->> 4, gated = (n.value ->> 4) > ?1, requested_url = n.value ->> 0,
                   url = n.value ->> 2, hops = n.value ->> 5, via = n.value ->> 6, found = n.value ->> 7
               FROM json_each(?2) n
               WHERE job_id = ?3 AND final_url = n.value ->> 1 AND status = 'queued' AND gated = 1
                 AND depth > (n.value ->> 4)
               RETURNING host_key AS "host_key!""#,
            gate,
            rows,
            job.id
        )
        .fetch_all(&mut *db)
        .await?;
        hosts.extend(nearer.into_iter().map(|row| row.host_key));
    }
    Ok(u64::try_from(count).unwrap_or(0))
}
