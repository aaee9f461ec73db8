//! `/healthz`, `/readyz`, `/metrics`.

use std::time::Duration;

use axum::extract::State;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use crawler_store::{KeyRole, Store};
use http::{StatusCode, header};
use tokio::time::timeout;

use super::app::App;
use super::auth::Caller;
use super::problem::Problem;
use super::responses::Health;

/// Timeout for a response of the store.
const STORE_TIMEOUT: Duration = Duration::from_secs(3);

/// Liveness check
#[utoipa::path(
    get, path = "/healthz", tag = "operations", security(()),
    responses((status = 200, description = "The process is running", body = Health))
)]
pub(super) fn healthz() -> Json<Health> {
    Json(Health {
        status: "ok",
        store: None,
        browser: None,
    })
}

/// Readiness check
///
/// The service is ready when the store is readable and writable and has free disk space. The status of the browser is
/// included but does not affect readiness; why it is missing or down is in the log of the service.
#[utoipa::path(
    get, path = "/readyz", tag = "operations", security(()),
    responses((status = 200, description = "The service is ready", body = Health))
)]
pub(super) async fn readyz<S: Store>(State(app): State<App<S>>) -> Result<Json<Health>, Problem> {
    let unready = |message: String| {
        tracing::warn!(reason = message, "not ready");
        not_ready()
    };
    let checked = app.readiness().check(|| async {
        match timeout(STORE_TIMEOUT, app.store().ready()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("timed out".to_owned()),
        }
    });
    checked.await.map_err(unready)?;
    Ok(Json(Health {
        status: "ok",
        store: Some("ok"),
        browser: Some(app.browser().status().await),
    }))
}

pub(super) fn not_ready() -> Problem {
    Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "not_ready",
        "the store does not respond, is not writable, or is out of disk space; see the service log for the reason",
    )
}

/// Metrics for Prometheus
///
/// They are those of all owners, so they need an admin key if there are keys; `server.open_metrics` makes them public.
#[utoipa::path(
    get, path = "/metrics", operation_id = "metrics", tag = "operations",
    responses(
        (status = 200, description = "Prometheus text format", body = String, content_type = "text/plain"),
        (status = 403, description = "`admin_required`: the API key is not an admin key; `host_refused`, `origin_refused`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn api_metrics<S: Store>(
    State(app): State<App<S>>,
    caller: Option<Extension<Caller>>,
) -> Result<impl IntoResponse, Problem> {
    if let Some(Extension(caller)) = &caller
        && caller.role != KeyRole::Admin
    {
        let message = "the metrics are those of all owners; use a key added with `crawler keys add NAME --admin`, or set server.open_metrics";
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "admin_required",
            message,
        ));
    }
    Ok(metrics(State(app), caller).await)
}

/// The metrics, on the port of a worker without the API too. A user key sees its own series and the totals.
pub(super) async fn metrics<S: Store>(
    State(app): State<App<S>>,
    caller: Option<Extension<Caller>>,
) -> impl IntoResponse {
    match timeout(STORE_TIMEOUT, app.store().statistics()).await {
        Ok(Ok(statistics)) => super::metrics::record_store_metrics(&statistics),
        Ok(Err(error)) => tracing::warn!(%error, "cannot read the statistics of the store"),
        Err(_) => tracing::warn!("timed out reading the statistics of the store"),
    }
    super::metrics::record_render_metrics(&app.browser().counts().await);
    let media = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    // Without a caller the metrics are open.
    let caller = caller.map(|Extension(caller)| caller);
    let only = caller.filter(|caller| caller.role == KeyRole::User);
    let text = super::metrics::text(only.as_ref().map(|caller| &caller.owner));
    (media, text)
}
