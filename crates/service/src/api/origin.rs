//! Refuses requests from web pages of other origins.
//!
//! A browser sends `Origin` with such requests, and its user may be on a network from which the API is open, or be logged in
//! at a proxy. Other clients do not send it.

use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};

use super::problem::Problem;

/// Middleware that lets pages of the API's own origin and of the allowed ones call it. Health checks and the documentation
/// answer every page.
pub(super) async fn check_origin(
    State(allowed): State<Arc<[String]>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let is_protected = path.starts_with("/v1/") || path == "/metrics";
    let origin = request.headers().get(header::ORIGIN).cloned();
    let Some(origin) = origin.filter(|_| is_protected) else {
        return next.run(request).await;
    };
    let text = origin.to_str().unwrap_or_default();
    if allowed.iter().any(|one| one == text) {
        let is_preflight = request.method() == Method::OPTIONS;
        let mut response = if is_preflight {
            StatusCode::NO_CONTENT.into_response()
        } else {
            next.run(request).await
        };
        permit(response.headers_mut(), origin);
        return response;
    }
    if is_own(text, &request) {
        return next.run(request).await;
    }
    let message = "web pages of other origins may not call this API; the operator can add an origin to \
                   server.allowed_origins";
    Problem::new(StatusCode::FORBIDDEN, "origin_refused", message)
        .at("Origin")
        .into_response()
}

/// Tells the browser that the page may send the request and read the response.
fn permit(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, idempotency-key, last-event-id, x-request-id",
        ),
        (
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            "location, retry-after, x-request-id",
        ),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Whether the page was served from the host that the request names. A proxy may replace `Host`, and then names the original
/// one in `X-Forwarded-Host`: a page of another origin cannot set that without asking first, which is refused. The scheme is
/// not compared, because TLS ends at the proxy.
fn is_own(origin: &str, request: &Request) -> bool {
    let Ok(origin) = Uri::from_str(origin) else {
        return false;
    };
    let default_port = match origin.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return false,
    };
    let place = |authority: &Authority| {
        let port = authority.port_u16().unwrap_or(default_port);
        (authority.host().to_ascii_lowercase(), port)
    };
    let Some(page) = origin.authority().map(place) else {
        return false;
    };
    let headers = request.headers();
    let named = [header::HOST.as_str(), "x-forwarded-host"]
        .into_iter()
        .filter_map(|name| headers.get(name)?.to_str().ok())
        .filter_map(|value| {
            let first = value.split(',').next()?.trim();
            Authority::from_str(first).ok()
        });
    let target = request.uri().authority().cloned();
    named.chain(target).any(|host| place(&host) == page)
}
