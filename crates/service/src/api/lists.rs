//! What a job gave, in pages: its documents, its map, its tasks.

use axum::Json;
use axum::extract::State;
use store::{JobId, JobOrder, Store, TaskState};

use super::answers::{
    DocumentAnswer, DocumentList, MappedAnswer, MappedList, TaskAnswer, TaskList,
};
use super::app::App;
use super::job_path::JobPath;
use super::jobs::one_of;
use super::paging;
use super::problem::Problem;
use super::query::Params;
use super::requests::{DocumentsQuery, MapQuery, TasksQuery};
use crate::job_params::{JobParams, OutputFormat};

/// A job's documents, in the order they were stored
///
/// A page of large documents may have fewer than `limit`; `next_cursor` is null at the end and only there.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/documents", operation_id = "list_documents", tag = "results",
    params(("id" = uuid::Uuid, Path, description = "The job"), DocumentsQuery),
    responses((status = 200, description = "A page of documents", body = DocumentList))
)]
pub(super) async fn documents<S: Store>(
    State(app): State<App<S>>,
    JobPath(id): JobPath,
    Params(query): Params<DocumentsQuery>,
) -> Result<Json<DocumentList>, Problem> {
    let limit = paging::limit(query.limit, 20, 1..=100)?;
    let format = format_of(&order(&app, id).await?);
    let page = app
        .store()
        .documents(id, limit, paging::cursor(query.cursor))
        .await
        .map_err(paging::problem)?;
    let entries = page.entries;
    let written = tokio::task::spawn_blocking(move || {
        let write = |document| DocumentAnswer::new(document, format);
        entries.into_iter().map(write).collect()
    });
    Ok(Json(DocumentList {
        documents: written.await.map_err(|_| Problem::internal())?,
        next_cursor: paging::next(page.next),
    }))
}

/// A job's map: every link with the page it was found on
#[utoipa::path(
    get, path = "/v1/jobs/{id}/map", operation_id = "list_map", tag = "results",
    params(("id" = uuid::Uuid, Path, description = "The job"), MapQuery),
    responses((status = 200, description = "A page of links", body = MappedList))
)]
pub(super) async fn map<S: Store>(
    State(app): State<App<S>>,
    JobPath(id): JobPath,
    Params(query): Params<MapQuery>,
) -> Result<Json<MappedList>, Problem> {
    let limit = paging::limit(query.limit, 100, 1..=1_000)?;
    order(&app, id).await?;
    let page = app
        .store()
        .mapped(id, limit, paging::cursor(query.cursor))
        .await
        .map_err(paging::problem)?;
    Ok(Json(MappedList {
        urls: page.entries.into_iter().map(MappedAnswer::from).collect(),
        next_cursor: paging::next(page.next),
    }))
}

/// A job's tasks: every URL with its status and the reason for what was not fetched
#[utoipa::path(
    get, path = "/v1/jobs/{id}/tasks", operation_id = "list_tasks", tag = "results",
    params(("id" = uuid::Uuid, Path, description = "The job"), TasksQuery),
    responses((status = 200, description = "A page of tasks", body = TaskList))
)]
pub(super) async fn tasks<S: Store>(
    State(app): State<App<S>>,
    JobPath(id): JobPath,
    Params(query): Params<TasksQuery>,
) -> Result<Json<TaskList>, Problem> {
    let limit = paging::limit(query.limit, 100, 1..=1_000)?;
    let state = one_of("status", query.status.as_deref(), TaskState::named, || {
        TaskState::ALL.map(TaskState::as_str).join(", ")
    })?;
    order(&app, id).await?;
    let page = app
        .store()
        .tasks(id, state, limit, paging::cursor(query.cursor))
        .await
        .map_err(paging::problem)?;
    Ok(Json(TaskList {
        tasks: page.entries.into_iter().map(TaskAnswer::from).collect(),
        next_cursor: paging::next(page.next),
    }))
}

pub(super) async fn order<S: Store>(app: &App<S>, id: JobId) -> Result<JobOrder, Problem> {
    let order = app.store().order(id).await?;
    order.ok_or_else(Problem::no_such_job)
}

/// What a job's documents are written in.
pub(super) fn format_of(order: &JobOrder) -> OutputFormat {
    let params: Result<JobParams, _> = serde_json::from_value(order.params.clone());
    params
        .ok()
        .and_then(|params| params.output_format)
        .unwrap_or_default()
}
