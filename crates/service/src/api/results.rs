//! Lists the results of a job: its documents, map and tasks.

use axum::Json;
use axum::extract::State;
use crawler_store::{Access, JobId, JobRequest, Store, TaskState};

use super::app::App;
use super::auth::Caller;
use super::job_path::JobPath;
use super::jobs::one_of;
use super::paging;
use super::problem::Problem;
use super::query::QueryParams;
use super::requests::{DocumentsQuery, MapQuery, TasksQuery};
use super::responses::{
    DocumentList, DocumentResponse, MappedUrlList, MappedUrlResponse, TaskList, TaskResponse,
};
use crate::job_params::{JobParams, OutputFormat};

/// List the documents of a job, in the order in which they were stored
///
/// A page of large documents may have fewer than `limit` entries; `next_cursor` is null on the last page only.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/documents", operation_id = "list_documents", tag = "results",
    params(("id" = uuid::Uuid, Path, description = "ID of the job"), DocumentsQuery),
    responses((status = 200, description = "A page of documents", body = DocumentList))
)]
pub(super) async fn documents<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    JobPath(id): JobPath,
    QueryParams(query): QueryParams<DocumentsQuery>,
) -> Result<Json<DocumentList>, Problem> {
    let access = caller.access();
    let limit = paging::limit(query.limit, 20, 1..=100)?;
    let format = format_of(&job_request(&app, &access, id).await?);
    let page = app
        .store()
        .documents(&access, id, limit, paging::cursor(query.cursor))
        .await
        .map_err(paging::problem)?;
    let entries = page.entries;
    let responses = tokio::task::spawn_blocking(move || {
        let convert = |document| DocumentResponse::new(document, format);
        entries.into_iter().map(convert).collect()
    });
    Ok(Json(DocumentList {
        documents: responses.await.map_err(|_| Problem::internal())?,
        next_cursor: paging::next(page.next),
    }))
}

/// List the links of a job's map, with the page on which each was found
#[utoipa::path(
    get, path = "/v1/jobs/{id}/map", operation_id = "list_map", tag = "results",
    params(("id" = uuid::Uuid, Path, description = "ID of the job"), MapQuery),
    responses((status = 200, description = "A page of links", body = MappedUrlList))
)]
pub(super) async fn map<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    JobPath(id): JobPath,
    QueryParams(query): QueryParams<MapQuery>,
) -> Result<Json<MappedUrlList>, Problem> {
    let access = caller.access();
    let limit = paging::limit(query.limit, 100, 1..=1_000)?;
    job_request(&app, &access, id).await?;
    let page = app
        .store()
        .mapped(&access, id, limit, paging::cursor(query.cursor))
        .await
        .map_err(paging::problem)?;
    Ok(Json(MappedUrlList {
        urls: page
            .entries
            .into_iter()
            .map(MappedUrlResponse::from)
            .collect(),
        next_cursor: paging::next(page.next),
    }))
}

/// List the tasks of a job: its URLs with their status, and why a URL was not fetched
#[utoipa::path(
    get, path = "/v1/jobs/{id}/tasks", operation_id = "list_tasks", tag = "results",
    params(("id" = uuid::Uuid, Path, description = "ID of the job"), TasksQuery),
    responses((status = 200, description = "A page of tasks", body = TaskList))
)]
pub(super) async fn tasks<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    JobPath(id): JobPath,
    QueryParams(query): QueryParams<TasksQuery>,
) -> Result<Json<TaskList>, Problem> {
    let access = caller.access();
    let limit = paging::limit(query.limit, 100, 1..=1_000)?;
    let state = one_of("status", query.status.as_deref(), TaskState::named, || {
        TaskState::ALL.map(TaskState::as_str).join(", ")
    })?;
    job_request(&app, &access, id).await?;
    let page = app
        .store()
        .tasks(&access, id, state, limit, paging::cursor(query.cursor))
        .await
        .map_err(paging::problem)?;
    Ok(Json(TaskList {
        tasks: page.entries.into_iter().map(TaskResponse::from).collect(),
        next_cursor: paging::next(page.next),
    }))
}

/// Returns the request that created a job, or a problem if there is no such job.
pub(super) async fn job_request<S: Store>(
    app: &App<S>,
    access: &Access,
    id: JobId,
) -> Result<JobRequest, Problem> {
    let found = app.store().request(access, id).await?;
    found.ok_or_else(Problem::no_such_job)
}

/// Returns the output format of a job's documents.
pub(super) fn format_of(job_request: &JobRequest) -> OutputFormat {
    let params: Result<JobParams, _> = serde_json::from_value(job_request.params.clone());
    params
        .ok()
        .and_then(|params| params.output_format)
        .unwrap_or_default()
}
