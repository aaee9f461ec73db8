//! Connections: accepted up to a number, each with a deadline for its head, drained at the end.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
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
use super::patient_stream::PatientStream;
use super::routes::{numbers_router, router};

/// A request's head may be so long.
const HEAD: usize = 64 * 1_024;
/// After an accept that failed, for want of files most likely.
const BREATH: Duration = Duration::from_millis(100);
/// How often recorded numbers are folded together.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);

/// Answers requests until `stop`, then finishes what is under way for at most `drain`.
pub async fn serve<S: Store>(
    app: App<S>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    drain: Duration,
) {
    let router = router(app.clone());
    answer(app, router, listener, stop, drain).await;
}

/// The same for `/metrics`, `/healthz` and `/readyz` alone: what a worker without the API has to say.
pub async fn serve_numbers<S: Store>(
    app: App<S>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    drain: Duration,
) {
    let router = numbers_router(app.clone());
    answer(app, router, listener, stop, drain).await;
}

async fn answer<S: Store>(
    app: App<S>,
    router: Router,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
    drain: Duration,
) {
    let server = &app.config().server;
    // HTTP/1.1 alone: a connection is one request at a time, so the limits of a connection are those of a caller. What
    // speaks TLS and HTTP/2 to the world stands in front.
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder
        .http1()
        .timer(TokioTimer::new())
        .max_buf_size(HEAD)
        .header_read_timeout(server.head_timeout);
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(server.max_connections));
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
        let stream = PatientStream::new(stream, server.head_timeout, server.stall_timeout);
        let service = TowerToHyperService::new(router.clone());
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection.into_owned());
        metrics::gauge!("crawler_http_connections").increment(1.0);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error, "connection ended early");
            }
            metrics::gauge!("crawler_http_connections").decrement(1.0);
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
