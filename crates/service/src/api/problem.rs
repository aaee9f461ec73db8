//! Error responses as defined by RFC 9457, with a stable code.

use std::num::NonZeroU32;
use std::time::Duration;

use axum::Json;
use axum::response::{IntoResponse, Response};
use crawler_store::{QuotaExceeded, StoreError};
use http::{HeaderValue, StatusCode, header};
use serde::{Serialize, Serializer};
use serde_json::Number;
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
    #[schema(value_type = String)]
    title: ReasonPhrase,
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
    /// The quota that is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ExceededQuota>)]
    quota: Option<Box<ExceededQuota>>,
    /// URLs of a batch that are not valid.
    #[serde(skip_serializing_if = "no_urls")]
    #[schema(value_type = Vec<Object>)]
    invalid_urls: Box<[InvalidUrl]>,
    /// The `Retry-After` header, in seconds.
    #[serde(skip)]
    retry_after: Option<NonZeroU32>,
}

/// A quota that is used up.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ExceededQuota {
    /// Its name, as in `GET /v1/usage`.
    name: &'static str,
    /// Its limit.
    #[schema(value_type = f64)]
    limit: Option<Number>,
    /// What is in use; null for a rate.
    used: Option<u64>,
}

/// The reason phrase of a status: derived, which keeps `Result<_, Problem>` small.
#[derive(Clone, Copy, Debug)]
struct ReasonPhrase(u16);

impl Serialize for ReasonPhrase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let status = StatusCode::from_u16(self.0).ok();
        let phrase = status.and_then(|status| status.canonical_reason());
        serializer.serialize_str(phrase.unwrap_or("Error"))
    }
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
            title: ReasonPhrase(status.as_u16()),
            status: status.as_u16(),
            code,
            detail: detail.into().into_boxed_str(),
            field: None,
            pointer: None,
            kind: None,
            quota: None,
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

    /// The `Retry-After` header.
    #[cfg(test)]
    pub(super) fn retry_seconds(&self) -> Option<u32> {
        self.retry_after.map(NonZeroU32::get)
    }

    /// A quota of the caller does not allow the request.
    pub(super) fn quota_exceeded(exceeded: QuotaExceeded) -> Self {
        let QuotaExceeded {
            quota,
            limit,
            used,
            retry_in,
        } = exceeded;
        // Jobs end, and results are deleted, at times that are not known.
        let unknown = Duration::from_secs(if quota == "event_streams" { 5 } else { 30 });
        let remedy = match quota {
            "open_jobs" => "wait until a job has ended, or cancel one",
            "queued_tasks" => "wait until URLs of your jobs have been fetched, or send fewer",
            "stored_bytes" => "results are deleted some time after their job has ended",
            "event_streams" => "end another event stream or export",
            "requests_in_flight" => "wait for the response to another request",
            _ => "try again when the day has ended (UTC)",
        };
        let detail = format!(
            "the quota {quota} does not allow the request: {used} of {limit} in use; {remedy} (see GET /v1/usage)"
        );
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "quota_exceeded", detail);
        let quota = ExceededQuota {
            name: quota,
            limit: Some(limit.into()),
            used: Some(used),
        };
        let quota = Some(Box::new(quota));
        Self { quota, ..problem }.retry_after(retry_in.unwrap_or(unknown))
    }

    /// The caller sends requests faster than its quota allows.
    pub(super) fn rate_exceeded(rate: f64, wait: Duration) -> Self {
        let detail = format!(
            "the quota requests_per_second does not allow the request: {rate} are allowed; see Retry-After"
        );
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "quota_exceeded", detail);
        let quota = ExceededQuota {
            name: "requests_per_second",
            limit: Number::from_f64(rate),
            used: None,
        };
        let quota = Some(Box::new(quota));
        Self { quota, ..problem }.retry_after(wait)
    }

    /// The caller makes too many requests at the same time.
    pub(super) fn too_many_requests(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", detail)
    }

    /// The request could not start in time because of others.
    pub(super) fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail)
    }

    /// The owner does not exist, or belongs to another key.
    pub(super) fn no_such_owner() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "owner_not_found",
            "owner: there is no such owner, or you may not see it; only an admin key may name an owner other than its own",
        )
        .at("owner")
    }

    pub(super) fn no_such_job() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "job_not_found",
            "no job that you may see has this id; GET /v1/jobs lists those that you may see",
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
        if error.is_refused {
            return Self::new(StatusCode::FORBIDDEN, "address_refused", error.to_string())
                .at(error.field)
                .in_body();
        }
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
