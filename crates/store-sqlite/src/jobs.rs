//! Jobs as a client sees them.

use crawler_store::backend::{self, JobRow, RequestRow, before_job, page_limit};
use crawler_store::{
    Access, Cancel, Cursor, Job, JobCreation, JobFilter, JobId, JobKind, JobRequest, JobState,
    Jobs, ListPage, NewJob, StoreResult,
};
use sqlx::types::uuid::fmt::Hyphenated;

use crate::SqliteStore;
use crate::fault::fault;

impl Jobs for SqliteStore {
    async fn create_job(&self, job: NewJob) -> StoreResult<JobCreation> {
        backend::create_job(self, &job).await
    }

    async fn job(&self, access: &Access, id: JobId) -> StoreResult<Option<Job>> {
        let (id, owner) = (id.to_string(), access.owner());
        let row = sqlx::query_as!(
            JobRow,
            r#"SELECT id AS "id: Hyphenated", owner, priority, status, type AS kind, params, error, stop_reason, max_depth, max_tasks,
                      max_bytes, max_duration_ms, left_out, traps, bytes, created_at, updated_at,
                      (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!: i64",
                      (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!: i64"
               FROM jobs WHERE id = ?1 AND (?2 IS NULL OR owner = ?2) AND creating_until IS NULL"#,
            id,
            owner
        )
        .fetch_optional(&self.readers)
        .await
        .map_err(fault)?;
        backend::job(self, row).await
    }

    async fn request(&self, access: &Access, id: JobId) -> StoreResult<Option<JobRequest>> {
        let (text, owner) = (id.to_string(), access.owner());
        let row = sqlx::query_as!(
            RequestRow,
            "SELECT type AS kind, params FROM jobs WHERE id = ?1 AND (?2 IS NULL OR owner = ?2) AND creating_until IS NULL",
            text,
            owner
        )
        .fetch_optional(&self.readers)
        .await
        .map_err(fault)?;
        row.map(|row| row.into_request(id)).transpose()
    }

    async fn jobs(
        &self,
        access: &Access,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<Job>> {
        let limit = page_limit(limit);
        let before = before_job(cursor)?.map(|job| job.to_string());
        let state = filter.state.map(JobState::as_str);
        let kind = filter.kind.map(JobKind::as_str);
        let (rows, owner) = (i64::from(limit) + 1, access.owner());
        let rows = sqlx::query_as!(
            JobRow,
            r#"SELECT id AS "id: Hyphenated", owner, priority, status, type AS kind, params, error, stop_reason, max_depth, max_tasks,
                      max_bytes, max_duration_ms, left_out, traps, bytes, created_at, updated_at,
                      (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!: i64",
                      (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!: i64"
               FROM jobs
               WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR type = ?3)
                 AND (?5 IS NULL OR owner = ?5) AND creating_until IS NULL
               ORDER BY id DESC LIMIT ?4"#,
            before,
            state,
            kind,
            rows,
            owner
        )
        .fetch_all(&self.readers)
        .await
        .map_err(fault)?;
        backend::job_page(self, rows, limit).await
    }

    async fn cancel(&self, access: &Access, id: JobId) -> StoreResult<Cancel> {
        // A job that is being created exists for nobody.
        if self.request(access, id).await?.is_none() {
            return Ok(Cancel::NotFound);
        }
        backend::cancel(self, access, id).await
    }
}
