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

use crate::SqliteStore;
use crate::fault::fault;

impl Results for SqliteStore {
    async fn documents(
        &self,
        access: &Access,
        job: JobId,
        limit: u32,
        cursor: Option<Cursor>,
    ) -> StoreResult<ListPage<StoredDocument>> {
        let limit = page_limit(limit);
        let (job, owner) = (job.to_string(), access.owner());
        let (after, rows) = (after_id(cursor)?, i64::from(limit) + 1);
        let rows = sqlx::query_as!(
            DocumentRow,
            "SELECT id, requested_url, final_url, title, content_md, content_raw, meta, created_at
             FROM documents WHERE job_id = ?1 AND id > ?2
                 AND EXISTS (SELECT 1 FROM jobs WHERE id = ?1 AND (?4 IS NULL OR owner = ?4))
               ORDER BY id LIMIT ?3",
            job,
            after,
            rows,
            owner
        )
        .fetch(&self.readers)
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
        let (job, owner) = (job.to_string(), access.owner());
        let (after, rows) = (after_id(cursor)?, i64::from(limit) + 1);
        let rows = sqlx::query_as!(
            MappedUrlRow,
            "SELECT id, source_url, target_url, depth, created_at
             FROM mapped_urls WHERE job_id = ?1 AND id > ?2
                 AND EXISTS (SELECT 1 FROM jobs WHERE id = ?1 AND (?4 IS NULL OR owner = ?4))
               ORDER BY id LIMIT ?3",
            job,
            after,
            rows,
            owner
        )
        .fetch_all(&self.readers)
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
        let (job, owner) = (job.to_string(), access.owner());
        let (after, rows) = (after_id(cursor)?, i64::from(limit) + 1);
        let state = state.map(TaskState::as_str);
        let rows = sqlx::query_as!(
            TaskRow,
            "SELECT id, requested_url, final_url, url, depth, hops, status, attempt, error, reason, sequence, updated_at
             FROM crawl_tasks WHERE job_id = ?1 AND id > ?2 AND (?3 IS NULL OR status = ?3)
                 AND EXISTS (SELECT 1 FROM jobs WHERE id = ?1 AND (?5 IS NULL OR owner = ?5))
             ORDER BY id LIMIT ?4",
            job,
            after,
            state,
            rows,
            owner
        )
        .fetch_all(&self.readers)
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
        let (job, owner) = (job.to_string(), access.owner());
        let limit = i64::from(page_limit(limit));
        let rows = sqlx::query_as!(
            TaskRow,
            "SELECT id, requested_url, final_url, url, depth, hops, status, attempt, error, reason, sequence, updated_at
             FROM crawl_tasks WHERE job_id = ?1 AND sequence > ?2
                 AND EXISTS (SELECT 1 FROM jobs WHERE id = ?1 AND (?4 IS NULL OR owner = ?4))
               ORDER BY sequence LIMIT ?3",
            job,
            sequence,
            limit,
            owner
        )
        .fetch_all(&self.readers)
        .await
        .map_err(fault)?;
        finished_tasks(rows)
    }
}
