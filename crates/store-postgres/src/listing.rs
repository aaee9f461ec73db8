//! Reading: jobs and what they gave, in pages by key.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;
use store::{
    Cursor, Document, FinishedTask, Job, JobFilter, JobId, JobKind, JobLimits, JobOrder, JobState,
    MappedUrl, NewDocument, NewMappedUrl, Page, StoreError, StoredTask, TaskId, TaskState,
    UnixMillis,
};
use uuid::Uuid;

use crate::fault::fault;
use crate::numbers::{to_u32, to_u64};
use crate::{PostgresStore, job_row};

/// No page is longer.
const MOST: u32 = 1_000;

fn after(cursor: Option<Cursor>) -> Result<i64, StoreError> {
    cursor.map_or(Ok(0), |cursor| {
        let number = cursor.as_str().parse().ok();
        number.filter(|number| *number >= 0).ok_or_else(|| {
            StoreError::Conflict(format!("{:?} is no cursor of this list", cursor.as_str()))
        })
    })
}

struct JobColumns {
    id: Uuid,
    status: String,
    kind: String,
    params: Value,
    error: Option<String>,
    stop_reason: Option<String>,
    max_depth: Option<i32>,
    max_tasks: Option<i64>,
    max_bytes: Option<i64>,
    max_duration_ms: Option<i64>,
    left_out: i64,
    bytes: i64,
    created_at: i64,
    updated_at: i64,
    documents: i64,
    mapped_urls: i64,
}

async fn whole(store: &PostgresStore, row: JobColumns) -> Result<Job, StoreError> {
    let mut db = store.pool.acquire().await.map_err(fault)?;
    let counts = job_row::counts(&mut db, row.id).await.map_err(fault)?;
    let odd = |what: &str, value: &str| StoreError::Refused(format!("a job's {what} is {value:?}"));
    Ok(Job {
        id: JobId(row.id),
        kind: JobKind::named(&row.kind).ok_or_else(|| odd("type", &row.kind))?,
        state: JobState::named(&row.status).ok_or_else(|| odd("status", &row.status))?,
        params: row.params,
        limits: JobLimits {
            max_depth: row.max_depth.map(to_u32),
            max_tasks: row.max_tasks.map(to_u64),
            max_bytes: row.max_bytes.map(to_u64),
            max_duration: row
                .max_duration_ms
                .map(|millis| Duration::from_millis(to_u64(millis))),
        },
        error: row.error,
        stop_reason: row.stop_reason,
        counts,
        left_out: to_u64(row.left_out),
        documents: to_u64(row.documents),
        mapped_urls: to_u64(row.mapped_urls),
        bytes: to_u64(row.bytes),
        created_at: UnixMillis(row.created_at),
        updated_at: UnixMillis(row.updated_at),
    })
}

