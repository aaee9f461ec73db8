//! Whether the service may listen on its address: on anything but loopback only with an API key.

use std::net::SocketAddr;

use crawler_store::{KeyState, Store, StoreError};

use crate::config::Config;

/// Whether the service may listen on its configured address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exposure {
    /// It may: there is a key, or the address is reachable from this machine only.
    Safe,
    /// Once the store has its first key: it never had one.
    NeedsFirstKey,
    /// It may not: all keys were revoked or have expired. The message says what to do.
    Refused(String),
}

/// Checks whether the service may listen on its configured address. The same rule applies to the API and to the metrics of a
/// worker.
pub async fn check_exposure<S: Store>(
    config: &Config,
    store: &S,
    has_api: bool,
) -> Result<Exposure, StoreError> {
    let Some(message) = exposure_without_keys(config, has_api) else {
        return Ok(Exposure::Safe);
    };
    let keys = store.keys().await?;
    Ok(if keys.is_empty() {
        Exposure::NeedsFirstKey
    } else if keys.iter().any(|key| key.state == KeyState::Active) {
        Exposure::Safe
    } else {
        Exposure::Refused(message)
    })
}

/// The message that refuses an address reachable from other machines if the configuration has no API key, and the store has
/// no valid one.
fn exposure_without_keys(config: &Config, has_api: bool) -> Option<String> {
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
        "{name} {addr} is reachable from other machines, but there is no valid API key: create one with \
         `crawler keys add <NAME>`, or add a random one (for example from `openssl rand -hex 24`) to server.api_keys in \
         the configuration, or listen on {loopback}"
    ))
}
