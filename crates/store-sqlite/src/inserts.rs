//! New rows of a job.

use crawler_store::backend::{InsertedTasks, LockedJob, MAX_WAIT, to_i64, to_millis};
use crawler_store::{
    IdempotencyKey, JobCreation, JobId, NewDocument, NewJob, NewMappedUrl, NewTask,
};
use serde_json::{Value, json};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqliteConnection};

pub(crate) async fn job(
    db: &mut SqliteConnection,
    job: &NewJob,
    now: i64,
) -> Result<JobCreation, Error> {
    let id = job.id.to_string();
    let (kind, params) = (job.kind.as_str(), job.params.to_string());
    let max_depth = job.limits.max_depth.map(i64::from);
    let max_tasks = job.limits.max_tasks.map(to_i64);
    let max_bytes = job.limits.max_bytes.map(to_i64);
    let max_duration = job.limits.max_duration.map(to_millis);
    // Until the first claim, which sets the actual deadline.
    let deadline = max_duration.map(|millis| now + millis + to_millis(MAX_WAIT));
    let key = job.idempotency.as_ref().map(IdempotencyKey::key);
    let request = job.idempotency.as_ref().map(IdempotencyKey::request);
    let (owner, priority) = (job.owner.as_str(), job.priority.get());
    let inserted = sqlx::query!(
        "INSERT INTO jobs (id, type, params, max_depth, max_tasks, max_bytes, max_duration_ms, deadline_at,
                           created_at, updated_at, idempotency_key, idempotency_request, owner, priority)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT (idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING",
        id,
        kind,
        params,
        max_depth,
        max_tasks,
        max_bytes,
        max_duration,
        deadline,
        now,
        key,
        request,
        owner,
        priority
    )
    .execute(&mut *db)
    .await?;
    match job.idempotency {
        Some(idempotency) if inserted.rows_affected() == 0 => existing_job(db, idempotency).await,
        _ => Ok(JobCreation::Created),
    }
}

/// The job that has this key already.
pub(crate) async fn existing_job(
    db: &mut SqliteConnection,
    idempotency: IdempotencyKey,
) -> Result<JobCreation, Error> {
    let key = idempotency.key();
    let row = sqlx::query!(
        r#"SELECT id AS "id: Hyphenated", idempotency_request AS "request!" FROM jobs WHERE idempotency_key = ?"#,
        key
    )
    .fetch_one(db)
    .await?;
    Ok(idempotency.found(row.id.into(), &row.request))
}

/// Tasks as JSON rows.
fn task_rows(tasks: &[&NewTask]) -> String {
    let row = |task: &&NewTask| {
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
    };
    tasks.iter().map(row).collect::<Value>().to_string()
}

pub(crate) async fn tasks(
    db: &mut SqliteConnection,
    job: &LockedJob,
    tasks: &[&NewTask],
    now: i64,
) -> Result<InsertedTasks, Error> {
    let (id, rows) = (job.id.to_string(), task_rows(tasks));
    let new = sqlx::query_scalar!(
        r#"SELECT key + 0 AS "place!: i64" FROM json_each(?1) WHERE NOT EXISTS (
               SELECT 1 FROM crawl_tasks WHERE job_id = ?2 AND final_url = value ->> 1) ORDER BY key"#,
        rows,
        id
    )
    .fetch_all(&mut *db)
    .await?;
    let (gate, remaining) = (job.gate(), job.remaining_tasks());
    let refused = new
        .iter()
        .skip(usize::try_from(remaining).unwrap_or(usize::MAX))
        .filter_map(|place| usize::try_from(*place).ok())
        .collect();
    if new.is_empty() || remaining == 0 {
        return Ok(InsertedTasks {
            refused,
            ..InsertedTasks::default()
        });
    }
    let inserted = sqlx::query!(
        r#"INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, hops, via, found, gated,
                                    not_before, created_at, updated_at)
           SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
                  value ->> 7, (value ->> 4) > ?2, ?3, ?3, ?3
           FROM json_each(?4) WHERE NOT EXISTS (
               SELECT 1 FROM crawl_tasks WHERE job_id = ?1 AND final_url = value ->> 1)
           ORDER BY key LIMIT ?5
           ON CONFLICT (job_id, final_url) DO NOTHING
           RETURNING host_key AS "host_key!", gated AS "gated!: bool""#,
        id,
        gate,
        now,
        rows,
        remaining
    )
    .fetch_all(db)
    .await?;
    Ok(InsertedTasks {
        refused,
        inserted: to_i64(inserted.len() as u64),
        hosts: inserted
            .into_iter()
            .filter(|row| !row.gated)
            .map(|row| row.host_key)
            .collect(),
    })
}

pub(crate) async fn move_nearer(
    db: &mut SqliteConnection,
    job: &LockedJob,
    tasks: &[&NewTask],
) -> Result<Vec<String>, Error> {
    let (id, gate, rows) = (job.id.to_string(), job.gate(), task_rows(tasks));
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
        id
    )
    .fetch_all(db)
    .await?;
    Ok(nearer.into_iter().map(|row| row.host_key).collect())
}

pub(crate) async fn documents(
    db: &mut SqliteConnection,
    job: JobId,
    documents: &[&NewDocument],
    now: i64,
) -> Result<i64, Error> {
    let id = job.to_string();
    let mut bytes = 0;
    for document in documents {
        let meta = serde_json::to_string(&document.meta)
            .map_err(|error| Error::Encode(Box::new(error)))?;
        let inserted = sqlx::query!(
            "INSERT INTO documents (job_id, requested_url, final_url, title, content_md, content_raw, meta,
                                    created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) ON CONFLICT (job_id, final_url) DO NOTHING",
            id,
            document.requested_url,
            document.final_url,
            document.title,
            document.content_md,
            document.content_raw,
            meta,
            now
        )
        .execute(&mut *db)
        .await?;
        if inserted.rows_affected() > 0 {
            bytes += document.stored_bytes();
        }
    }
    Ok(to_i64(bytes as u64))
}

pub(crate) async fn mapped_urls(
    db: &mut SqliteConnection,
    job: JobId,
    links: &[&NewMappedUrl],
    now: i64,
) -> Result<(), Error> {
    let id = job.to_string();
    let row = |link: &&NewMappedUrl| json!([link.source_url, link.target_url, link.depth]);
    let rows = links.iter().map(row).collect::<Value>().to_string();
    sqlx::query!(
        "INSERT INTO mapped_urls (job_id, source_url, target_url, depth, created_at, updated_at)
         SELECT ?1, value ->> 0, value ->> 1, value ->> 2, ?2, ?2 FROM json_each(?3) ORDER BY key",
        id,
        now,
        rows
    )
    .execute(db)
    .await?;
    Ok(())
}
