//! Creates jobs: `POST /v1/batch/scrape`, `/v1/crawl`, `/v1/map`.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use crawler_store::{JobKind, Store};
use http::{HeaderValue, StatusCode, header};

use super::app::App;
use super::json_body::JsonBody;
use super::problem::Problem;
use super::requests::{BatchRequest, SiteRequest};
use super::responses::AcceptedJob;
use crate::job_params::JobParams;

/// Scrape a list of pages
#[utoipa::path(
    post, path = "/v1/batch/scrape", operation_id = "create_batch", tag = "jobs", request_body = BatchRequest,
    responses((status = 202, description = "The job was created; `Location` is the path of its status", body = AcceptedJob))
)]
pub(super) async fn batch<S: Store>(
    State(app): State<App<S>>,
    JsonBody(request): JsonBody<BatchRequest>,
) -> Result<Response, Problem> {
    let params = request.params(app.config())?;
    create_job(&app, JobKind::BatchScrape, &params).await
}

/// Crawl a site
#[utoipa::path(
    post, path = "/v1/crawl", operation_id = "create_crawl", tag = "jobs", request_body = SiteRequest,
    responses((status = 202, description = "The job was created; `Location` is the path of its status", body = AcceptedJob))
)]
pub(super) async fn crawl<S: Store>(
    State(app): State<App<S>>,
    JsonBody(request): JsonBody<SiteRequest>,
) -> Result<Response, Problem> {
    let params = request.params(app.config())?;
    create_job(&app, JobKind::Crawl, &params).await
}

/// List the URLs of a site
#[utoipa::path(
    post, path = "/v1/map", operation_id = "create_map", tag = "jobs", request_body = SiteRequest,
    responses((status = 202, description = "The job was created; `Location` is the path of its status", body = AcceptedJob))
)]
pub(super) async fn map<S: Store>(
    State(app): State<App<S>>,
    JsonBody(request): JsonBody<SiteRequest>,
) -> Result<Response, Problem> {
    let params = request.params(app.config())?;
    create_job(&app, JobKind::Map, &params).await
}

async fn create_job<S: Store>(
    app: &App<S>,
    kind: JobKind,
    params: &JobParams,
) -> Result<Response, Problem> {
    let prepared = params.new_job(kind, app.defaults())?;
    if prepared.job.seeds.is_empty() {
        return Err(Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid_url",
            "urls: none of the URLs is valid",
        )
        .at("urls")
        .in_body()
        .about(prepared.invalid_urls));
    }
    let id = prepared.job.id;
    app.store().create_job(prepared.job).await?;
    metrics::counter!("crawler_jobs_created_total", "type" => kind.as_str()).increment(1);
    tracing::info!(job_id = %id, kind = kind.as_str(), "job created");
    let url = format!("/v1/jobs/{id}");
    let location = HeaderValue::from_str(&url).map_err(|_| Problem::internal())?;
    let accepted = AcceptedJob {
        id: id.to_string(),
        kind: kind.as_str(),
        status: "queued",
        url,
        invalid_urls: (kind == JobKind::BatchScrape).then_some(prepared.invalid_urls),
    };
    let headers = [(header::LOCATION, location)];
    Ok((StatusCode::ACCEPTED, headers, Json(accepted)).into_response())
}
