//! The service and its API keys with Postgres as the store.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, bail};
use crawler_engine::{Stop, StopLevel};
use crawler_service::api;
use crawler_service::config::Config;
use crawler_store::{EitherStore, StoreError, StoreLimits};
use crawler_store_postgres::{PostgresOptions, PostgresStore};
use crawler_store_sqlite::SqliteStore;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::serve_args::{KeysCommand, ModeChoice};
use crate::{keys, serve};

/// First and longest delay between attempts to open a database that is unavailable at the start.
const STORE_RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// How long requests wait while the database is opened, which includes migrations. After that they fail.
const USUAL_OPENING_TIME: Duration = Duration::from_secs(2);

/// The store of the service.
pub(crate) type AnyStore = EitherStore<SqliteStore, PostgresStore>;

/// The SQLite store as the store of the service.
pub(crate) fn sqlite(store: SqliteStore) -> AnyStore {
    EitherStore::Left(store)
}

/// Runs the service until it is stopped.
pub(crate) async fn serve(
    url: &str,
    limits: StoreLimits,
    config: Config,
    mode: ModeChoice,
    listener: Option<TcpListener>,
    stop: &Stop,
) -> anyhow::Result<()> {
    let options = PostgresOptions {
        connections: config.store.connections,
        limits,
        ..PostgresOptions::default()
    };
    let open = || PostgresStore::open(url, options.clone());
    let addr = listener
        .as_ref()
        .and_then(|listener| listener.local_addr().ok());
    let failed = Notify::new();
    let opening = open_store(open, addr, &failed, stop);
    let unavailable = async {
        // A timeout has the same effect as a failed attempt.
        let _ = tokio::time::timeout(USUAL_OPENING_TIME, failed.notified()).await;
    };
    let opened = match &listener {
        Some(listener) => {
            api::serve_while_opening(&config.server, listener, opening, unavailable).await
        }
        None => opening.await,
    };
    let Some(store) = opened? else {
        return Ok(());
    };
    let any = EitherStore::Right(store.clone());
    let ended = serve::run_on(any, config, mode, listener, stop, "postgres").await;
    store.close().await;
    ended
}

/// Runs a command on the API keys.
pub(crate) async fn keys(url: &str, command: &KeysCommand) -> anyhow::Result<String> {
    let store = PostgresStore::open(url, PostgresOptions::default())
        .await
        .context("cannot open the store")?;
    let output = keys::run_on(&store, command).await;
    store.close().await;
    output
}

/// Opens a store, retrying while it is unavailable; `None` if a stop is requested meanwhile. `addr` is the address that is
/// served in this time; `failed` is notified when an attempt fails.
async fn open_store<S, F>(
    open: impl Fn() -> F,
    addr: Option<SocketAddr>,
    failed: &Notify,
    stop: &Stop,
) -> anyhow::Result<Option<S>>
where
    F: Future<Output = Result<S, StoreError>>,
{
    let [mut delay, max_delay] = STORE_RETRY_DELAYS;
    loop {
        let open = tokio::select! {
            opened = open() => opened,
            () = stop.reached(StopLevel::Drain) => return Ok(None),
        };
        match open {
            Ok(store) => return Ok(Some(store)),
            Err(error) if error.retryable() => {
                failed.notify_one();
                let addr = addr.map(tracing::field::display);
                tracing::warn!(%error, addr, "store unavailable, retrying");
            }
            Err(error) => bail!("cannot open the store: {error}"),
        }
        let stopped = stop.reached(StopLevel::Drain);
        if tokio::time::timeout(delay, stopped).await.is_ok() {
            return Ok(None);
        }
        delay = (delay * 2).min(max_delay);
    }
}
