//! `/healthz`, `/readyz`, `/metrics`.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::{StatusCode, header};
use store::Store;
use tokio::time::timeout;

use super::answers::Health;
use super::app::App;
use super::numbers;
use super::problem::Problem;
use crate::BrowserWord;

/// How long the store may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether the process lives
#[utoipa::path(
    get, path = "/healthz", tag = "operations", security(()),
    responses((status = 200, description = "It lives", body = Health))
)]
pub(super) fn healthz() -> Json<Health> {
    Json(Health {
        status: "ok",
        store: None,
        browser: None,
        browser_reason: None,
    })
}

/// Whether it can work: the store can be read and written
///
/// How the browser is stands beside it, and makes nothing unready: pages that need none go on.
#[utoipa::path(
    get, path = "/readyz", tag = "operations", security(()),
    responses((status = 200, description = "It can work", body = Health))
)]
pub(super) async fn readyz<S: Store>(State(app): State<App<S>>) -> Result<Json<Health>, Problem> {
    let unready = |words: String| {
        tracing::warn!(reason = words, "not ready");
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "not_ready",
            "the store does not answer",
        )
    };
    let answer = app.readiness().ask(|| async {
        match timeout(PATIENCE, app.store().ready()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("no answer in time".to_owned()),
        }
    });
    answer.await.map_err(unready)?;
    let BrowserWord { word, reason } = app.browser().word();
    Ok(Json(Health {
        status: "ok",
        store: Some("ok"),
        browser: Some(word),
        browser_reason: reason,
    }))
}

/// Numbers for Prometheus
#[utoipa::path(
    get, path = "/metrics", tag = "operations",
    responses((status = 200, description = "Prometheus's text format", body = String, content_type = "text/plain"))
)]
pub(super) async fn metrics<S: Store>(State(app): State<App<S>>) -> impl IntoResponse {
    match timeout(PATIENCE, app.store().statistics()).await {
        Ok(Ok(statistics)) => numbers::keep(&statistics),
        Ok(Err(error)) => tracing::warn!(%error, "no statistics"),
        Err(_) => tracing::warn!("no statistics in time"),
    }
    let renderer = app.browser().renderer();
    numbers::keep_rendering(&renderer.map_or_else(Default::default, |one| one.numbers()));
    let media = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (media, numbers::text())
}
