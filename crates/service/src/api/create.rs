//! Creates jobs: `POST /v1/batch/scrape`, `/v1/crawl`, `/v1/map`.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use crawler_store::{JobCreation, JobId, JobKind, JobState, NewJob, Store, StoreError};
use http::{HeaderValue, StatusCode, header};
use tokio::time::{Instant, timeout_at};

use super::app::{App, BodyLimits};
use super::auth::Caller;
use super::idempotency::{IdempotencyHeader, IdempotencyParameter};
use super::job_body::{CreationTurn, JobBody};
use super::problem::Problem;
use super::requests::{BatchRequest, SiteRequest};
use super::responses::AcceptedJob;
use crate::job_params::{JobParams, PreparedJob};

/// Scrape a list of pages
#[utoipa::path(
    post, path = "/v1/batch/scrape", operation_id = "create_batch", tag = "jobs", request_body = BatchRequest,
    params(IdempotencyParameter),
    responses(
        (status = 202, description = "The job was created, now or by an earlier request with the same `Idempotency-Key`; `Location` is the path of its status", body = AcceptedJob),
    )
)]
pub(super) async fn batch<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    idempotency: IdempotencyHeader,
    JobBody { request, turn }: JobBody<BatchRequest>,
) -> Result<Response, Problem> {
    let params = request.params(app.config())?;
    create_job(
        &app,
        caller,
        JobKind::BatchScrape,
        params,
        idempotency,
        turn,
    )
    .await
}

/// Crawl a site
#[utoipa::path(
    post, path = "/v1/crawl", operation_id = "create_crawl", tag = "jobs", request_body = SiteRequest,
    params(IdempotencyParameter),
    responses(
        (status = 202, description = "The job was created, now or by an earlier request with the same `Idempotency-Key`; `Location` is the path of its status", body = AcceptedJob),
    )
)]
pub(super) async fn crawl<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    idempotency: IdempotencyHeader,
    JobBody { request, turn }: JobBody<SiteRequest>,
) -> Result<Response, Problem> {
    let params = request.params(app.config())?;
    create_job(&app, caller, JobKind::Crawl, params, idempotency, turn).await
}

/// List the URLs of a site
#[utoipa::path(
    post, path = "/v1/map", operation_id = "create_map", tag = "jobs", request_body = SiteRequest,
    params(IdempotencyParameter),
    responses(
        (status = 202, description = "The job was created, now or by an earlier request with the same `Idempotency-Key`; `Location` is the path of its status", body = AcceptedJob),
    )
)]
pub(super) async fn map<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    idempotency: IdempotencyHeader,
    JobBody { request, turn }: JobBody<SiteRequest>,
) -> Result<Response, Problem> {
    let params = request.params(app.config())?;
    create_job(&app, caller, JobKind::Map, params, idempotency, turn).await
}

async fn create_job<S: Store>(
    app: &App<S>,
    caller: Caller,
    kind: JobKind,
    params: JobParams,
    idempotency: IdempotencyHeader,
    turn: CreationTurn,
) -> Result<Response, Problem> {
    let preparing = prepare(app, &caller, kind, params, idempotency);
    let prepared = timeout_at(turn.deadline, preparing).await;
    let (prepared, idempotency) = prepared.map_err(|_| {
        Problem::busy(
            "the request was not checked in time (server.request_timeout); try again later",
        )
    })??;
    let invalid_urls = prepared.invalid_urls;
    if prepared.job.seeds.is_empty() {
        return Err(Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid_url",
            "urls: none of the URLs is valid",
        )
        .at("urls")
        .in_body()
        .about(invalid_urls.listed));
    }
    let new_id = prepared.job.id;
    let id = match store_job(app, prepared.job, turn.deadline).await {
        Ok(JobCreation::Created) => {
            super::metrics::count_job(kind, &caller.owner);
            tracing::info!(job_id = %new_id, owner = caller.owner.as_str(), kind = kind.as_str(), "job created");
            new_id
        }
        Ok(JobCreation::Existing(id)) => {
            tracing::info!(job_id = %id, owner = caller.owner.as_str(), kind = kind.as_str(), "returned the existing job for this idempotency key");
            id
        }
        Ok(JobCreation::KeyReused) => return Err(key_reused()),
        Ok(JobCreation::QuotaExceeded(exceeded)) => return Err(Problem::quota_exceeded(exceeded)),
        Err(error) => return Err(unconfirmed(error, new_id, &idempotency)),
    };
    let status = if id == new_id {
        JobState::Queued
    } else {
        let existing = app.store().job(&caller.access(), id).await?;
        existing.map_or(JobState::Queued, |job| job.state)
    };
    let url = format!("/v1/jobs/{id}");
    let location = HeaderValue::from_str(&url).map_err(|_| Problem::internal())?;
    let accepted = AcceptedJob {
        id: id.to_string(),
        kind: kind.as_str(),
        status: status.as_str(),
        url,
        invalid_url_count: (kind == JobKind::BatchScrape).then_some(invalid_urls.count),
        invalid_urls: (kind == JobKind::BatchScrape).then_some(invalid_urls.listed),
    };
    let headers = [(header::LOCATION, location)];
    Ok((StatusCode::ACCEPTED, headers, Json(accepted)).into_response())
}

/// A batch of more URLs is validated on a blocking thread.
const MANY_URLS: usize = 500;

/// Validates the parameters, which compiles patterns and normalizes URLs.
async fn prepare<S: Store>(
    app: &App<S>,
    caller: &Caller,
    kind: JobKind,
    params: JobParams,
    idempotency: IdempotencyHeader,
) -> Result<(PreparedJob, IdempotencyHeader), Problem> {
    let has_patterns = !params.include.is_empty() || !params.exclude.is_empty();
    let is_long = has_patterns
        || params
            .urls
            .as_ref()
            .is_some_and(|urls| urls.len() > MANY_URLS);
    let (owner, defaults) = (caller.owner.clone(), app.defaults().clone());
    let guard = app.guard().clone();
    let prepare = move || {
        let prepared = params.guarded_job(kind, owner, &defaults, &guard);
        prepared.map(|mut prepared| {
            prepared.job.idempotency = idempotency.key(kind, &params);
            (prepared, idempotency)
        })
    };
    let prepared = if is_long {
        app.request_work().run(&caller.owner, prepare).await?
    } else {
        prepare()
    };
    Ok(prepared?)
}

/// Stores the job before the deadline. Timing out here allows an error message that names the job.
async fn store_job<S: Store>(
    app: &App<S>,
    job: NewJob,
    deadline: Instant,
) -> Result<JobCreation, StoreError> {
    timeout_at(deadline, app.store().create_job(job))
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("the call timed out".to_owned())))
}

fn key_reused() -> Problem {
    Problem::new(
        StatusCode::CONFLICT,
        "idempotency_key_reused",
        "Idempotency-Key: this key was already used for a different request; use a new key for each request",
    )
    .at("Idempotency-Key")
}

/// The response if the store call failed: the store may have created the job, with only its reply lost.
fn unconfirmed(error: StoreError, id: JobId, idempotency: &IdempotencyHeader) -> Problem {
    let in_doubt = error.retryable();
    let problem = Problem::from(error);
    if !in_doubt {
        return problem;
    }
    problem.with_detail(if idempotency.is_sent() {
        "the store did not confirm the job, which may have been created; retry the request with the same \
         Idempotency-Key: at most one job is created"
            .to_owned()
    } else {
        format!(
            "the store did not confirm the job, which may have been created; before you retry, check \
             GET /v1/jobs/{id} (404 means it was not created); to make retries safe, send an Idempotency-Key"
        )
    })
}
