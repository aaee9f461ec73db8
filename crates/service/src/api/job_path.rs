//! The job id in a path.

use axum::extract::{FromRequestParts, RawPathParams};
use crawler_store::JobId;
use http::request::Parts;
use uuid::Uuid;

use super::problem::Problem;

/// The `{id}` of `/v1/jobs/{id}…`. An invalid id is treated like that of an unknown job.
pub(super) struct JobPath(pub(super) JobId);

impl<A: Send + Sync> FromRequestParts<A> for JobPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &A) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let params = params.map_err(|_| Problem::no_such_job())?;
        let id = params.iter().find(|(name, _)| *name == "id");
        id.and_then(|(_, text)| Uuid::try_parse(text).ok())
            .map(|id| Self(JobId(id)))
            .ok_or_else(Problem::no_such_job)
    }
}
