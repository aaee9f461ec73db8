//! Lists in pages: limits, cursors, and rows cut into pages.

use futures_util::Stream;
use uuid::Uuid;

use super::{Backend, JobRow, MappedUrlRow, TaskRow};
use crate::{
    Cursor, Job, JobId, ListPage, MappedUrl, StoreError, StoreResult, StoredDocument, StoredTask,
};

/// Maximum number of entries of a page.
const MAX_PAGE: u32 = 1_000;

/// The limit of a page, within bounds.
pub fn page_limit(limit: u32) -> u32 {
    limit.clamp(1, MAX_PAGE)
}

/// The id that a page begins after.
pub fn after_id(cursor: Option<Cursor>) -> StoreResult<i64> {
    let Some(cursor) = cursor else {
        return Ok(0);
    };
    let number = cursor.as_str().parse().ok();
    number
        .filter(|number| *number >= 0)
        .ok_or_else(|| invalid(&cursor))
}

/// The job that a page of jobs begins before: newest first.
pub fn before_job(cursor: Option<Cursor>) -> StoreResult<Option<JobId>> {
    let parse = |cursor: Cursor| {
        let id = Uuid::parse_str(cursor.as_str());
        id.map(JobId).map_err(|_| invalid(&cursor))
    };
    cursor.map(parse).transpose()
}

/// A job, with its tasks counted.
pub async fn job<B: Backend>(store: &B, row: Option<JobRow>) -> StoreResult<Option<Job>> {
    let Some(row) = row else {
        return Ok(None);
    };
    let counts = store.count_tasks(row.id).await.map_err(B::fault)?;
    row.into_job(counts).map(Some)
}

/// A page of jobs, with their tasks counted, out of up to `limit + 1` rows.
pub async fn job_page<B: Backend>(
    store: &B,
    rows: Vec<JobRow>,
    limit: u32,
) -> StoreResult<ListPage<Job>> {
    let page = ListPage::cut(rows, limit, |row| row.id.to_string());
    let mut entries = Vec::with_capacity(page.entries.len());
    for row in page.entries {
        entries.extend(job(store, Some(row)).await?);
    }
    let next = page.next;
    Ok(ListPage { entries, next })
}

/// A page of mapped URLs out of up to `limit + 1` rows.
pub fn mapped_page(rows: Vec<MappedUrlRow>, limit: u32) -> ListPage<MappedUrl> {
    let rows = rows.into_iter().map(MappedUrl::from).collect();
    ListPage::cut(rows, limit, |row: &MappedUrl| row.id.to_string())
}

/// A page of tasks out of up to `limit + 1` rows.
pub fn task_page(rows: Vec<TaskRow>, limit: u32) -> StoreResult<ListPage<StoredTask>> {
    let rows = rows.into_iter().map(StoredTask::try_from);
    let rows = rows.collect::<StoreResult<_>>()?;
    let id = |row: &StoredTask| row.id.0.to_string();
    Ok(ListPage::cut(rows, limit, id))
}

/// A page of documents, cut short if they are large.
pub async fn document_page(
    rows: impl Stream<Item = StoreResult<StoredDocument>>,
    limit: u32,
) -> StoreResult<ListPage<StoredDocument>> {
    let max_size = StoredDocument::MAX_PAGE_BYTES;
    let id = |document: &StoredDocument| document.id.to_string();
    ListPage::gather(rows, limit, max_size, StoredDocument::size, id).await
}

fn invalid(cursor: &Cursor) -> StoreError {
    StoreError::Conflict(format!(
        "{:?} is not a cursor of this list",
        cursor.as_str()
    ))
}
