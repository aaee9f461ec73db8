//! `POST /v1/scrape`: one page, at once, without a job.

use axum::Json;
use axum::extract::State;
use engine::{Document, Part, ScrapeProblem};
use fetch::Asked;
use http::StatusCode;
use model::{FailKind, JsPolicy};
use serde_json::Value;
use store::{Store, StoreError};
use tokio::time::timeout;

use super::answers::Scraped;
use super::app::App;
use super::json_body::JsonBody;
use super::problem::Problem;
use super::requests::{ScrapeRequest, check_js};
use crate::job_params::OutputFormat;

/// One page, at once
///
/// Redirects are followed, robots.txt is obeyed. A target's error status is still a page: see `meta.status_code`. With
/// `use_js` the answer is the page as its scripts left it: see `meta.rendered` and `meta.render_reason`.
#[utoipa::path(
    post, path = "/v1/scrape", tag = "scrape", request_body = ScrapeRequest,
    responses(
        (status = 200, description = "The page", body = Scraped),
        (status = 403, description = "`address_refused`, `blocked_by_robots`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`invalid_request`, `invalid_url`, `not_text`; `use_js_unavailable`: there is no browser here", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "`fetch_failed`: the target gave no answer; `kind` says why", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "`browser_unavailable`: the browser cannot be started; `store_unavailable`, `timeout`; see `Retry-After`", body = Problem, content_type = "application/problem+json"),
        (status = 504, description = "`fetch_timeout`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn scrape<S: Store>(
    State(app): State<App<S>>,
    JsonBody(request): JsonBody<ScrapeRequest>,
) -> Result<Json<Scraped>, Problem> {
    check_js(request.use_js, app.config())?;
    let js = app.defaults().js(request.use_js);
    if let (JsPolicy::Always, Some(words)) = (js, app.browser().missing()) {
        return Err(Problem::no_rendering(format!("use_js: {words}")));
    }
    let asked = Asked::parse(&request.url).map_err(|error| {
        let words = format!("url: {error}");
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_url", words)
            .at("url")
            .in_body()
    })?;
    let work = app.scraper().get(&asked, js);
    let patience = app.config().server.request_timeout;
    let answer = timeout(patience, work)
        .await
        .map_err(|_| timed_out("the page took too long (server.request_timeout)"))?
        .map_err(problem)?;
    let format = request.output_format.unwrap_or_default();
    // Reading a large page takes a while; other callers must not wait for it.
    let read = tokio::task::spawn_blocking(move || {
        Document::read(answer, Part::Main).map(|document| scraped(&document, format))
    });
    let read = read.await.map_err(|_| Problem::internal())?;
    read.map(Json).map_err(problem)
}

fn scraped(document: &Document, format: OutputFormat) -> Scraped {
    let content = match format {
        OutputFormat::Markdown => document.markdown(),
        OutputFormat::Html => document.html(),
        OutputFormat::Text => document.text(),
    };
    Scraped {
        url: document.url().to_string(),
        title: document.title().map(str::to_owned),
        content,
        meta: serde_json::from_str(&document.meta_json()).unwrap_or(Value::Null),
    }
}

fn timed_out(words: impl Into<String>) -> Problem {
    Problem::new(StatusCode::GATEWAY_TIMEOUT, "fetch_timeout", words).of_kind("timeout")
}

fn problem(problem: ScrapeProblem) -> Problem {
    let kind = problem.as_str();
    match problem {
        ScrapeProblem::Failed { url, failure } => match failure.kind {
            FailKind::AddressRefused => Problem::new(
                StatusCode::FORBIDDEN,
                "address_refused",
                "the URL, or one it redirects to, is not on a public address (egress.allow lets more in)",
            ),
            // Of ours: no turn of the host could be had.
            FailKind::Internal => StoreError::Unavailable(failure.words).into(),
            FailKind::NoBrowser => Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "browser_unavailable",
                failure.to_string(),
            ),
            FailKind::Timeout => timed_out(format!("{url}: {failure}")),
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
