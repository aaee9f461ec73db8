//! Connections: accepted up to a number, each with a deadline for its head, drained at the end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use store::Store;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{interval, sleep, timeout};

use super::app::App;
use super::numbers;
use super::routes::router;
use crate::config::Config;

/// Connections at once; more wait to be accepted.
const MOST_CONNECTIONS: usize = 4_096;
/// How long a request's head may take.
const HEAD_PATIENCE: Duration = Duration::from_secs(20);
/// How often a silent HTTP/2 connection is asked whether it lives.
const PING_EVERY: Duration = Duration::from_secs(20);
/// After an accept that failed, for want of files most likely.
const BREATH: Duration = Duration::from_millis(100);
/// How often recorded numbers are folded together.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);

/// Whether the API may listen where it is told to: without a key only on loopback.
pub fn check_posture(config: &Config) -> Result<(), String> {
    let addr = config.server.addr;
    if addr.ip().is_loopback() || !config.server.api_keys.is_empty() {
        return Ok(());
    }
    let loopback = SocketAddr::from(([127, 0, 0, 1], addr.port()));
    Err(format!(
        "server.addr {addr} can be reached from other machines and there is no key: put a random one into \
         server.api_keys of the configuration (for example from `openssl rand -hex 24`), or listen on {loopback}"
    ))
}

/// Answers requests until `stop`, then finishes what is under way for at most `drain`.
pub async fn serve<S: Store>(
    app: App<S>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    drain: Duration,
) {
    let router = router(app.clone());
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY);
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let upkeep = tokio::spawn(async {
        let mut turns = interval(UPKEEP_EVERY);
        loop {
            turns.tick().await;
            numbers::recorder().run_upkeep();
        }
    });
    let mut stop = std::pin::pin!(stop);
    loop {
        let next = async {
            // The semaphore is never closed.
            let place = Arc::clone(&room).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "cannot accept");
                sleep(BREATH).await;
                continue;
            }
        };
        // Fails only on a socket that is already dead.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection.into_owned());
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error, "connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    app.stop();
    if timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still under way at the end");
    }
    upkeep.abort();
}
