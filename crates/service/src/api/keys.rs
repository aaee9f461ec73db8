//! Who may call: one of the keys, or with none configured whoever is on this machine.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use store::Store;

use super::app::App;
use super::problem::Problem;
use crate::config::Secret;

/// The hashes of the configured keys.
pub(super) struct Keys(Vec<blake3::Hash>);

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keys({})", self.0.len())
    }
}

impl Keys {
    pub(super) fn new(keys: &[Secret]) -> Self {
        let hash = |key: &Secret| blake3::hash(key.reveal().as_bytes());
        Self(keys.iter().map(hash).collect())
    }

    /// Whether the headers carry a key. Hashes are compared in constant time, and always all of them.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let sent = headers.get(header::AUTHORIZATION);
        let Some((scheme, key)) = sent.and_then(|value| value.to_str().ok()?.split_once(' '))
        else {
            return false;
        };
        let sent = blake3::hash(key.trim().as_bytes());
        let known = self.0.iter().filter(|hash| **hash == sent).count();
        known > 0 && scheme.eq_ignore_ascii_case("bearer")
    }
}

/// Lets callers with a key through. Without configured keys the service listens on loopback only, and a page in
/// somebody's browser must not reach it under a name of its own.
pub(super) async fn check<S: Store>(
    State(app): State<App<S>>,
    request: Request,
    next: Next,
) -> Response {
    let keys = app.keys();
    let headers = request.headers();
    if keys.0.is_empty() {
        if is_local(&request) {
            return next.run(request).await;
        }
        return Problem::new(
            StatusCode::FORBIDDEN,
            "host_refused",
            "without server.api_keys only requests to localhost, 127.0.0.1 or [::1] are answered",
        )
        .at("Host")
        .into_response();
    }
    if keys.admits(headers) {
        return next.run(request).await;
    }
    let words = if headers.contains_key(header::AUTHORIZATION) {
        "the key is not one of ours"
    } else {
        "send a key: Authorization: Bearer <key>"
    };
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", words)
        .at("Authorization")
        .into_response()
}

fn is_local(request: &Request) -> bool {
    let sent = request.headers().get(header::HOST);
    let host = match sent {
        Some(host) => host.to_str().ok(),
        None => request.uri().authority().map(http::uri::Authority::as_str),
    };
    let Some(host) = host else {
        return true;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
