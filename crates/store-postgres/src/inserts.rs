//! New rows of a job, inserted under its lock.

use crawler_store::backend::{InsertedTasks, LockedJob, MAX_WAIT, to_i32, to_i64, to_millis};
use crawler_store::{
    IdempotencyKey, JobCreation, JobId, NewDocument, NewJob, NewMappedUrl, NewTask,
};
use sqlx::{Error, PgConnection};

use crate::text;

pub(crate) async fn job(db: &mut PgConnection, job: &NewJob) -> Result<JobCreation, Error> {
    let limits = job.limits;
    let inserted = sqlx::query!(
        "INSERT INTO jobs (id, type, params, max_depth, max_tasks, max_bytes, max_duration_ms, deadline_at,
                           idempotency_key, idempotency_request, owner, priority)
         VALUES ($1, $2, $3, $4, $5, $6, $7::bigint, now() + ($7::bigint + $12::bigint) * interval '1 ms', $8, $9, $10, $11)
         ON CONFLICT (idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING",
        job.id.0,
        job.kind.as_str(),
        text::clean_json(job.params.clone()),
        limits.max_depth.map(to_i32),
        limits.max_tasks.map(to_i64),
        limits.max_bytes.map(to_i64),
        limits.max_duration.map(to_millis),
        job.idempotency.as_ref().map(IdempotencyKey::key),
        job.idempotency.as_ref().map(IdempotencyKey::request),
        job.owner.as_str(),
        i32::from(job.priority.get()),
        // Until the first claim, which sets the actual deadline.
        to_millis(MAX_WAIT)
    )
    .execute(&mut *db)
    .await?;
    match job.idempotency {
        Some(idempotency) if inserted.rows_affected() == 0 => existing_job(db, idempotency).await,
        _ => Ok(JobCreation::Created),
    }
}

/// The job that has this key already; its transaction has committed.
pub(crate) async fn existing_job(
    db: &mut PgConnection,
    idempotency: IdempotencyKey,
) -> Result<JobCreation, Error> {
    let row = sqlx::query!(
        r#"SELECT id, idempotency_request AS "request!" FROM jobs WHERE idempotency_key = $1"#,
        idempotency.key()
    )
    .fetch_optional(db)
    .await?;
    // Deleted since: the request can be repeated.
    let row =
        row.ok_or_else(|| Error::Protocol("the job with this key was just deleted".into()))?;
    Ok(idempotency.found(JobId(row.id), &row.request))
}

/// The columns of new tasks.
pub(crate) struct TaskColumns {
    pub(crate) requested: Vec<String>,
    pub(crate) keys: Vec<String>,
    pub(crate) urls: Vec<String>,
    pub(crate) hosts: Vec<String>,
    pub(crate) depths: Vec<i32>,
    hops: Vec<i32>,
    pub(crate) vias: Vec<Option<String>>,
    pub(crate) found: Vec<String>,
}

impl TaskColumns {
    pub(crate) fn new(tasks: &[&NewTask]) -> Self {
        fn column<T>(tasks: &[&NewTask], value: impl Fn(&NewTask) -> T) -> Vec<T> {
            tasks.iter().map(|task| value(task)).collect()
        }
        Self {
            requested: column(tasks, |task| task.requested_url.clone()),
            keys: column(tasks, |task| task.final_url.clone()),
            urls: column(tasks, |task| task.url.clone()),
            hosts: column(tasks, |task| task.host.as_str().to_owned()),
            depths: column(tasks, |task| to_i32(task.depth)),
            hops: column(tasks, |task| to_i32(task.hops)),
            vias: column(tasks, |task| task.via.as_deref().map(text::owned)),
            found: column(tasks, |task| task.found.as_str().to_owned()),
        }
    }
}

