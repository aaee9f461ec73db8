//! The results of a job so far.

use crawler_store::backend::{
    DocumentRow, MappedUrlRow, TaskRow, after_id, document_page, finished_tasks, mapped_page,
    page_limit, task_page,
};
use crawler_store::{
    Access, Cursor, FinishedTask, JobId, ListPage, MappedUrl, Results, StoreResult, StoredDocument,
    StoredTask, TaskState,
};
use futures_util::StreamExt;

use crate::PostgresStore;
use crate::fault::fault;

impl Results for PostgresStore {
    async fn documents(
        &self,
        access: &Access,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<StoredDocument>> {
        let limit = page_limit(limit);
        let rows = sqlx::query_as!(
            DocumentRow,
            r#"SELECT id, requested_url, final_url, title, content_md, content_raw, meta,
                      (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!"
               FROM documents WHERE job_id = $1 AND id > $2
                 AND EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND ($4::text IS NULL OR owner = $4))
               ORDER BY id LIMIT $3"#,
            job.0,
            after_id(cursor)?,
            i64::from(limit) + 1,
            access.owner()
        )
        .fetch(&self.pool)
        .map(|row| StoredDocument::try_from(row.map_err(fault)?));
        document_page(rows, limit).await
    }

    async fn mapped(
        &self,
        access: &Access,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<MappedUrl>> {
        let limit = page_limit(limit);
        let rows = sqlx::query_as!(
            MappedUrlRow,
            r#"SELECT id, source_url, target_url, depth,
                      (extract(epoch FROM created_at) * 1000)::bigint AS "created_at!"
               FROM mapped_urls WHERE job_id = $1 AND id > $2
                 AND EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND ($4::text IS NULL OR owner = $4))
               ORDER BY id LIMIT $3"#,
            job.0,
            after_id(cursor)?,
            i64::from(limit) + 1,
            access.owner()
        )
        .fetch_all(&self.pool)
        .await
        .map_err(fault)?;
        Ok(mapped_page(rows, limit))
    }

    async fn tasks(
        &self,
        access: &Access,
        job: JobId,
        state: Option<TaskState>,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<StoredTask>> {
        let limit = page_limit(limit);
        let rows = sqlx::query_as!(
            TaskRow,
            r#"SELECT id, requested_url, final_url, url, depth, hops, status, attempt, error, reason, sequence,
                      (extract(epoch FROM updated_at) * 1000)::bigint AS "updated_at!"
               FROM crawl_tasks WHERE job_id = $1 AND id > $2 AND ($3::text IS NULL OR status = $3)
                 AND EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND ($5::text IS NULL OR owner = $5))
               ORDER BY id LIMIT $4"#,
            job.0,
            after_id(cursor)?,
            state.map(TaskState::as_str),
            i64::from(limit) + 1,
            access.owner()
        )
        .fetch_all(&self.pool)
        .await
        .map_err(fault)?;
        task_page(rows, limit)
    }

    async fn finished_since(
        &self,
        access: &Access,
        job: JobId,
        sequence: i64,
        limit: u32,
    ) -> StoreResult<Vec<FinishedTask>> {
        let rows = sqlx::query_as!(
            TaskRow,
            r#"SELECT id, requested_url, final_url, url, depth, hops, status, attempt, error, reason, sequence,
                      (extract(epoch FROM updated_at) * 1000)::bigint AS "updated_at!"
               FROM crawl_tasks WHERE job_id = $1 AND sequence > $2
                 AND EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND ($4::text IS NULL OR owner = $4))
               ORDER BY sequence LIMIT $3"#,
            job.0,
            sequence,
            i64::from(page_limit(limit)),
            access.owner()
        )
        .fetch_all(&self.pool)
        .await
        .map_err(fault)?;
        finished_tasks(rows)
    }
}
