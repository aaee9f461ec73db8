//! The address that a process listens on: that of the API, or that of a worker's metrics.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use crawler_service::config::Config;
use tokio::net::TcpListener;

use crate::serve_args::ModeChoice;

/// Interval between attempts to use an address that another process is using.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);

/// Listens before any work starts: a port in use is the most common reason for a failed start of the API. A worker starts
/// without its metrics if another process is using their address.
pub(crate) async fn bind(config: &Config, mode: ModeChoice) -> anyhow::Result<Option<TcpListener>> {
    if mode.has_api() {
        let addr = config.server.addr;
        let message = || {
            format!("cannot listen on {addr}; choose another address with --addr or server.addr")
        };
        return Ok(Some(TcpListener::bind(addr).await.with_context(message)?));
    }
    let Some(addr) = config.worker.metrics_addr else {
        return Ok(None);
    };
    match TcpListener::bind(addr).await {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            tracing::warn!(
                %addr,
                "worker.metrics_addr is in use by another process, probably another worker; this worker's metrics are not \
                 served until the address is free; give each worker on a machine its own address"
            );
            Ok(None)
        }
        Err(error) => {
            Err(error).with_context(|| format!("cannot listen on worker.metrics_addr {addr}"))
        }
    }
}

/// Waits until an address is free, and listens on it.
pub(crate) async fn bind_when_free(addr: SocketAddr) -> TcpListener {
    loop {
        tokio::time::sleep(RETRY_INTERVAL).await;
        if let Ok(listener) = TcpListener::bind(addr).await {
            return listener;
        }
    }
}
