//! A request's body, read as JSON of one type, or a problem that says where it is wrong.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use tokio::time::timeout;

use super::app::Limits;
use super::problem::Problem;

/// The body of a request.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, A: Limits> FromRequest<A> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &A) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "send JSON with the header Content-Type: application/json",
            )
            .at("Content-Type"));
        }
        let bytes = body(request, app.max_body_bytes(), app.body_timeout()).await?;
        only_object(&bytes)?;
        let mut reader = serde_json::Deserializer::from_slice(&bytes);
        let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            problem(&path, error.inner())
        })?;
        Ok(Self(value))
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let sent = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let media = sent.and_then(|sent| sent.split(';').next());
    let media = media.unwrap_or_default().trim().to_ascii_lowercase();
    media == "application/json" || (media.starts_with("application/") && media.ends_with("+json"))
}

async fn body(request: Request, most: u64, patience: Duration) -> Result<Bytes, Problem> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let too_large = || {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("the body is longer than {most} bytes (server.max_body_bytes)"),
        )
    };
    let told = request.headers().get(header::CONTENT_LENGTH);
    let told = told.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if told.is_some_and(|told| told > most) {
        return Err(too_large());
    }
    let whole = Limited::new(request.into_body(), most).collect();
    match timeout(patience, whole).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "body_broken",
            "the body broke off",
        )),
        Err(_) => Err(Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "request_timeout",
            "the body took too long to arrive (server.body_timeout)",
        )),
    }
}

/// What is no JSON is told before what its fields say; and a list would be read as an object's fields in their
/// order, which nobody means.
fn only_object(bytes: &[u8]) -> Result<(), Problem> {
    serde_json::from_slice::<IgnoredAny>(bytes).map_err(|error| problem(".", &error))?;
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "invalid_request",
        "the body must be a JSON object",
    ))
}

fn problem(path: &str, error: &serde_json::Error) -> Problem {
    if error.classify() != Category::Data {
        let words = format!("the body is not valid JSON: {error}");
        return Problem::new(StatusCode::BAD_REQUEST, "invalid_json", words);
    }
    let told = error.to_string();
    let words = told.split(" at line ").next().unwrap_or(&told);
    let (field, words) = blamed(path, words);
    match field {
        Some(field) => Problem::invalid(field.clone(), format!("{field}: {words}")).in_body(),
        None => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", words),
    }
}

/// The field at fault, and what is wrong with it. An unknown or missing field is named in the words alone.
pub(super) fn blamed(path: &str, words: &str) -> (Option<String>, String) {
    let named = words.split('`').nth(1).map(str::to_owned);
    if words.starts_with("unknown field") || words.starts_with("missing field") {
        return (named, words.replace('`', "\""));
    }
    let field = (path != "." && path != "?" && !path.is_empty()).then(|| path.to_owned());
    let words = if words.contains("untagged enum UseJs") {
        "must be false, true or \"auto\"".to_owned()
    } else {
        words.replace('`', "\"")
    };
    (field, words)
}
