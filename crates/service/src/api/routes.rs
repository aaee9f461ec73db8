//! Which handler answers what.

use axum::Router;
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{get, post};
use http::{HeaderValue, StatusCode, header};
use store::Store;

use super::app::App;
use super::problem::Problem;
use super::{create, docs_page, events, export, health, jobs, keys, lists, scrape, watch};

/// Every route of the API.
pub fn router<S: Store>(app: App<S>) -> Router {
    let mut kept = Router::new()
        .route("/v1/scrape", post(scrape::scrape::<S>))
        .route("/v1/batch/scrape", post(create::batch::<S>))
        .route("/v1/crawl", post(create::crawl::<S>))
        .route("/v1/map", post(create::map::<S>))
        .route("/v1/jobs", get(jobs::list::<S>))
        .route(
            "/v1/jobs/{id}",
            get(jobs::show::<S>).delete(jobs::cancel::<S>),
        )
        .route("/v1/jobs/{id}/documents", get(lists::documents::<S>))
        .route("/v1/jobs/{id}/map", get(lists::map::<S>))
        .route("/v1/jobs/{id}/tasks", get(lists::tasks::<S>))
        .route("/v1/jobs/{id}/export", get(export::export::<S>))
        .route("/v1/jobs/{id}/events", get(events::events::<S>));
    let mut open = Router::new()
        .route("/healthz", get(async || health::healthz()))
        .route("/readyz", get(health::readyz::<S>))
        .route("/openapi.json", get(async || docs_page::openapi()))
        .route("/docs", get(async || docs_page::page()))
        .route("/docs/page.js", get(async || docs_page::script()))
        .route("/docs/page.css", get(async || docs_page::style()));
    let metrics = get(health::metrics::<S>);
    if app.config().server.open_metrics {
        open = open.route("/metrics", metrics);
    } else {
        kept = kept.route("/metrics", metrics);
    }
    // Before the first request, so that every request is counted.
    super::numbers::recorder();
    let keyed = from_fn_with_state(app.clone(), keys::check::<S>);
    finished(kept.route_layer(keyed).merge(open), app)
}

/// What a worker without the API answers.
pub(super) fn numbers_router<S: Store>(app: App<S>) -> Router {
    let metrics = get(health::metrics::<S>);
    let keyed = from_fn_with_state(app.clone(), keys::check::<S>);
    let metrics = Router::new().route("/metrics", metrics);
    let metrics = if app.config().server.open_metrics {
        metrics
    } else {
        metrics.route_layer(keyed)
    };
    super::numbers::recorder();
    let all = Router::new()
        .route("/healthz", get(async || health::healthz()))
        .route("/readyz", get(health::readyz::<S>))
        .merge(metrics);
    finished(all, app)
}

/// What is true of every answer.
fn finished<S: Store>(routes: Router<App<S>>, app: App<S>) -> Router {
    routes
        .fallback(async || nothing_here())
        .method_not_allowed_fallback(async || not_that_way())
        .layer(from_fn_with_state(app.clone(), watch::watch::<S>))
        .layer(map_response(async |response: Response| as_sent(response)))
        .with_state(app)
}

fn nothing_here() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "not_found",
        "there is nothing at this path; /docs lists what there is",
    )
}

fn not_that_way() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this path does not take this method; see the Allow header",
    )
}

/// What a browser must not make of scraped text.
fn as_sent(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let as_told = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, as_told);
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}
