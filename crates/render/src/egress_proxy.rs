//! The local proxy for all traffic of the browser.
//!
//! Each tab has its own, so that traffic is attributed to pages. It dials through [`Egress`]. The browser sees only that a
//! connection failed; the reason is recorded here by host and port, for the error message. The proxy does not depend on
//! pages or the browser, except for the start of each page (`begin_page`).

mod connection;
mod counting_stream;
mod hop_headers;
mod idle_timer;
mod proxy_stats;
#[cfg(test)]
mod tests;
mod upstream;

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use crawler_fetch::Egress;
use crawler_model::Failure;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use connection::Connection;
use proxy_stats::ProxyStats;

use crate::budget_meter::BudgetMeter;

/// Maximum number of open connections; further ones wait.
const MAX_CONNECTIONS: usize = 256;
/// Maximum size of a head and number of headers, as in the fetcher.
const MAX_HEAD: usize = 256 * 1024;
const MAX_HEADERS: usize = 256;
/// Delay after a failed accept, for example because too many files are open.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// A forward proxy on a loopback port. Dropping it closes all its connections.
#[derive(Debug)]
pub(crate) struct EgressProxy {
    port: u16,
    stats: Arc<ProxyStats>,
    /// The accept loop; dropping it closes all connections.
    _accepting: JoinSet<()>,
}

impl EgressProxy {
    /// Starts a proxy that dials through `egress`, on a port chosen by the system. Connections end when the page exceeds a
    /// budget of `meter`. Needs a tokio runtime.
    pub(crate) fn start(egress: Egress, meter: Arc<BudgetMeter>) -> io::Result<Self> {
        Self::listen(Some(egress), ProxyStats::new(meter, Arc::default()))
    }

    /// Starts a proxy that dials nothing: it adds requests to `requests` and answers them with 502.
    pub(crate) fn refusing(requests: &Arc<AtomicU64>) -> io::Result<Self> {
        Self::listen(
            None,
            ProxyStats::new(Arc::new(BudgetMeter::unlimited()), Arc::clone(requests)),
        )
    }

    fn listen(egress: Option<Egress>, stats: ProxyStats) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let port = listener.local_addr()?.port();
        let stats = Arc::new(stats);
        let mut accepting = JoinSet::new();
        accepting.spawn(accept_loop(listener, egress, Arc::clone(&stats)));
        Ok(Self {
            port,
            stats,
            _accepting: accepting,
        })
    }

    /// Returns its port on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Resets failures and byte counts for a new page. Connections stay open.
    pub(crate) fn begin_page(&self) {
        self.stats.begin_page();
    }

    /// Returns the first failure to connect to `host:port` for this page. The host is as in a URL.
    pub(crate) fn failure_of(&self, host: &str, port: u16) -> Option<Failure> {
        self.stats.failure_of(host, port)
    }

    /// Returns the bytes received from the network for this page, including heads and TLS.
    pub(crate) fn bytes_in(&self) -> u64 {
        self.stats.bytes_in()
    }

    /// Returns the number of connections refused by the guard since the start.
    pub(crate) fn refused(&self) -> u64 {
        self.stats.refused()
    }

    /// Returns the number of requests and tunnels since the start.
    #[cfg(test)]
    pub(crate) fn requests(&self) -> u64 {
        self.stats.requests()
    }
}

/// Accepts connections until the proxy is dropped.
async fn accept_loop(listener: TcpListener, egress: Option<Egress>, stats: Arc<ProxyStats>) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        match accept(&listener, &permits).await {
            Ok((stream, permit)) => {
                let connection = Connection::new(egress.clone(), Arc::clone(&stats));
                connections.spawn(serve(stream, connection, permit));
            }
            Err(error) => {
                tracing::warn!(%error, "the browser's proxy could not accept a connection");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits).acquire_owned().await;
    let permit = permit.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}

/// Serves one connection until it ends or is idle for too long.
async fn serve(stream: TcpStream, connection: Connection, _permit: OwnedSemaphorePermit) {
    tokio::select! {
        () = connection.idle_timer.expired() => {}
        () = connection.serve(stream) => {}
    }
}
