//! Parses a request body as JSON, or returns a problem that names the invalid field.

use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use crawler_model::counted;
use crawler_store::Owner;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use tokio::time::timeout;

use super::app::BodyLimits;
use super::auth::Caller;
use super::owner_limits::OwnerPermit;
use super::problem::Problem;

/// A longer body is parsed on a blocking thread, and their number is limited.
const LONG_BODY: usize = 64 << 10;

/// Maximum length of a message about a body, in characters.
const MAX_MESSAGE: usize = 1_000;

/// The parsed body of a request.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned + Send + 'static, A: BodyLimits> FromRequest<A> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &A) -> Result<Self, Problem> {
        let received = ReceivedBody::of(request, app).await?;
        received.parse(app).await.map(|(parsed, _)| Self(parsed))
    }
}

/// A body that was read and not parsed. An owner can have a few long ones at a time, until their requests are answered.
pub(super) struct ReceivedBody {
    bytes: Bytes,
    pub(super) owner: Owner,
    permit: Option<OwnerPermit>,
}

impl ReceivedBody {
    pub(super) async fn of<A: BodyLimits>(request: Request, app: &A) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "send JSON with the header Content-Type: application/json",
            )
            .at("Content-Type"));
        }
        // Missing only on a route without `require_key`.
        let caller = request.extensions().get::<Caller>();
        let owner = caller.ok_or_else(Problem::internal)?.owner.clone();
        let length = request.body().size_hint().upper();
        let is_long = length.is_none_or(|length| length > LONG_BODY as u64);
        let permit = match is_long.then(|| app.limits().long_body(&owner)).transpose() {
            Ok(permit) => permit,
            Err(problem) => {
                discard(request, app.max_body_bytes(), app.body_timeout()).await;
                return Err(problem);
            }
        };
        let bytes = body(request, app.max_body_bytes(), app.body_timeout()).await?;
        Ok(Self {
            bytes,
            owner,
            permit,
        })
    }

    /// Parses the body; also returns its part of the limit, to keep until the request is answered.
    pub(super) async fn parse<T: DeserializeOwned + Send + 'static, A: BodyLimits>(
        self,
        app: &A,
    ) -> Result<(T, Option<OwnerPermit>), Problem> {
        let Self {
            bytes,
            owner,
            permit,
        } = self;
        let parsed = if bytes.len() <= LONG_BODY {
            parsed(&bytes)
        } else {
            let parsing = app.request_work().run(&owner, move || parsed(&bytes));
            parsing.await?
        };
        parsed.map(|parsed| (parsed, permit))
    }
}

/// Reads a body that is not used: many clients read the response only after they have sent it.
async fn discard(request: Request, max_bytes: u64, time_limit: Duration) {
    let max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let mut body = Limited::new(request.into_body(), max_bytes);
    let reading = async { while let Some(Ok(_)) = body.frame().await {} };
    // What is sent later is not read.
    let _ = timeout(time_limit, reading).await;
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    only_object(bytes)?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        invalid_value(&path, error.inner())
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let sent = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let media = sent.and_then(|sent| sent.split(';').next());
    let media = media.unwrap_or_default().trim().to_ascii_lowercase();
    media == "application/json" || (media.starts_with("application/") && media.ends_with("+json"))
}

async fn body(request: Request, max_bytes: u64, time_limit: Duration) -> Result<Bytes, Problem> {
    let max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let too_large = || {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!(
                "the body exceeds {} (server.max_body_bytes)",
                counted(max_bytes, "byte")
            ),
        )
    };
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > max_bytes) {
        return Err(too_large());
    }
    let collected = Limited::new(request.into_body(), max_bytes).collect();
    match timeout(time_limit, collected).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "body_broken",
            "the body is incomplete",
        )),
        Err(_) => Err(Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "request_timeout",
            "timed out reading the body (server.body_timeout)",
        )),
    }
}

/// Checks that the body is a JSON object. Syntax errors take precedence over invalid fields, and serde would accept an
/// array as the list of a struct's fields.
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
        let message = format!("the body is not valid JSON: {error}");
        return Problem::new(StatusCode::BAD_REQUEST, "invalid_json", message);
    }
    invalid_value(path, error)
}

/// The problem of a body that is valid JSON.
fn invalid_value(path: &str, error: &serde_json::Error) -> Problem {
    // The message quotes the value, which may be long.
    let text: String = error.to_string().chars().take(MAX_MESSAGE).collect();
    let message = text.split(" at line ").next().unwrap_or(&text);
    let (field, message) = invalid_field(path, message);
    match field {
        Some(field) => Problem::invalid(field.clone(), format!("{field}: {message}")).in_body(),
        None => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", message),
    }
}

/// Returns the invalid field and what is wrong with it. The name of an unknown or missing field is only in the message.
pub(super) fn invalid_field(path: &str, message: &str) -> (Option<String>, String) {
    let named = message.split('`').nth(1).map(str::to_owned);
    if message.starts_with("unknown field") || message.starts_with("missing field") {
        return (named, message.replace('`', "\""));
    }
    let field = (path != "." && path != "?" && !path.is_empty()).then(|| path.to_owned());
    (field, plain_message(message))
}

/// Rewrites a message of the deserializer in the terms of JSON and of this API.
fn plain_message(message: &str) -> String {
    // What serde says of a choice that is not a string.
    if message == "expected value" {
        return "must be one of the allowed strings".to_owned();
    }
    if message.contains("untagged enum UseJs") {
        return "must be false, true or \"auto\"".to_owned();
    }
    if message.contains("invalid digit found in string") {
        return "must be a whole number of 0 or more".to_owned();
    }
    let message = message
        .replace('`', "\"")
        .replace("expected a sequence", "expected a list")
        .replace("invalid type: sequence", "invalid type: list")
        .replace("invalid type: map", "invalid type: object");
    match message.strip_prefix("unknown variant ") {
        Some(rest) => rest.replacen(", expected", " is not allowed; expected", 1),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::plain_message;

    #[test]
    fn messages_of_the_deserializer_are_rewritten() {
        for (message, expected) in [
            (
                "unknown variant `md`, expected one of `markdown`, `html`",
                "\"md\" is not allowed; expected one of \"markdown\", \"html\"",
            ),
            (
                "invalid type: string \"(\", expected a sequence",
                "invalid type: string \"(\", expected a list",
            ),
            (
                "invalid digit found in string",
                "must be a whole number of 0 or more",
            ),
            ("invalid value: null", "invalid value: null"),
        ] {
            assert_eq!(plain_message(message), expected);
        }
    }
}
