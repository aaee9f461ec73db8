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
use crate::BrowserStatus;

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
        browser_reason: None,
    })
}

/// Readiness check
///
/// The service is ready when the store is readable and writable and has free disk space. The status of the browser is
/// included but does not affect readiness.
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
    let BrowserStatus { status, reason } = app.browser().status().await;
    Ok(Json(Health {
        status: "ok",
        store: Some("ok"),
        browser: Some(status),
        browser_reason: reason,
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
#[utoipa::path(
    get, path = "/metrics", tag = "operations",
    responses((status = 200, description = "Prometheus text format", body = String, content_type = "text/plain"))
)]
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
