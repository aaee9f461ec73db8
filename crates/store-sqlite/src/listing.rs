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
use crate::numbers::{narrow, to_u64};
use crate::{SqliteStore, job_row};

/// No page is longer.
const MOST: u32 = 1_000;

/// JSON as it was stored.
fn json(text: &str) -> Result<Value, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Refused(format!("stored JSON: {error}")))
}

fn after(cursor: Option<Cursor>) -> Result<i64, StoreError> {
    cursor.map_or(Ok(0), |cursor| {
        let number = cursor.as_str().parse().ok();
        number.filter(|number| *number >= 0).ok_or_else(|| {
            StoreError::Conflict(format!("{:?} is no cursor of this list", cursor.as_str()))
        })
    })
}

struct JobColumns {
    id: String,
    status: String,
    kind: String,
    params: String,
    error: Option<String>,
    stop_reason: Option<String>,
    max_depth: Option<i64>,
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

async fn whole(store: &SqliteStore, row: JobColumns) -> Result<Job, StoreError> {
    let mut db = store.readers.acquire().await.map_err(fault)?;
    let counts = job_row::counts(&mut db, &row.id).await.map_err(fault)?;
    let odd = |what: &str, value: &str| StoreError::Refused(format!("a job's {what} is {value:?}"));
    Ok(Job {
        id: JobId(Uuid::parse_str(&row.id).map_err(|_| odd("id", &row.id))?),
        kind: JobKind::named(&row.kind).ok_or_else(|| odd("type", &row.kind))?,
        state: JobState::named(&row.status).ok_or_else(|| odd("status", &row.status))?,
        params: json(&row.params)?,
        limits: JobLimits {
            max_depth: row.max_depth.map(narrow),
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

pub(crate) async fn job(store: &SqliteStore, id: JobId) -> Result<Option<Job>, StoreError> {
    let name = id.0.to_string();
    let row = sqlx::query_as!(
        JobColumns,
        r#"SELECT id, status, type AS kind, params, error, stop_reason, max_depth, max_tasks, max_bytes,
                  max_duration_ms, left_out, bytes,
                  created_at,
                  updated_at,
                  (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!: i64",
                  (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!: i64"
           FROM jobs WHERE id = ?1"#,
        name
    )
    .fetch_optional(&store.readers)
    .await
    .map_err(fault)?;
    match row {
        Some(row) => Ok(Some(whole(store, row).await?)),
        None => Ok(None),
    }
}

pub(crate) async fn order(store: &SqliteStore, id: JobId) -> Result<Option<JobOrder>, StoreError> {
    let name = id.0.to_string();
    let row = sqlx::query!("SELECT type AS kind, params FROM jobs WHERE id = ?", name)
        .fetch_optional(&store.readers)
        .await
        .map_err(fault)?;
    row.map(|row| {
        Ok(JobOrder {
            id,
            kind: JobKind::named(&row.kind)
                .ok_or_else(|| StoreError::Refused(format!("a job's type is {:?}", row.kind)))?,
            params: json(&row.params)?,
        })
    })
    .transpose()
}

pub(crate) async fn jobs(
    store: &SqliteStore,
    filter: JobFilter,
    limit: u32,
    cursor: Option<Cursor>,
) -> Result<Page<Job>, StoreError> {
    let limit = limit.clamp(1, MOST);
    let before = cursor
        .map(|cursor| {
            Uuid::parse_str(cursor.as_str())
                .map(|id| id.to_string())
                .map_err(|_| {
                    StoreError::Conflict(format!("{:?} is no cursor of this list", cursor.as_str()))
                })
        })
        .transpose()?;
    let state = filter.state.map(JobState::as_str);
    let kind = filter.kind.map(JobKind::as_str);
    let most = i64::from(limit) + 1;
    let rows = sqlx::query_as!(
        JobColumns,
        r#"SELECT id, status, type AS kind, params, error, stop_reason, max_depth, max_tasks, max_bytes,
                  max_duration_ms, left_out, bytes,
                  created_at,
                  updated_at,
                  (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!: i64",
                  (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!: i64"
           FROM jobs
           WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR type = ?3)
           ORDER BY id DESC LIMIT ?4"#,
        before,
        state,
        kind,
        most
    )
    .fetch_all(&store.readers)
    .await
    .map_err(fault)?;
    let page = Page::cut(rows, limit, |row| row.id.clone());
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
    store: &SqliteStore,
    job: JobId,
    limit: u32,
    cursor: Option<Cursor>,
) -> Result<Page<Document>, StoreError> {
    let limit = limit.clamp(1, MOST);
    let (job, after, most) = (job.0.to_string(), after(cursor)?, i64::from(limit) + 1);
    let rows = sqlx::query!(
        r#"SELECT id, requested_url, final_url, title, content_md, content_raw, meta,
                  created_at
           FROM documents WHERE job_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3"#,
        job,
        after,
        most
    )
    .fetch(&store.readers)
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
                meta: json(&row.meta)?,
            },
            created_at: UnixMillis(row.created_at),
        })
    });
    let (weigh, key) = (Document::weight, |one: &Document| one.id.to_string());
    Page::gather(rows, limit, Document::HEAVY, weigh, key).await
}

pub(crate) async fn mapped(
    store: &SqliteStore,
    job: JobId,
    limit: u32,
    cursor: Option<Cursor>,
) -> Result<Page<MappedUrl>, StoreError> {
    let limit = limit.clamp(1, MOST);
    let (job, after, most) = (job.0.to_string(), after(cursor)?, i64::from(limit) + 1);
    let rows = sqlx::query!(
        r#"SELECT id, source_url, target_url, depth, created_at
           FROM mapped_urls WHERE job_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3"#,
        job,
        after,
        most
    )
    .fetch_all(&store.readers)
    .await
    .map_err(fault)?;
    let entries = rows
        .into_iter()
        .map(|row| MappedUrl {
            id: row.id,
            link: NewMappedUrl {
                source_url: row.source_url,
                target_url: row.target_url,
                depth: narrow(row.depth),
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
    depth: i64,
    hops: i64,
    status: String,
    attempt: i64,
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
            depth: narrow(self.depth),
            hops: narrow(self.hops),
            state: TaskState::named(&self.status).ok_or_else(|| {
                StoreError::Refused(format!("a task's status is {:?}", self.status))
            })?,
            attempt: narrow(self.attempt),
            error: self.error,
            reason: self.reason,
            updated_at: UnixMillis(self.updated_at),
        })
    }
}

pub(crate) async fn tasks(
    store: &SqliteStore,
    job: JobId,
    state: Option<TaskState>,
    limit: u32,
    cursor: Option<Cursor>,
) -> Result<Page<StoredTask>, StoreError> {
    let limit = limit.clamp(1, MOST);
    let (job, after, most) = (job.0.to_string(), after(cursor)?, i64::from(limit) + 1);
    let state = state.map(TaskState::as_str);
    let rows = sqlx::query_as!(
        TaskColumns,
        r#"SELECT id, requested_url, final_url, url, depth, hops, status, attempt, error, reason, sequence,
                  updated_at
           FROM crawl_tasks WHERE job_id = ?1 AND id > ?2 AND (?3 IS NULL OR status = ?3)
           ORDER BY id LIMIT ?4"#,
        job,
        after,
        state,
        most
    )
    .fetch_all(&store.readers)
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
    store: &SqliteStore,
    job: JobId,
    sequence: i64,
    limit: u32,
) -> Result<Vec<FinishedTask>, StoreError> {
    let (job, most) = (job.0.to_string(), i64::from(limit.clamp(1, MOST)));
    let rows = sqlx::query_as!(
        TaskColumns,
        r#"SELECT id, requested_url, final_url, url, depth, hops, status, attempt, error, reason, sequence,
                  updated_at
           FROM crawl_tasks WHERE job_id = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3"#,
        job,
        sequence,
        most
    )
    .fetch_all(&store.readers)
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
