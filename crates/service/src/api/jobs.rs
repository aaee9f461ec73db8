//! Jobs as they stand, and their end: `GET /v1/jobs`, `GET` and `DELETE /v1/jobs/{id}`.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use store::{Cancel, JobFilter, JobKind, JobState, Store};

use super::answers::{JobAnswer, JobList};
use super::app::App;
use super::job_path::JobPath;
use super::paging;
use super::problem::Problem;
use super::query::Params;
use super::requests::JobsQuery;

/// Jobs, newest first
#[utoipa::path(
    get, path = "/v1/jobs", operation_id = "list_jobs", tag = "jobs", params(JobsQuery),
    responses((status = 200, description = "A page of jobs", body = JobList))
)]
pub(super) async fn list<S: Store>(
    State(app): State<App<S>>,
    Params(query): Params<JobsQuery>,
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
    let page = app
        .store()
        .jobs(filter, limit, paging::cursor(query.cursor))
        .await
        .map_err(paging::problem)?;
    Ok(Json(JobList {
        jobs: page.entries.into_iter().map(JobAnswer::from).collect(),
        next_cursor: paging::next(page.next),
    }))
}

/// A job as it stands
#[utoipa::path(
    get, path = "/v1/jobs/{id}", operation_id = "show_job", tag = "jobs", params(("id" = uuid::Uuid, Path, description = "The job")),
    responses((status = 200, description = "The job", body = JobAnswer))
)]
pub(super) async fn show<S: Store>(
    State(app): State<App<S>>,
    JobPath(id): JobPath,
) -> Result<Json<JobAnswer>, Problem> {
    let job = app.store().job(id).await?;
    let job = job.ok_or_else(Problem::no_such_job)?;
    Ok(Json(job.into()))
}

/// Cancels a job
///
/// Queued tasks become skipped, running ones are abandoned, what was stored stays readable.
#[utoipa::path(
    delete, path = "/v1/jobs/{id}", operation_id = "cancel_job", tag = "jobs", params(("id" = uuid::Uuid, Path, description = "The job")),
    responses(
        (status = 200, description = "The job, cancelled", body = JobAnswer),
        (status = 409, description = "`job_is_final`: it had ended before", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn cancel<S: Store>(
    State(app): State<App<S>>,
    JobPath(id): JobPath,
) -> Result<Json<JobAnswer>, Problem> {
    match app.store().cancel(id).await? {
        Cancel::NotFound => Err(Problem::no_such_job()),
        Cancel::AlreadyFinal(state) => Err(Problem::new(
            StatusCode::CONFLICT,
            "job_is_final",
            format!("the job has ended before: {}", state.as_str()),
        )),
        Cancel::Cancelled => {
            tracing::info!(job_id = %id, "job cancelled");
            let job = app.store().job(id).await?;
            let job = job.ok_or_else(Problem::no_such_job)?;
            Ok(Json(job.into()))
        }
    }
}

/// A word of a few, or a problem that lists them.
pub(super) fn one_of<T>(
    field: &str,
    asked: Option<&str>,
    named: fn(&str) -> Option<T>,
    all: impl FnOnce() -> String,
) -> Result<Option<T>, Problem> {
    let Some(asked) = asked else {
        return Ok(None);
    };
    let found = named(asked).map(Some);
    found.ok_or_else(|| Problem::invalid(field, format!("{field}: allowed: {}", all())))
}
