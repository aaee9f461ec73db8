//! The service in a build without the feature `postgres`: DATABASE_URL is refused.

use anyhow::bail;
use crawler_engine::Stop;
use crawler_service::config::Config;
use crawler_store::StoreLimits;
use crawler_store_sqlite::SqliteStore;
use tokio::net::TcpListener;

use crate::serve_args::{KeysCommand, ModeChoice};

const NOT_BUILT: &str = "store.database_url: this build does not support Postgres; rebuild with --features postgres, \
    or remove the setting (DATABASE_URL) to use SQLite";

/// The store of the service.
pub(crate) type AnyStore = SqliteStore;

/// The SQLite store as the store of the service.
pub(crate) fn sqlite(store: SqliteStore) -> AnyStore {
    store
}

/// Fails: this build does not support Postgres.
#[expect(
    clippy::unused_async,
    reason = "same signature as with the feature `postgres`"
)]
pub(crate) async fn serve(
    _url: &str,
    _limits: StoreLimits,
    _config: Config,
    _mode: ModeChoice,
    _listener: Option<TcpListener>,
    _stop: &Stop,
) -> anyhow::Result<()> {
    bail!(NOT_BUILT)
}

/// Fails: this build does not support Postgres.
#[expect(
    clippy::unused_async,
    reason = "same signature as with the feature `postgres`"
)]
pub(crate) async fn keys(_url: &str, _command: &KeysCommand) -> anyhow::Result<String> {
    bail!(NOT_BUILT)
}
