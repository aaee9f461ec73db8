//! New tasks, under the job row's lock: the last step of admission, where a key is new or it is not.

use std::collections::BTreeSet;

use sqlx::{Error, PgConnection};
use store::NewTask;

use crate::job_row::JobRow;
use crate::numbers::to_i32;

/// Lets in those whose key is new, as far as the job's limit goes. Returns how many, and adds to `hosts` those that
/// have something to give now.
///
/// The anti-join keeps most known links away from the unique index, where they would wait for whoever is writing the
/// same key; sorted insertion keeps two writers from waiting for each other.
pub(crate) async fn admit(
    db: &mut PgConnection,
    job: &mut JobRow,
    tasks: &[&NewTask],
    hosts: &mut BTreeSet<String>,
) -> Result<u64, Error> {
    let all = tasks.len();
    let tasks: Vec<&NewTask> = tasks.iter().copied().filter(|task| task.fits()).collect();
    job.left_out += i64::try_from(all - tasks.len()).unwrap_or(0);
    if tasks.is_empty() {
        return Ok(0);
    }
    let texts = |text: fn(&NewTask) -> &String| -> Vec<String> {
        tasks.iter().map(|task| text(task).clone()).collect()
    };
    let requested = texts(|task| &task.requested_url);
    let keys = texts(|task| &task.final_url);
    let urls = texts(|task| &task.url);
    let host_keys: Vec<String> = tasks
        .iter()
        .map(|task| task.host.as_str().to_owned())
        .collect();
    let depths: Vec<i32> = tasks.iter().map(|task| to_i32(task.depth)).collect();
    let hops: Vec<i32> = tasks.iter().map(|task| to_i32(task.hops)).collect();
    let vias: Vec<Option<String>> = tasks
        .iter()
        .map(|task| task.via.as_deref().map(crate::text::owned))
        .collect();
    let found: Vec<String> = tasks
        .iter()
        .map(|task| task.found.as_str().to_owned())
        .collect();
    let row = sqlx::query!(
        r#"WITH fresh AS MATERIALIZED (
               SELECT n.* FROM (
                   SELECT DISTINCT ON (final_url) * FROM unnest(
                       $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[], $9::text[]
                   ) WITH ORDINALITY AS u(requested_url, final_url, url, host_key, depth, hops, via, found, place)
                   ORDER BY final_url, depth, place
               ) n
               WHERE NOT EXISTS (SELECT 1 FROM crawl_tasks t WHERE t.job_id = $1 AND t.final_url = n.final_url)
           ), let_in AS (
               INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, hops, via, found, gated)
               SELECT $1, requested_url, final_url, url, host_key, depth, hops, via, found, depth > $10
               FROM (SELECT * FROM fresh ORDER BY place LIMIT $11) chosen ORDER BY final_url
               ON CONFLICT (job_id, final_url) DO NOTHING
               RETURNING host_key, gated
           )
           SELECT (SELECT count(*) FROM fresh) AS "fresh!", (SELECT count(*) FROM let_in) AS "let_in!",
                  (SELECT array_agg(DISTINCT host_key) FROM let_in WHERE NOT gated) AS hosts"#,
        job.id,
        &requested,
        &keys,
        &urls,
        &host_keys,
        &depths,
        &hops,
        &vias as _,
        &found,
        job.gate(),
        job.room()
    )
    .fetch_one(&mut *db)
    .await?;
    job.admitted += row.let_in;
    job.left_out += row.fresh - row.let_in;
    hosts.extend(row.hosts.unwrap_or_default());
    if tasks.iter().any(|task| to_i32(task.depth) <= job.gate()) && job.max_depth.is_some() {
        let nearer = sqlx::query_scalar!(
            "UPDATE crawl_tasks t
             SET depth = n.depth, gated = n.depth > $8, requested_url = n.requested_url, url = n.url,
                 hops = n.hops, via = n.via, found = n.found
             FROM (SELECT DISTINCT ON (final_url) * FROM unnest(
                       $2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::text[], $9::text[]
                   ) AS u(requested_url, final_url, url, depth, hops, via, found) ORDER BY final_url, depth) n
             WHERE t.job_id = $1 AND t.final_url = n.final_url AND t.status = 'queued' AND t.gated
               AND t.depth > n.depth
             RETURNING t.host_key",
            job.id,
            &requested,
            &keys,
            &urls,
            &depths,
            &hops,
            &vias as _,
            job.gate(),
            &found
        )
        .fetch_all(&mut *db)
        .await?;
        hosts.extend(nearer);
    }
    Ok(u64::try_from(row.let_in).unwrap_or(0))
}
