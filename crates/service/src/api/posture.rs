//! Where the service may listen: without a key only on loopback.

use std::net::SocketAddr;

use store::{Store, StoreError};

use super::keys::any_in_use;
use crate::config::Config;

/// Whether the service may listen where it is told to; else what to do about it. The API and the worker's numbers
/// keep the same rules.
pub async fn check_posture<S: Store>(
    config: &Config,
    store: &S,
    has_api: bool,
) -> Result<Result<(), String>, StoreError> {
    let server = has_api.then_some(("server.addr", config.server.addr));
    let numbers = config.worker.metrics_addr;
    let numbers = numbers.filter(|_| !has_api && !config.server.open_metrics);
    let numbers = numbers.map(|addr| ("worker.metrics_addr", addr));
    let reachable = |(_, addr): &(&str, SocketAddr)| !addr.ip().is_loopback();
    let Some((name, addr)) = server.or(numbers).filter(reachable) else {
        return Ok(Ok(()));
    };
    if !config.server.api_keys.is_empty() || any_in_use(store).await? {
        return Ok(Ok(()));
    }
    let loopback = SocketAddr::from(([127, 0, 0, 1], addr.port()));
    Ok(Err(format!(
        "{name} {addr} can be reached from other machines and there is no key: make one with `crawler keys add <NAME>`, \
         or put a random one into server.api_keys of the configuration (for example from `openssl rand -hex 24`), \
         or listen on {loopback}"
    )))
}
