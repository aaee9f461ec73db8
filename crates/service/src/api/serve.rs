//! The server: accepts a limited number of connections, enforces their timeouts, and shuts down gracefully.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use crawler_store::Store;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::app::App;
use super::client_address::PeerAddress;
use super::routes::{metrics_router, opening_router, router};
use super::timeout_stream::TimeoutStream;
use crate::config::ServerSection;

/// Maximum size of the head of a request.
const MAX_HEAD_BYTES: usize = 64 * 1_024;
/// Delay after a failed accept, which usually means that no file descriptors are left.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Serves the API until `stop`, then waits at most `drain` for requests in flight.
pub async fn serve<S: Store>(
    app: App<S>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    drain: Duration,
) {
    let router = router(app.clone());
    serve_router(app, router, listener, stop, drain).await;
}

/// Like [`serve`], but only `/metrics`, `/healthz` and `/readyz`, for a worker without the API.
pub async fn serve_metrics<S: Store>(
    app: App<S>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    drain: Duration,
) {
    let router = metrics_router(app.clone());
    serve_router(app, router, listener, stop, drain).await;
}

/// Waits until the store is open. Requests wait too until `unavailable` completes; from then on `/healthz` is answered with
/// 200 and everything else with 503.
pub async fn serve_while_opening<T>(
    server: &ServerSection,
    listener: &TcpListener,
    open: impl Future<Output = T>,
    unavailable: impl Future<Output = ()>,
) -> T {
    let mut open = std::pin::pin!(open);
    tokio::select! {
        opened = &mut open => return opened,
        () = unavailable => (),
    }
    let (opened, connections) = accept(server, &opening_router(server), listener, open).await;
    // Requests in flight get their response; the next ones use a new connection.
    tokio::spawn(connections.shutdown());
    opened
}

async fn serve_router<S: Store>(
    app: App<S>,
    router: Router,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    drain: Duration,
) {
    let ((), connections) = accept(&app.config().server, &router, &listener, stop).await;
    drop(listener);
    app.stop();
    if timeout(drain, connections.shutdown()).await.is_err() {
        tracing::warn!("shutdown interrupted requests in flight");
    }
    app.meter().write().await;
}

/// Accepts connections until `stop`; returns its output and the open connections.
async fn accept<T>(
    server: &ServerSection,
    router: &Router,
    listener: &TcpListener,
    stop: impl Future<Output = T>,
) -> (T, GracefulShutdown) {
    // HTTP/1.1 only: a connection has one request at a time, so limits on connections are limits on requests. TLS and
    // HTTP/2 are up to a proxy in front of the service.
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .max_buf_size(MAX_HEAD_BYTES)
        .header_read_timeout(server.head_timeout);
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(server.max_connections));
    let mut stop = std::pin::pin!(stop);
    loop {
        let next = async {
            // The semaphore is never closed.
            let slot = Arc::clone(&slots).acquire_owned().await;
            (listener.accept().await, slot)
        };
        let (accepted, slot) = tokio::select! {
            next = next => next,
            output = &mut stop => return (output, graceful),
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        // Fails only if the connection is already closed.
        let _ = stream.set_nodelay(true);
        let stream = TimeoutStream::new(stream, server.head_timeout, server.stall_timeout);
        let handlers = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(PeerAddress(peer.ip()));
            handlers.call(request)
        });
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        metrics::gauge!("crawler_http_connections").increment(1.0);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection error");
            }
            metrics::gauge!("crawler_http_connections").decrement(1.0);
            drop(slot);
        });
    }
}