/// The anti-join keeps most known links away from the unique index, where they would wait for other writers of the same
/// key; sorted insertion keeps two writers from waiting for each other.
pub(crate) async fn tasks(
    db: &mut PgConnection,
    job: &LockedJob,
    tasks: &[&NewTask],
) -> Result<InsertedTasks, Error> {
    let columns = TaskColumns::new(tasks);
    let row = sqlx::query!(
        r#"WITH fresh AS MATERIALIZED (
               SELECT n.* FROM unnest(
                   $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[], $9::text[]
               ) WITH ORDINALITY AS n(requested_url, final_url, url, host_key, depth, hops, via, found, place)
               WHERE NOT EXISTS (SELECT 1 FROM crawl_tasks t WHERE t.job_id = $1 AND t.final_url = n.final_url)
           ), let_in AS (
               INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, hops, via, found, gated)
               SELECT $1, requested_url, final_url, url, host_key, depth, hops, via, found, depth > $10::bigint
               FROM (SELECT * FROM fresh ORDER BY place LIMIT $11) chosen ORDER BY final_url
               ON CONFLICT (job_id, final_url) DO NOTHING
               RETURNING host_key, gated
           ), nearer AS (
               UPDATE crawl_tasks t
               SET depth = n.depth, gated = n.depth > $10::bigint, requested_url = n.requested_url, url = n.url,
                   hops = n.hops, via = n.via, found = n.found
               FROM unnest($2::text[], $3::text[], $4::text[], $6::int[], $7::int[], $8::text[], $9::text[])
                    AS n(requested_url, final_url, url, depth, hops, via, found)
               WHERE $12::boolean AND t.job_id = $1 AND t.final_url = n.final_url AND t.status = 'queued' AND t.gated
                 AND t.depth > n.depth
               RETURNING t.host_key
           )
           SELECT (SELECT count(*) FROM let_in) AS "let_in!",
                  (SELECT array_agg(place) FROM (SELECT place FROM fresh ORDER BY place OFFSET $11) rest) AS refused,
                  (SELECT array_agg(DISTINCT host_key)
                   FROM (SELECT host_key FROM let_in WHERE NOT gated UNION ALL SELECT host_key FROM nearer) all_hosts) AS hosts"#,
        job.id.0,
        &columns.requested,
        &columns.keys,
        &columns.urls,
        &columns.hosts,
        &columns.depths,
        &columns.hops,
        &columns.vias as _,
        &columns.found,
        job.gate(),
        job.remaining_tasks(),
        // Gated tasks that were found at a greater depth are moved by the same statement.
        job.may_move(tasks)
    )
    .fetch_one(db)
    .await?;
    Ok(InsertedTasks {
        inserted: row.let_in,
        refused: row
            .refused
            .unwrap_or_default()
            .into_iter()
            // Ordinals begin with 1.
            .filter_map(|place| usize::try_from(place - 1).ok())
            .collect(),
        hosts: row.hosts.unwrap_or_default(),
    })
}

pub(crate) async fn documents(
    db: &mut PgConnection,
    job: JobId,
    documents: &[&NewDocument],
) -> Result<i64, Error> {
    let optional = |text: fn(&NewDocument) -> &Option<String>| -> Vec<Option<String>> {
        documents
            .iter()
            .map(|document| text(document).as_deref().map(text::owned))
            .collect()
    };
    let required = |text: fn(&NewDocument) -> &String| -> Vec<String> {
        let texts = documents.iter().map(|document| text(document));
        texts.map(|text| text::owned(text)).collect()
    };
    let metas: Vec<serde_json::Value> = documents
        .iter()
        .map(|one| serde_json::to_value(&one.meta).map(text::clean_json))
        .collect::<Result<_, _>>()
        .map_err(|error| Error::Encode(Box::new(error)))?;
    sqlx::query_scalar!(
        r#"WITH stored AS (
               INSERT INTO documents (job_id, requested_url, final_url, title, content_md, content_raw, meta)
               SELECT $1, n.requested_url, n.final_url, n.title, n.content_md, n.content_raw, n.meta
               FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
                    AS n(requested_url, final_url, title, content_md, content_raw, meta)
               ON CONFLICT (job_id, md5(final_url)) DO NOTHING
               RETURNING octet_length(requested_url) + octet_length(final_url) + COALESCE(octet_length(title), 0)
                         + COALESCE(octet_length(content_md), 0) + COALESCE(octet_length(content_raw), 0) AS bytes
           )
           SELECT COALESCE(sum(bytes), 0)::bigint AS "bytes!" FROM stored"#,
        job.0,
        &required(|one| &one.requested_url),
        &required(|one| &one.final_url),
        &optional(|one| &one.title) as _,
        &optional(|one| &one.content_md) as _,
        &optional(|one| &one.content_raw) as _,
        &metas
    )
    .fetch_one(db)
    .await
}

pub(crate) async fn mapped_urls(
    db: &mut PgConnection,
    job: JobId,
    links: &[&NewMappedUrl],
) -> Result<(), Error> {
    let sources: Vec<String> = links
        .iter()
        .map(|link| text::owned(&link.source_url))
        .collect();
    let targets: Vec<String> = links
        .iter()
        .map(|link| text::owned(&link.target_url))
        .collect();
    let depths: Vec<i32> = links.iter().map(|link| to_i32(link.depth)).collect();
    sqlx::query!(
        "INSERT INTO mapped_urls (job_id, source_url, target_url, depth)
         SELECT $1, n.source_url, n.target_url, n.depth
         FROM unnest($2::text[], $3::text[], $4::int[]) AS n(source_url, target_url, depth)",
        job.0,
        &sources,
        &targets,
        &depths
    )
    .execute(db)
    .await?;
    Ok(())
}
