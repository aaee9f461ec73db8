//! The header `Idempotency-Key` of requests that create jobs.

use axum::extract::FromRequestParts;
use crawler_store::{IdempotencyKey, JobKind, Owner};
use http::request::Parts;
use serde_json::json;
use utoipa::IntoParams;

use super::auth::Caller;
use super::problem::Problem;
use crate::job_params::JobParams;

const HEADER: &str = "Idempotency-Key";
/// Maximum length of a key.
pub(super) const MAX_KEY_BYTES: usize = 255;

/// The key that a request was sent with, if any, and the owner that sent it.
pub(super) struct IdempotencyHeader {
    owner: Owner,
    key: Option<String>,
}

/// Describes the header.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(
    dead_code,
    reason = "the extractor reads the header; this type only describes it"
)]
pub(super) struct IdempotencyParameter {
    /// A unique key chosen by the client for this request, for example a UUID. Repeating a request with the same key does not
    /// create a second job: it returns the job of the first request, for as long as that job is kept. Keys are scoped to the
    /// API key.
    #[param(
        rename = "Idempotency-Key",
        min_length = 1,
        max_length = 255,
        pattern = "^[!-~]{1,255}$"
    )]
    idempotency_key: Option<String>,
}

impl<A: Sync> FromRequestParts<A> for IdempotencyHeader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &A) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, app).await?;
        let mut sent = parts.headers.get_all(HEADER).iter();
        let key = match (sent.next(), sent.next()) {
            (None, _) => None,
            (Some(value), None) => Some(value.to_str().ok().and_then(valid).ok_or_else(invalid)?),
            (Some(_), Some(_)) => return Err(invalid()),
        };
        Ok(Self {
            owner: caller.owner,
            key,
        })
    }
}

fn valid(key: &str) -> Option<String> {
    let fits = (1..=MAX_KEY_BYTES).contains(&key.len());
    (fits && key.bytes().all(|byte| byte.is_ascii_graphic())).then(|| key.to_owned())
}

fn invalid() -> Problem {
    let message = format!(
        "{HEADER}: send one key of 1 to {MAX_KEY_BYTES} visible ASCII characters without spaces, for example a UUID"
    );
    Problem::invalid(HEADER, message)
}

impl IdempotencyHeader {
    /// Whether the request has a key.
    pub(super) fn is_sent(&self) -> bool {
        self.key.is_some()
    }

    /// The key of a job with these parameters. Two bodies that ask for the same job are the same request.
    pub(super) fn key(&self, kind: JobKind, params: &JobParams) -> Option<IdempotencyKey> {
        let key = self.key.as_deref()?;
        // The URLs of a batch are not serialized with its parameters.
        let request = json!([kind.as_str(), params, params.urls]).to_string();
        let owner = self.owner.as_str().as_bytes();
        Some(IdempotencyKey::new(owner, key, request.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_of_limited_length() {
        let longest = "k".repeat(MAX_KEY_BYTES);
        for key in [
            "a",
            "8e03978e-40d5-43dd-bc93-6894a57f9324",
            "\"quoted\"",
            &longest,
        ] {
            assert_eq!(valid(key).as_deref(), Some(key));
        }
        for key in ["", "two words", "tab\t", "é", &format!("{longest}k")] {
            assert_eq!(valid(key), None, "{key}");
        }
    }

    #[test]
    fn a_key_depends_on_the_kind_the_parameters_and_the_urls() {
        let header = IdempotencyHeader {
            owner: Owner::local(),
            key: Some("key".to_owned()),
        };
        let request = |kind, params: &JobParams| {
            let key = header.key(kind, params).expect("a key");
            key.request().to_owned()
        };
        let site = JobParams::for_url("https://a.test/");
        let crawl = request(JobKind::Crawl, &site);
        assert_eq!(crawl, request(JobKind::Crawl, &site.clone()));
        assert_ne!(crawl, request(JobKind::Map, &site));
        let deeper = JobParams {
            max_depth: Some(3),
            ..site
        };
        assert_ne!(crawl, request(JobKind::Crawl, &deeper));
        let [one, two] = ["https://a.test/1", "https://a.test/2"]
            .map(|url| request(JobKind::BatchScrape, &JobParams::batch([url])));
        assert_ne!(one, two);
    }
}
