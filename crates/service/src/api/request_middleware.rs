//! Middleware of every request: request id, timeout, metrics, log, and recovery from panics.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use crawler_store::Owner;
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, StatusCode};
use tracing::Instrument;
use uuid::Uuid;

use super::problem::Problem;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Runs a request with this time limit for the head of the response; a streamed body may take longer.
pub(super) async fn handle(
    State(time_limit): State<Duration>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let id = request_id(&request);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("none", MatchedPath::as_str)
        .to_owned();
    let span = tracing::info_span!("request", request_id = %id);
    let result = AssertUnwindSafe(tokio::time::timeout(time_limit, next.run(request)))
        .catch_unwind()
        .instrument(span.clone())
        .await;
    let mut response = match result {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "timeout",
            "the request timed out (server.request_timeout)",
        )
        .into_response(),
        Err(_) => Problem::internal().into_response(),
    };
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let status = response.status().as_u16();
    let elapsed = started.elapsed();
    let labels = [
        ("method", known_method(&method).to_owned()),
        ("route", route),
        ("status", status.to_string()),
    ];
    metrics::histogram!("crawler_http_request_seconds", "route" => labels[1].1.clone())
        .record(elapsed.as_secs_f64());
    metrics::counter!("crawler_http_requests_total", &labels).increment(1);
    let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    let owner = response.extensions().get::<Owner>().map(Owner::as_str);
    let _entered = span.enter();
    if status >= 500 {
        tracing::warn!(%method, path, status, millis, owner, "request completed");
    } else {
        tracing::info!(%method, path, status, millis, owner, "request completed");
    }
    response
}

/// Returns the client's request id if it is safe to log, otherwise a new one.
fn request_id(request: &Request) -> String {
    let is_safe = |text: &&str| {
        let fits = (1..=64).contains(&text.len());
        fits && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let sent = request.headers().get(REQUEST_ID);
    sent.and_then(|value| value.to_str().ok())
        .filter(is_safe)
        .map_or_else(|| Uuid::now_v7().to_string(), str::to_owned)
}

/// Maps unknown methods to one label, so that a client cannot create time series.
fn known_method(method: &http::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "DELETE" => "DELETE",
        _ => "other",
    }
}
