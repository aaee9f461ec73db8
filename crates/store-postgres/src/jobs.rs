//! Jobs as a client sees them.

use crawler_store::backend::{self, JobRow, RequestRow, before_job, page_limit};
use crawler_store::{
    Access, Cancel, Cursor, Job, JobCreation, JobFilter, JobId, JobKind, JobRequest, JobState,
    Jobs, ListPage, NewJob, StoreResult,
};

use crate::PostgresStore;
use crate::fault::fault;

impl Jobs for PostgresStore {
    async fn create_job(&self, job: NewJob) -> StoreResult<JobCreation> {
        backend::create_job(self, &job).await
    }

    async fn job(&self, access: &Access, id: JobId) -> StoreResult<Option<Job>> {
        let row = sqlx::query_as!(
            JobRow,
            r#"SELECT id, owner, priority::bigint AS "priority!", status, type AS kind, params, error, stop_reason, max_depth::bigint AS max_depth, max_tasks,
                      max_bytes, max_duration_ms, left_out, traps, bytes,
                      (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                      (extract(epoch FROM updated_at) * 1000)::bigint AS "updated_at!",
                      (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!",
                      (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!"
               FROM jobs WHERE id = $1 AND ($2::text IS NULL OR owner = $2) AND creating_until IS NULL"#,
            id.0,
            access.owner()
        )
        .fetch_optional(&self.pool)
        .await
        .map_err(fault)?;
        backend::job(self, row).await
    }

    async fn request(&self, access: &Access, id: JobId) -> StoreResult<Option<JobRequest>> {
        let row = sqlx::query_as!(
            RequestRow,
            "SELECT type AS kind, params FROM jobs
             WHERE id = $1 AND ($2::text IS NULL OR owner = $2) AND creating_until IS NULL",
            id.0,
            access.owner()
        )
        .fetch_optional(&self.pool)
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
        let before = before_job(cursor)?.map(|job| job.0);
        let rows = sqlx::query_as!(
            JobRow,
            r#"SELECT id, owner, priority::bigint AS "priority!", status, type AS kind, params, error, stop_reason, max_depth::bigint AS max_depth, max_tasks,
                      max_bytes, max_duration_ms, left_out, traps, bytes,
                      (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!",
                      (extract(epoch FROM updated_at) * 1000)::bigint AS "updated_at!",
                      (SELECT count(*) FROM documents WHERE job_id = jobs.id) AS "documents!",
                      (SELECT count(*) FROM mapped_urls WHERE job_id = jobs.id) AS "mapped_urls!"
               FROM jobs
               WHERE ($1::uuid IS NULL OR id < $1) AND ($2::text IS NULL OR status = $2)
                 AND ($3::text IS NULL OR type = $3) AND ($5::text IS NULL OR owner = $5) AND creating_until IS NULL
               ORDER BY id DESC LIMIT $4"#,
            before,
            filter.state.map(JobState::as_str),
            filter.kind.map(JobKind::as_str),
            i64::from(limit) + 1,
            access.owner()
        )
        .fetch_all(&self.pool)
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
