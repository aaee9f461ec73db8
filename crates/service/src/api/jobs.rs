//! Lists, shows and cancels jobs: `GET /v1/jobs`, `GET` and `DELETE /v1/jobs/{id}`.

use axum::Json;
use axum::extract::State;
use crawler_store::{Cancel, JobFilter, JobKind, JobState, Store};
use http::StatusCode;

use super::app::App;
use super::auth::Caller;
use super::job_path::JobPath;
use super::named_owner::access_to;
use super::paging;
use super::problem::Problem;
use super::query::QueryParams;
use super::requests::JobsQuery;
use super::responses::{JobList, JobResponse};

/// List jobs, newest first
#[utoipa::path(
    get, path = "/v1/jobs", operation_id = "list_jobs", tag = "jobs", params(JobsQuery),
    responses(
        (status = 200, description = "A page of jobs", body = JobList),
        (status = 404, description = "`owner_not_found`: there is no such owner, or the API key may not see it", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn list<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    QueryParams(query): QueryParams<JobsQuery>,
) -> Result<Json<JobList>, Problem> {
    let limit = paging::limit(query.limit, 50, 1..=200)?;
    let filter = JobFilter {
        state: one_of("status", query.status.as_deref(), JobState::named, || {
            JobState::ALL.map(JobState::as_str).join(", ")
        })?,
        kind: one_of("type", query.kind.as_deref(), JobKind::named, || {
            JobKind::ALL.map(JobKind::as_str).join(", ")
        })?,
    };
    let access = access_to(&app, &caller, query.owner.as_deref()).await?;
    let page = app
        .store()
        .jobs(&access, filter, limit, paging::cursor(query.cursor))
        .await
        .map_err(paging::problem)?;
    Ok(Json(JobList {
        jobs: page.entries.into_iter().map(JobResponse::from).collect(),
        next_cursor: paging::next(page.next),
    }))
}

/// Get the status of a job
#[utoipa::path(
    get, path = "/v1/jobs/{id}", operation_id = "show_job", tag = "jobs", params(("id" = uuid::Uuid, Path, description = "ID of the job")),
    responses((status = 200, description = "Status of the job", body = JobResponse))
)]
pub(super) async fn show<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    JobPath(id): JobPath,
) -> Result<Json<JobResponse>, Problem> {
    let job = app.store().job(&caller.access(), id).await?;
    let job = job.ok_or_else(Problem::no_such_job)?;
    Ok(Json(job.into()))
}

/// Cancel a job
///
/// Queued tasks are skipped and running ones are abandoned. Results stored so far remain available.
#[utoipa::path(
    delete, path = "/v1/jobs/{id}", operation_id = "cancel_job", tag = "jobs", params(("id" = uuid::Uuid, Path, description = "ID of the job")),
    responses(
        (status = 200, description = "The job was cancelled", body = JobResponse),
        (status = 409, description = "`job_is_final`: the job has already ended", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn cancel<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    JobPath(id): JobPath,
) -> Result<Json<JobResponse>, Problem> {
    match app.store().cancel(&caller.access(), id).await? {
        Cancel::NotFound => Err(Problem::no_such_job()),
        Cancel::AlreadyFinal(state) => Err(Problem::new(
            StatusCode::CONFLICT,
            "job_is_final",
            format!("the job has already ended: {}", state.as_str()),
        )),
        Cancel::Cancelled => {
            tracing::info!(job_id = %id, owner = caller.owner.as_str(), "job cancelled");
            let job = app.store().job(&caller.access(), id).await?;
            let job = job.ok_or_else(Problem::no_such_job)?;
            Ok(Json(job.into()))
        }
    }
}

/// Parses one of a few keywords, or returns a problem that lists them.
pub(super) fn one_of<T>(
    field: &str,
    value: Option<&str>,
    named: fn(&str) -> Option<T>,
    all: impl FnOnce() -> String,
) -> Result<Option<T>, Problem> {
    let Some(value) = value else {
        return Ok(None);
    };
    let found = named(value).map(Some);
    found.ok_or_else(|| Problem::invalid(field, format!("{field}: must be one of {}", all())))
}