pub(crate) async fn job(store: &PostgresStore, id: JobId) -> Result<Option<Job>, StoreError> {
    let row = sqlx::query_as!(
        JobColumns,
        r#"SELECT id, status, type AS kind, params, error, stop_reason, max_depth, max_tasks, max_bytes,
                  max_duration_ms, left_out, bytes,
                  (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                  (extract(epoch FROM updated_at) * 1000)::bigint AS "updated_at!",
                  (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!",
                  (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!"
           FROM jobs WHERE id = $1"#,
        id.0
    )
    .fetch_optional(&store.pool)
    .await
    .map_err(fault)?;
    match row {
        Some(row) => Ok(Some(whole(store, row).await?)),
        None => Ok(None),
    }
}

pub(crate) async fn order(
    store: &PostgresStore,
    id: JobId,
) -> Result<Option<JobOrder>, StoreError> {
    let row = sqlx::query!("SELECT type AS kind, params FROM jobs WHERE id = $1", id.0)
        .fetch_optional(&store.pool)
        .await
        .map_err(fault)?;
    row.map(|row| {
        Ok(JobOrder {
            id,
            kind: JobKind::named(&row.kind)
                .ok_or_else(|| StoreError::Refused(format!("a job's type is {:?}", row.kind)))?,
            params: row.params,
        })
    })
    .transpose()
}

pub(crate) async fn jobs(
    store: &PostgresStore,
    filter: JobFilter,
    limit: u32,
    cursor: Option<Cursor>,
) -> Result<Page<Job>, StoreError> {
    let limit = limit.clamp(1, MOST);
    let before = cursor
        .map(|cursor| {
            Uuid::parse_str(cursor.as_str()).map_err(|_| {
                StoreError::Conflict(format!("{:?} is no cursor of this list", cursor.as_str()))
            })
        })
        .transpose()?;
    let rows = sqlx::query_as!(
        JobColumns,
        r#"SELECT id, status, type AS kind, params, error, stop_reason, max_depth, max_tasks, max_bytes,
                  max_duration_ms, left_out, bytes,
                  (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                  (extract(epoch FROM updated_at) * 1000)::bigint AS "updated_at!",
                  (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!",
                  (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!"
           FROM jobs
           WHERE ($1::uuid IS NULL OR id < $1) AND ($2::text IS NULL OR status = $2)
             AND ($3::text IS NULL OR type = $3)
           ORDER BY id DESC LIMIT $4"#,
        before,
        filter.state.map(JobState::as_str),
        filter.kind.map(JobKind::as_str),
        i64::from(limit) + 1
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let mut entries = Vec::with_capacity(page.entries.len());
    for row in page.entries {
        entries.push(whole(store, row).await?);
    }
    Ok(Page {
        entries,
        next: page.next,
    })
}

pub(crate) async fn documents(
    store: &PostgresStore,
    job: JobId,
    limit: u32,
    cursor: Option<Cursor>,
) -> Result<Page<Document>, StoreError> {
    let limit = limit.clamp(1, MOST);
    let rows = sqlx::query!(
        r#"SELECT id, requested_url, final_url, title, content_md, content_raw, meta,
                  (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!"
           FROM documents WHERE job_id = $1 AND id > $2 ORDER BY id LIMIT $3"#,
        job.0,
        after(cursor)?,
        i64::from(limit) + 1
    )
    .fetch(&store.pool)
    .map(|row| {
        let row = row.map_err(fault)?;
        Ok::<_, StoreError>(Document {
            id: row.id,
            content: NewDocument {
                requested_url: row.requested_url,
                final_url: row.final_url,
                title: row.title,
                content_md: row.content_md,
                content_raw: row.content_raw,
                meta: row.meta,
            },
            created_at: UnixMillis(row.created_at),
        })
    });
    let (weigh, key) = (Document::weight, |one: &Document| one.id.to_string());
    Page::gather(rows, limit, Document::HEAVY, weigh, key).await
}

pub(crate) async fn mapped(
    store: &PostgresStore,
    job: JobId,
    limit: u32,
    cursor: Option<Cursor>,
) -> Result<Page<MappedUrl>, StoreError> {
    let limit = limit.clamp(1, MOST);
    let rows = sqlx::query!(
        r#"SELECT id, source_url, target_url, depth, (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!"
           FROM mapped_urls WHERE job_id = $1 AND id > $2 ORDER BY id LIMIT $3"#,
        job.0,
        after(cursor)?,
        i64::from(limit) + 1
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    let entries = rows
        .into_iter()
        .map(|row| MappedUrl {
            id: row.id,
            link: NewMappedUrl {
                source_url: row.source_url,
                target_url: row.target_url,
                depth: to_u32(row.depth),
            },
            created_at: UnixMillis(row.created_at),
        })
        .collect();
    Ok(Page::cut(entries, limit, |one: &MappedUrl| {
        one.id.to_string()
    }))
}

struct TaskColumns {
    id: i64,
    requested_url: String,
    final_url: String,
    url: String,
    depth: i32,
    hops: i32,
    status: String,
    attempt: i32,
    error: Option<String>,
    reason: Option<String>,
    sequence: Option<i64>,
    updated_at: i64,
}

impl TaskColumns {
    fn whole(self) -> Result<StoredTask, StoreError> {
        Ok(StoredTask {
            id: TaskId(self.id),
            requested_url: self.requested_url,
            final_url: self.final_url,
            url: self.url,
            depth: to_u32(self.depth),
            hops: to_u32(self.hops),
            state: TaskState::named(&self.status).ok_or_else(|| {
                StoreError::Refused(format!("a task's status is {:?}", self.status))
            })?,
            attempt: to_u32(self.attempt),
            error: self.error,
            reason: self.reason,
            updated_at: UnixMillis(self.updated_at),
        })
    }
}

pub(crate) async fn tasks(
    store: &PostgresStore,
    job: JobId,
    state: Option<TaskState>,
    limit: u32,
    cursor: Option<Cursor>,
) -> Result<Page<StoredTask>, StoreError> {
    let limit = limit.clamp(1, MOST);
    let rows = sqlx::query_as!(
        TaskColumns,
        r#"SELECT id, requested_url, final_url, url, depth, hops, status, attempt, error, reason, sequence,
                  (extract(epoch FROM updated_at) * 1000)::bigint AS "updated_at!"
           FROM crawl_tasks WHERE job_id = $1 AND id > $2 AND ($3::text IS NULL OR status = $3)
           ORDER BY id LIMIT $4"#,
        job.0,
        after(cursor)?,
        state.map(TaskState::as_str),
        i64::from(limit) + 1
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    let entries = rows
        .into_iter()
        .map(TaskColumns::whole)
        .collect::<Result<_, _>>()?;
    Ok(Page::cut(entries, limit, |one: &StoredTask| {
        one.id.0.to_string()
    }))
}

pub(crate) async fn finished_since(
    store: &PostgresStore,
    job: JobId,
    sequence: i64,
    limit: u32,
) -> Result<Vec<FinishedTask>, StoreError> {
    let rows = sqlx::query_as!(
        TaskColumns,
        r#"SELECT id, requested_url, final_url, url, depth, hops, status, attempt, error, reason, sequence,
                  (extract(epoch FROM updated_at) * 1000)::bigint AS "updated_at!"
           FROM crawl_tasks WHERE job_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3"#,
        job.0,
        sequence,
        i64::from(limit.clamp(1, MOST))
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    rows.into_iter()
        .map(|row| {
            Ok(FinishedTask {
                sequence: row.sequence.unwrap_or_default(),
                task: row.whole()?,
            })
        })
        .collect()
}
