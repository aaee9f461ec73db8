//! Opening a store: migrations under a lock, and connections that survive restarts of the server.

use std::io::ErrorKind;
use std::str::FromStr;
use std::time::Duration;

use crawler_store::{StoreError, StoreLimits};
use sqlx::Connection;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions, PgSslMode};

use crate::PostgresStore;
use crate::fault::fault;

/// A connection that does not answer a ping within this time is half open: a proxy has dropped it.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the first connection may take.
const FIRST_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

static MIGRATOR: Migrator = sqlx::migrate!();

/// How to open a store.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// Maximum number of connections.
    pub connections: u32,
    /// Limits of hosts and tasks.
    pub limits: StoreLimits,
    /// How long a call waits for a free connection before it is `Unavailable`.
    pub acquire_timeout: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            connections: 8,
            limits: StoreLimits::default(),
            acquire_timeout: Duration::from_secs(10),
        }
    }
}

/// Whether a connection answers. sqlx's own test, which this replaces, has no timeout: an abandoned call would occupy its
/// connection's place in the pool, and a pool of half-open connections would never reconnect.
async fn is_alive(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    tokio::time::timeout(PING_TIMEOUT, connection.ping())
        .await
        .unwrap_or(Err(sqlx::Error::PoolTimedOut))
        .map(|()| true)
}

impl PostgresStore {
    /// Connects and migrates the schema. Several processes may do so at the same time.
    pub async fn open(url: &str, options: PostgresOptions) -> Result<Self, StoreError> {
        let connect = PgConnectOptions::from_str(url)
            .map_err(|error| StoreError::Refused(format!("DATABASE_URL: {error}")))?
            .application_name("crawler")
            // Half-open connections, abandoned transactions and runaway queries end by themselves.
            .options([
                ("statement_timeout", "30s"),
                ("lock_timeout", "10s"),
                ("idle_in_transaction_session_timeout", "30s"),
                ("tcp_keepalives_idle", "30"),
                ("tcp_keepalives_interval", "10"),
                ("tcp_keepalives_count", "3"),
                // Every statement has its index, and plans are cached: one made while the tables were small, or from
                // old statistics, must not scan a million rows later.
                ("enable_seqscan", "off"),
                // A plan that has to scan gets an inflated cost, which must not trigger JIT compilation.
                ("jit", "off"),
            ]);
        // One connection first: a pool retries silently until its timeout and does not say why.
        let first = PgConnection::connect_with(&connect);
        let first = tokio::time::timeout(FIRST_CONNECT_TIMEOUT, first).await;
        let first = first.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        // Closing fails only on a connection that is already dead.
        let first =
            first.map_err(|error| tls_problem(&error, &connect).unwrap_or_else(|| fault(error)));
        let _ = first?.close().await;
        migrate(connect.clone()).await?;
        let pool = PgPoolOptions::new()
            .max_connections(options.connections)
            .acquire_timeout(options.acquire_timeout)
            .idle_timeout(Duration::from_mins(10))
            .max_lifetime(Duration::from_hours(1))
            .test_before_acquire(false)
            .before_acquire(|connection, _| Box::pin(is_alive(connection)))
            .after_release(|connection, _| Box::pin(is_alive(connection)))
            .connect_with(connect)
            .await
            .map_err(fault)?;
        Ok(Self::new(pool, options))
    }
}

/// Explains an error of TLS, which another attempt does not solve.
fn tls_problem(error: &sqlx::Error, connect: &PgConnectOptions) -> Option<StoreError> {
    let mode = match connect.get_ssl_mode() {
        PgSslMode::Disable => "disable",
        PgSslMode::Allow => "allow",
        PgSslMode::Prefer => "prefer",
        PgSslMode::Require => "require",
        PgSslMode::VerifyCa => "verify-ca",
        PgSslMode::VerifyFull => "verify-full",
    };
    let text = error.to_string();
    let says = |cause: &str| text.contains(cause);
    let certificate = |problem: &str| {
        format!("DATABASE_URL has sslmode={mode}, and the certificate of the server {problem}")
    };
    let message = match error {
        sqlx::Error::Tls(_) if says("does not support TLS") => format!(
            "DATABASE_URL has sslmode={mode}, but the server does not offer TLS; enable it there, or use sslmode=prefer"
        ),
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) if says("invalid peer certificate") => {
            certificate(if says("UnknownIssuer") {
                "is not signed by a trusted authority; set sslrootcert to the certificate of its authority"
            } else if says("not valid for name") || says("NotValidForName") {
                "is not valid for the host name in DATABASE_URL; sslmode=verify-ca does not check the name"
            } else if says("xpired") {
                "has expired"
            } else {
                "is not valid"
            })
        }
        sqlx::Error::Tls(_) => {
            format!(
                "DATABASE_URL has sslmode={mode}, and TLS cannot be set up; check sslrootcert, sslcert and sslkey"
            )
        }
        // Connecting over TCP opens no other files.
        sqlx::Error::Io(error)
            if error.kind() == ErrorKind::NotFound
                && connect.get_socket().is_none()
                && !connect.get_host().starts_with('/') =>
        {
            format!(
                "DATABASE_URL has sslmode={mode}, and a file named by sslrootcert, sslcert or sslkey does not exist; TLS cannot be set up"
            )
        }
        _ => return None,
    };
    Some(StoreError::Refused(message))
}

/// Migrates the schema. A migration of a large table may take longer than any other statement may.
async fn migrate(connect: PgConnectOptions) -> Result<(), StoreError> {
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .connect_with(connect.options([("statement_timeout", "0")]))
        .await
        .map_err(fault)?;
    let migrated = MIGRATOR.run(&pool).await;
    pool.close().await;
    migrated.map_err(|error| match error {
        sqlx::migrate::MigrateError::Execute(error)
        | sqlx::migrate::MigrateError::ExecuteMigration(error, _) => fault(error),
        other => StoreError::Refused(format!("the schema: {other}")),
    })
}
