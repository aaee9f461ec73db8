//! `/docs` and `/openapi.json`: the API reference, which loads nothing from other hosts.

use std::sync::LazyLock;

use axum::response::IntoResponse;
use http::header;

use super::openapi::openapi_json;

static OPENAPI: LazyLock<String> = LazyLock::new(openapi_json);

/// Allows files of this service only, and no inline scripts or styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) fn openapi() -> impl IntoResponse {
    let media = [(header::CONTENT_TYPE, "application/json")];
    (media, OPENAPI.as_str())
}

pub(super) fn page() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    (headers, include_str!("docs_page/page.html"))
}

pub(super) fn script() -> impl IntoResponse {
    let media = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];
    (media, include_str!("docs_page/page.js"))
}

pub(super) fn style() -> impl IntoResponse {
    let media = [(header::CONTENT_TYPE, "text/css; charset=utf-8")];
    (media, include_str!("docs_page/page.css"))
}
