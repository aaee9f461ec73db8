//! `POST /v1/scrape`: scrapes one page immediately, without a job.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::extract::State;
use crawler_engine::{Document, Part, ScrapeProblem, ScrapeResponse};
use crawler_fetch::{RequestedUrl, TabMeter};
use crawler_model::{FailKind, JsPolicy};
use crawler_store::{AddedUsage, Store, StoreError};
use http::StatusCode;
use serde_json::Value;
use tokio::time::timeout;

use super::app::App;
use super::auth::Caller;
use super::json_body::JsonBody;
use super::problem::Problem;
use super::requests::{ScrapeRequest, check_js};
use super::responses::ScrapedPage;
use crate::job_params::{OutputFormat, REFUSED};
use crate::tab_owner::tab_owner;

/// Scrape a page
///
/// Follows redirects and obeys robots.txt. A page with an error status is returned as well; see `meta.status_code`. With
/// `use_js`, the page is returned after its scripts have run; see `meta.rendered` and `meta.render_reason`.
#[utoipa::path(
    post, path = "/v1/scrape", tag = "scrape", request_body = ScrapeRequest,
    responses(
        (status = 200, description = "The page", body = ScrapedPage),
        (status = 403, description = "`address_refused`, `blocked_by_robots`, `host_refused`, `origin_refused`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid_request`, `invalid_url`, `not_text`; `use_js_unavailable`: the service has no browser; `render_budget`: the page made more requests, or used more bytes, hosts or CPU time than a rendered page may", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "`quota_exceeded`: a quota of the API key is used up, see `quota`; `too_many_requests`: it has too many requests with a long body in progress; `too_many_wrong_keys`; see `Retry-After`", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "`fetch_failed`: the page could not be fetched; see `kind`", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "`busy`: the request waited for its turn and did not start; `browser_unavailable`: the browser cannot be started, or the render process cannot be reached; `store_unavailable`, `timeout`; see `Retry-After`", body = Problem, content_type = "application/problem+json"),
        (status = 504, description = "`fetch_timeout`: the page took too long", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn scrape<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    JsonBody(request): JsonBody<ScrapeRequest>,
) -> Result<Json<ScrapedPage>, Problem> {
    check_js(request.use_js, app.config())?;
    let js = app.defaults().js(request.use_js);
    if let (JsPolicy::Always, Some(message)) = (js, app.browser().missing()) {
        return Err(Problem::no_rendering(format!("use_js: {message}")));
    }
    let url = RequestedUrl::parse(&request.url).map_err(|error| {
        let message = format!("url: {error}");
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_url", message)
            .at("url")
            .in_body()
    })?;
    let _permit = app.limits().scrape(&caller)?;
    let page = app.meter().reserve(&caller, js).await?;
    let time_limit = app.config().server.request_timeout;
    let turn = app
        .scrape_queue()
        .turn(time_limit, tabs_of(&app, &caller), page.is_fetched());
    let work = turn.run(app.scraper().get(&url, page.js()));
    let response = timeout(time_limit, work)
        .await
        .map_err(|_| timed_out("the page took too long (server.request_timeout)"))?;
    if is_refused(&response) {
        page.is_fetched().store(false, Ordering::Relaxed);
    }
    drop(page);
    let response = response.map_err(|error| match (problem(error), turn.retry_in()) {
        (problem, Some(wait)) if problem.code == "busy" => problem.retry_after(wait),
        (problem, _) => problem,
    })?;
    let format = request.output_format.unwrap_or_default();
    // Parsing a large page is slow; do not block the runtime.
    let read = tokio::task::spawn_blocking(move || {
        Document::read(response, Part::Main).map(|document| scraped(&document, format))
    });
    let read = read.await.map_err(|_| Problem::internal())?;
    read.map(Json).map_err(problem)
}

/// Counts the time of browser tabs for the caller, and names whose turns at them are used.
fn tabs_of<S: Store>(app: &App<S>, caller: &Caller) -> (TabMeter, u64) {
    let tab_owner = tab_owner(caller.owner.as_str());
    let (meter, owner) = (Arc::clone(app.meter()), caller.owner.clone());
    let meter = TabMeter::new(move |browser_time| {
        let used = AddedUsage {
            browser_time,
            ..AddedUsage::default()
        };
        meter.add(&owner, used);
    });
    (meter, tab_owner)
}

/// Whether the page could not be requested: that does not count.
fn is_refused(response: &Result<ScrapeResponse, ScrapeProblem>) -> bool {
    let Err(ScrapeProblem::Failed { failure, .. }) = response else {
        return false;
    };
    matches!(
        failure.kind,
        FailKind::Busy
            | FailKind::Internal
            | FailKind::AddressRefused
            | FailKind::NoBrowser
            | FailKind::BrowserUnavailable
    )
}

fn scraped(document: &Document, format: OutputFormat) -> ScrapedPage {
    let content = match format {
        OutputFormat::Markdown => document.markdown(),
        OutputFormat::Html => document.html(),
        OutputFormat::Text => document.text(),
    };
    ScrapedPage {
        url: document.url().to_owned(),
        title: document.title().map(str::to_owned),
        content,
        meta: serde_json::to_value(document.meta()).unwrap_or(Value::Null),
    }
}

fn timed_out(message: impl Into<String>) -> Problem {
    Problem::new(StatusCode::GATEWAY_TIMEOUT, "fetch_timeout", message).of_kind("timeout")
}

fn problem(problem: ScrapeProblem) -> Problem {
    let kind = problem.as_str();
    match problem {
        ScrapeProblem::Failed { url, failure } => match failure.kind {
            FailKind::AddressRefused => Problem::new(
                StatusCode::FORBIDDEN,
                "address_refused",
                format!("the URL, or one it redirects to, is not allowed: {REFUSED}"),
            ),
            // The store failed while the request waited for its turn.
            FailKind::Internal => StoreError::Unavailable(failure.message).into(),
            FailKind::Busy => Problem::busy(failure.message),
            FailKind::NoBrowser | FailKind::BrowserUnavailable => Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "browser_unavailable",
                failure.to_string(),
            )
            .of_kind(kind),
            FailKind::Timeout => timed_out(format!("{url}: {failure}")),
            // Another attempt would end in the same way.
            FailKind::RenderBudget => Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "render_budget",
                format!("{url}: {failure}"),
            )
            .of_kind(kind),
            _ => Problem::new(
                StatusCode::BAD_GATEWAY,
                "fetch_failed",
                format!("{url}: {failure}"),
            )
            .of_kind(kind),
        },
        ScrapeProblem::Robots { url, reason } => Problem::new(
            StatusCode::FORBIDDEN,
            "blocked_by_robots",
            format!("{url} is {reason}"),
        ),
        parked @ (ScrapeProblem::Parked { .. } | ScrapeProblem::Stopped { .. }) => {
            Problem::new(StatusCode::BAD_GATEWAY, "fetch_failed", parked.to_string()).of_kind(kind)
        }
        not_text @ ScrapeProblem::NotText { .. } => Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "not_text",
            not_text.to_string(),
        )
        .at("url")
        .in_body(),
    }
}
