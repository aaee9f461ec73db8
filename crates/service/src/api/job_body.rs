//! The body of a request that creates a job, with its turn among the requests of its owner.
//!
//! A long body becomes a job that is many times its size in memory. So it is parsed when it is its turn, and the number of those that wait
//! is limited.

use axum::extract::{FromRequest, Request};
use serde::de::DeserializeOwned;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, timeout_at};

use super::app::BodyLimits;
use super::json_body::ReceivedBody;
use super::owner_limits::OwnerPermit;
use super::problem::Problem;

/// The parsed body of a request that creates a job.
pub(super) struct JobBody<T> {
    pub(super) request: T,
    pub(super) turn: CreationTurn,
}

/// The turn of a request to create its job: jobs of one owner are created one after the other.
pub(super) struct CreationTurn {
    /// When the response has to be sent.
    pub(super) deadline: Instant,
    _turn: OwnedMutexGuard<()>,
    _permits: (OwnerPermit, Option<OwnerPermit>),
}

impl<T: DeserializeOwned + Send + 'static, A: BodyLimits> FromRequest<A> for JobBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &A) -> Result<Self, Problem> {
        let deadline = Instant::now() + app.request_timeout();
        let received = ReceivedBody::of(request, app).await?;
        let permit = app.limits().creation(&received.owner)?;
        let now = Instant::now();
        // The rest is for the job itself: a response must not be cut off by the time limit of the server.
        let until = now + deadline.saturating_duration_since(now) / 2;
        let turn = app.limits().creating(&received.owner).lock_owned();
        let turn = timeout_at(until, turn).await.map_err(|_| {
            Problem::busy(
                "the request waited for other jobs of this API key to be created; try again later",
            )
        })?;
        let (request, body_permit) = received.parse(app).await?;
        let turn = CreationTurn {
            deadline,
            _turn: turn,
            _permits: (permit, body_permit),
        };
        Ok(Self { request, turn })
    }
}
