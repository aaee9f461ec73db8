//! Parses the query of a URL, or returns a problem that names the invalid parameter.

use axum::extract::{FromRequestParts, Query};
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::json_body::invalid_field;
use super::problem::Problem;

/// The parsed query of a request.
pub(super) struct QueryParams<T>(pub(super) T);

impl<T: DeserializeOwned, A: Sync> FromRequestParts<A> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &A) -> Result<Self, Problem> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(params)) => Ok(Self(params)),
            Err(rejection) => {
                let text = rejection.body_text();
                let message = text
                    .strip_prefix("Failed to deserialize query string: ")
                    .unwrap_or(&text);
                let (path, message) = match message.split_once(": ") {
                    Some((path, message)) if !path.contains(' ') => (path, message),
                    _ => ("", message),
                };
                let (field, message) = invalid_field(path, message);
                let field = field.unwrap_or_else(|| "query".to_owned());
                Err(Problem::invalid(
                    field.clone(),
                    format!("{field}: {message}"),
                ))
            }
        }
    }
}
