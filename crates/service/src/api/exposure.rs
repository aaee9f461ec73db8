//! Refuses to listen on anything but loopback without an API key.

use std::net::SocketAddr;

use crawler_store::{Store, StoreError};

use super::auth::any_in_use;
use crate::config::Config;

/// Checks whether the service may listen on its configured address; if not, returns a message that says what to do.
pub async fn check_exposure<S: Store>(
    config: &Config,
    store: &S,
    has_api: bool,
) -> Result<Result<(), String>, StoreError> {
    match exposure_without_keys(config, has_api) {
        Some(message) if !any_in_use(store).await? => Ok(Err(message)),
        _ => Ok(Ok(())),
    }
}

/// The message that refuses an address reachable from other machines if the configuration has no API key, and the store has
/// none either. The same rule applies to the API and to the metrics of a worker.
pub fn exposure_without_keys(config: &Config, has_api: bool) -> Option<String> {
    let server = has_api.then_some(("server.addr", config.server.addr));
    let metrics = config.worker.metrics_addr;
    let metrics = metrics.filter(|_| !has_api && !config.server.open_metrics);
    let metrics = metrics.map(|addr| ("worker.metrics_addr", addr));
    let (name, addr) = server.or(metrics)?;
    if addr.ip().is_loopback() || !config.server.api_keys.is_empty() {
        return None;
    }
    let loopback = SocketAddr::from(([127, 0, 0, 1], addr.port()));
    Some(format!(
        "{name} {addr} is reachable from other machines, but there is no API key: create one with \
         `crawler keys add <NAME>`, or add a random one (for example from `openssl rand -hex 24`) to server.api_keys in \
         the configuration, or listen on {loopback}"
    ))
}
