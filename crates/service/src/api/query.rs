//! The parameters of a URL's query, or a problem that names the one at fault.

use axum::extract::{FromRequestParts, Query};
use http::request::Parts;
use serde::de::DeserializeOwned;

use super::json_body::blamed;
use super::problem::Problem;

/// The query of a request.
pub(super) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned, A: Sync> FromRequestParts<A> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &A) -> Result<Self, Problem> {
        match Query::try_from_uri(&parts.uri) {
            Ok(Query(params)) => Ok(Self(params)),
            Err(rejection) => {
                let told = rejection.body_text();
                let words = told
                    .strip_prefix("Failed to deserialize query string: ")
                    .unwrap_or(&told);
                let (path, words) = match words.split_once(": ") {
                    Some((path, words)) if !path.contains(' ') => (path, words),
                    _ => ("", words),
                };
                let (field, words) = blamed(path, words);
                let field = field.unwrap_or_else(|| "query".to_owned());
                Err(Problem::invalid(field.clone(), format!("{field}: {words}")))
            }
        }
    }
}
