//! Jobs as a client sees them.

use crawler_store::backend::{self, JobRow, before_job, page_limit};
use crawler_store::{
    Cancel, Cursor, Job, JobCreation, JobFilter, JobId, JobKind, JobState, Jobs, ListPage, NewJob,
    StoreResult,
};
use sqlx::types::uuid::fmt::Hyphenated;

use crate::SqliteStore;
use crate::fault::fault;

impl Jobs for SqliteStore {
    async fn create_job(&self, job: NewJob) -> StoreResult<JobCreation> {
        backend::create_job(self, &job).await
    }

    async fn job(&self, id: JobId) -> StoreResult<Option<Job>> {
        let id = id.to_string();
        let row = sqlx::query_as!(
            JobRow,
            r#"SELECT id AS "id: Hyphenated", owner, priority, status, type AS kind, params, error, stop_reason, max_depth, max_tasks,
                      max_bytes, max_duration_ms, left_out, traps, bytes, created_at, updated_at,
                      (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!: i64",
                      (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!: i64"
               FROM jobs WHERE id = ?1"#,
            id
        )
        .fetch_optional(&self.readers)
        .await
        .map_err(fault)?;
        backend::job(self, row).await
    }

    async fn jobs(
        &self,
        filter: JobFilter,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<Job>> {
        let limit = page_limit(limit);
        let before = before_job(cursor)?.map(|job| job.to_string());
        let state = filter.state.map(JobState::as_str);
        let kind = filter.kind.map(JobKind::as_str);
        let rows = i64::from(limit) + 1;
        let rows = sqlx::query_as!(
            JobRow,
            r#"SELECT id AS "id: Hyphenated", owner, priority, status, type AS kind, params, error, stop_reason, max_depth, max_tasks,
                      max_bytes, max_duration_ms, left_out, traps, bytes, created_at, updated_at,
                      (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!: i64",
                      (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!: i64"
               FROM jobs
               WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR type = ?3)
               ORDER BY id DESC LIMIT ?4"#,
            before,
            state,
            kind,
            rows
        )
        .fetch_all(&self.readers)
        .await
        .map_err(fault)?;
        backend::job_page(self, rows, limit).await
    }

    async fn cancel(&self, id: JobId) -> StoreResult<Cancel> {
        backend::cancel(self, id).await
    }
}
