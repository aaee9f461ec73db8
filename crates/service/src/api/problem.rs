//! Error responses as defined by RFC 9457, with a stable code.

use std::num::NonZeroU32;
use std::time::Duration;

use axum::Json;
use axum::response::{IntoResponse, Response};
use crawler_store::StoreError;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::job_params::{InvalidUrl, ParamsError};

/// An error response.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct Problem {
    /// Always `about:blank`; `code` identifies the problem.
    #[serde(rename = "type")]
    #[schema(value_type = String, example = "about:blank")]
    kind_of: AboutBlank,
    /// Reason phrase of the HTTP status.
    title: &'static str,
    /// HTTP status.
    pub(super) status: u16,
    /// Stable code of the problem.
    pub(super) code: &'static str,
    /// Message that says what was wrong and what to do about it.
    #[schema(value_type = String)]
    detail: Box<str>,
    /// The invalid field, parameter or header.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    field: Option<Box<str>>,
    /// Location of the field in the body, as a JSON pointer: `/urls/3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pointer: Option<Box<str>>,
    /// Why the page could not be fetched: `dns`, `connect`, `timeout` …
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// URLs of a batch that are not valid.
    #[serde(skip_serializing_if = "no_urls")]
    #[schema(value_type = Vec<Object>)]
    invalid_urls: Box<[InvalidUrl]>,
    /// The `Retry-After` header, in seconds.
    #[serde(skip)]
    retry_after: Option<NonZeroU32>,
}

#[expect(clippy::borrowed_box, reason = "serde passes the field by reference")]
fn no_urls(urls: &Box<[InvalidUrl]>) -> bool {
    urls.is_empty()
}

/// A zero-sized constant, which keeps `Result<_, Problem>` small.
#[derive(Clone, Copy, Debug, Serialize)]
enum AboutBlank {
    #[serde(rename = "about:blank")]
    AboutBlank,
}

impl Problem {
    pub(super) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind_of: AboutBlank::AboutBlank,
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            code,
            detail: detail.into().into_boxed_str(),
            field: None,
            pointer: None,
            kind: None,
            invalid_urls: Box::default(),
            retry_after: None,
        }
    }

    /// A field or parameter is not valid.
    pub(super) fn invalid(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", detail).at(field)
    }

    /// The service cannot render pages.
    pub(super) fn no_rendering(detail: impl Into<String>) -> Self {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Self::new(status, "use_js_unavailable", detail)
            .at("use_js")
            .in_body()
    }

    /// Replaces the message.
    pub(super) fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into().into_boxed_str();
        self
    }

    pub(super) fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into().into_boxed_str());
        self
    }

    /// Marks the field as one of the body, and sets its JSON pointer.
    pub(super) fn in_body(mut self) -> Self {
        let pointer = self.field.as_deref().map(pointer);
        self.pointer = pointer.map(String::into_boxed_str);
        self
    }

    pub(super) fn of_kind(mut self, kind: &'static str) -> Self {
        self.kind = Some(kind);
        self
    }

    pub(super) fn about(mut self, invalid_urls: Vec<InvalidUrl>) -> Self {
        self.invalid_urls = invalid_urls.into_boxed_slice();
        self
    }

    /// Sets the `Retry-After` header, rounded up to seconds.
    pub(super) fn retry_after(mut self, wait: Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        self.retry_after = NonZeroU32::new(u32::try_from(seconds).unwrap_or(u32::MAX));
        self
    }

    pub(super) fn no_such_job() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "job_not_found",
            "no job has this id; GET /v1/jobs lists all jobs",
        )
    }

    pub(super) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "internal error; see the log of the service for this request id",
        )
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(message) => {
                tracing::warn!(error = %message, "store unavailable");
                Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "store_unavailable",
                    "the store is unavailable or busy; try again later",
                )
            }
            StoreError::Conflict(message) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", message)
            }
            StoreError::Refused(message) => {
                tracing::error!(error = %message, "store error");
                Self::internal()
            }
        }
    }
}

impl From<ParamsError> for Problem {
    fn from(error: ParamsError) -> Self {
        let code = match error.field.as_str() {
            "url" | "urls" => "invalid_url",
            _ => "invalid_request",
        };
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, error.to_string())
            .at(error.field)
            .in_body()
    }
}

/// Converts `urls[3]` to a JSON pointer (RFC 6901).
fn pointer(field: &str) -> String {
    let (name, index) = match field
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
    {
        Some((name, index)) if index.bytes().all(|byte| byte.is_ascii_digit()) => (name, index),
        _ => (field, ""),
    };
    let name = name.replace('~', "~0").replace('/', "~1");
    match index {
        "" => format!("/{name}"),
        index => format!("/{name}/{index}"),
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(&self)).into_response();
        let headers = response.headers_mut();
        let media = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, media);
        match status {
            StatusCode::UNAUTHORIZED => {
                let scheme = HeaderValue::from_static("Bearer");
                headers.insert(header::WWW_AUTHENTICATE, scheme);
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
            }
            _ => (),
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.get()));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_become_json_pointers() {
        for (field, written) in [
            ("url", "/url"),
            ("urls[3]", "/urls/3"),
            ("a/b~c", "/a~1b~0c"),
            ("odd[x]", "/odd[x]"),
        ] {
            assert_eq!(pointer(field), written);
        }
    }
}
