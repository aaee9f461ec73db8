//! The routes of the API.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{get, post};
use crawler_store::{Store, StoreError};
use http::{HeaderValue, StatusCode, header};

use super::app::App;
use super::problem::Problem;
use super::{
    auth, create, docs_page, events, export, health, jobs, origin, request_middleware, results,
    scrape, usage,
};
use crate::config::ServerSection;

/// Returns the router of the API.
pub fn router<S: Store>(app: App<S>) -> Router {
    let mut protected = Router::new()
        .route("/v1/scrape", post(scrape::scrape::<S>))
        .route("/v1/batch/scrape", post(create::batch::<S>))
        .route("/v1/crawl", post(create::crawl::<S>))
        .route("/v1/map", post(create::map::<S>))
        .route("/v1/usage", get(usage::usage::<S>))
        .route("/v1/jobs", get(jobs::list::<S>))
        .route(
            "/v1/jobs/{id}",
            get(jobs::show::<S>).delete(jobs::cancel::<S>),
        )
        .route("/v1/jobs/{id}/documents", get(results::documents::<S>))
        .route("/v1/jobs/{id}/map", get(results::map::<S>))
        .route("/v1/jobs/{id}/tasks", get(results::tasks::<S>))
        .route("/v1/jobs/{id}/export", get(export::export::<S>))
        .route("/v1/jobs/{id}/events", get(events::events::<S>));
    let mut open = Router::new()
        .route("/healthz", get(async || health::healthz()))
        .route("/readyz", get(health::readyz::<S>))
        .route("/openapi.json", get(async || docs_page::openapi()))
        .route("/docs", get(async || docs_page::page()))
        .route("/docs/page.js", get(async || docs_page::script()))
        .route("/docs/page.css", get(async || docs_page::style()));
    let metrics = get(health::api_metrics::<S>);
    if app.config().server.open_metrics {
        open = open.route("/metrics", metrics);
    } else {
        protected = protected.route("/metrics", metrics);
    }
    // Created before the first request, so that all of them are counted.
    super::metrics::recorder();
    let require_key = from_fn_with_state(app.clone(), auth::require_key::<S>);
    let server = app.config().server.clone();
    let all = protected.route_layer(require_key).merge(open);
    let all = all.fallback(async || not_found());
    with_middleware(all.with_state(app), &server)
}

/// Returns the router of a service whose store is not open yet.
pub(super) fn opening_router(server: &ServerSection) -> Router {
    let all = Router::new()
        .route("/healthz", get(async || health::healthz()))
        .route("/readyz", get(async || health::not_ready()))
        .fallback(async || {
            let message = "the store is not available yet; try again later".to_owned();
            Problem::from(StoreError::Unavailable(message))
        });
    super::metrics::recorder();
    with_middleware(all, server)
}

/// Returns the router of a worker without the API.
pub(super) fn metrics_router<S: Store>(app: App<S>) -> Router {
    let metrics = get(health::metrics::<S>);
    let require_key = from_fn_with_state(app.clone(), auth::require_key::<S>);
    let metrics = Router::new().route("/metrics", metrics);
    let metrics = if app.config().server.open_metrics {
        metrics
    } else {
        metrics.route_layer(require_key)
    };
    super::metrics::recorder();
    let all = Router::new()
        .route("/healthz", get(async || health::healthz()))
        .route("/readyz", get(health::readyz::<S>))
        .merge(metrics)
        .fallback(async || not_found());
    let server = app.config().server.clone();
    with_middleware(all.with_state(app), &server)
}

/// Adds the middleware of all routes.
fn with_middleware(routes: Router, server: &ServerSection) -> Router {
    // Longer than a request may take: it ends by itself, with a message of its own.
    let time_limit = server.request_timeout + Duration::from_secs(5);
    let origins: Arc<[String]> = server.allowed_origins.clone().into();
    routes
        .method_not_allowed_fallback(async || method_not_allowed())
        .layer(from_fn_with_state(origins, origin::check_origin))
        .layer(from_fn_with_state(time_limit, request_middleware::handle))
        .layer(map_response(async |response: Response| {
            with_headers(response)
        }))
}

fn not_found() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "not_found",
        "no such path; see /docs for the API reference",
    )
}

fn method_not_allowed() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this path does not support this method; see the Allow header",
    )
}

/// Adds headers that keep a browser from interpreting or caching scraped content.
fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let nosniff = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}
