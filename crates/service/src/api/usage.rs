//! `GET /v1/usage`: the quotas of an owner and what is in use.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::extract::State;
use crawler_store::{Access, Quota, Store, UnixMillis};
use serde::Serialize;
use serde_json::Number;
use utoipa::ToSchema;

use super::app::App;
use super::auth::Caller;
use super::moment::rfc3339;
use super::named_owner::access_to;
use super::problem::Problem;
use super::query::QueryParams;
use super::requests::UsageQuery;

/// The quotas of an owner and what is in use.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UsageResponse {
    /// Name of the API key; `local` if none is needed.
    owner: String,
    quotas: Vec<QuotaResponse>,
    /// When the day ends, in UTC; then the quotas per day start again.
    day_ends_at: String,
}

/// A quota and what is in use.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct QuotaResponse {
    /// `requests_per_second`, `requests_in_flight`, `open_jobs`, `queued_tasks`, `pages_per_day`, `stored_bytes`,
    /// `event_streams`, `browser_seconds_per_day`, or `weight`: the owner's share of the workers compared with others.
    name: &'static str,
    /// The limit, or the weight; null if there is none.
    #[schema(value_type = Option<f64>)]
    limit: Option<Number>,
    /// What is in use; null for a rate and for the weight. `requests_in_flight` and `event_streams` are those of the API process that answers.
    used: Option<u64>,
}

/// Show your quotas and what is in use
///
/// A value of a day, such as `pages_per_day`, starts again at midnight UTC.
#[utoipa::path(
    get, path = "/v1/usage", tag = "operations", params(UsageQuery),
    responses(
        (status = 200, description = "Quotas and usage", body = UsageResponse),
        (status = 404, description = "`owner_not_found`: there is no such owner, or the API key may not see it", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn usage<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    QueryParams(query): QueryParams<UsageQuery>,
) -> Result<Json<UsageResponse>, Problem> {
    let named = query.owner.as_deref();
    let owner = match access_to(&app, &caller, named).await? {
        Access::Owner(owner) => owner,
        Access::AllOwners => caller.owner.clone(),
    };
    let used = app.meter().usage(&owner).await?;
    let quota = if owner == caller.owner {
        caller.quota
    } else {
        used.quota.or(&app.config().quotas.quota())
    };
    let now = app.limits().activity(&owner);
    let rate = quota.requests_per_second.filter(|rate| *rate > 0.0);
    let rate = QuotaResponse {
        name: "requests_per_second",
        limit: rate.and_then(Number::from_f64),
        used: None,
    };
    let counts = [
        ("requests_in_flight", quota.requests_in_flight, now.scrapes),
        ("open_jobs", quota.open_jobs, used.open_jobs),
        ("queued_tasks", quota.queued_tasks, used.queued_tasks),
        ("pages_per_day", quota.pages_per_day, used.pages),
        ("stored_bytes", quota.stored_bytes, used.stored_bytes),
        ("event_streams", quota.event_streams, now.streams),
        (
            "browser_seconds_per_day",
            quota.browser_seconds_per_day,
            used.browser_time.as_secs(),
        ),
    ];
    let counts = counts.map(|(name, limit, used)| QuotaResponse {
        name,
        limit: Quota::limit(limit).map(Number::from),
        used: Some(used),
    });
    let weight = QuotaResponse {
        name: "weight",
        limit: Some(quota.weight.unwrap_or(1).into()),
        used: None,
    };
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let ends = since_1970.unwrap_or_default() + used.day_ends_in;
    let ends = i64::try_from(ends.as_millis()).unwrap_or(i64::MAX);
    Ok(Json(UsageResponse {
        owner: owner.to_string(),
        quotas: std::iter::once(rate)
            .chain(counts)
            .chain([weight])
            .collect(),
        day_ends_at: rfc3339(UnixMillis(ends)),
    }))
}
