//! How a store is opened: migrations under a lock, and connections that outlive the server's restarts.

use std::str::FromStr;
use std::time::Duration;

use sqlx::Connection;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use store::{HostDefaults, StoreError};

use crate::PostgresStore;
use crate::fault::fault;
use crate::numbers::to_millis;

/// A connection that does not answer so soon is half open: whoever forwards for it forgot it.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

/// How long a database may take to answer at the start, each time.
const FIRST_ANSWER: Duration = Duration::from_secs(5);

static MIGRATOR: Migrator = sqlx::migrate!();

/// How to open a store.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// Connections at most.
    pub connections: u32,
    /// What holds for a host that says nothing else.
    pub hosts: HostDefaults,
    /// `hosts.interval` holds for every host, whatever its robots.txt asked for before.
    pub fixed_interval: bool,
    /// A task that ended its worker so often is failed as poisoned.
    pub most_crashes: u32,
    /// How long a call waits for a free connection before it is `Unavailable`.
    pub patience: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            connections: 8,
            hosts: HostDefaults::default(),
            fixed_interval: false,
            most_crashes: 3,
            patience: Duration::from_secs(10),
        }
    }
}

impl PostgresOptions {
    /// Least time between two requests to a host whose robots.txt asked for this many milliseconds.
    pub(crate) fn interval(&self, asked: i64) -> i64 {
        let asked = if self.fixed_interval { 0 } else { asked };
        asked.max(to_millis(self.hosts.interval))
    }
}

/// Whether a connection answers. sqlx's own test, which this replaces, waits for ever: a call that was given up would keep
/// its connection's place in the pool, and a pool of half-open connections would never dial again.
async fn lives(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    tokio::time::timeout(ANSWERS_WITHIN, connection.ping())
        .await
        .unwrap_or(Err(sqlx::Error::PoolTimedOut))
        .map(|()| true)
}

impl PostgresStore {
    /// Connects and brings the schema up to date; several processes may do so at once, one by one they find it done.
    pub async fn open(url: &str, options: PostgresOptions) -> Result<Self, StoreError> {
        let connect = PgConnectOptions::from_str(url)
            .map_err(|error| StoreError::Refused(format!("DATABASE_URL: {error}")))?
            .application_name("crawler")
            // A half-dead connection, a forgotten transaction, a query gone wrong: each ends by itself.
            .options([
                ("statement_timeout", "30s"),
                ("lock_timeout", "10s"),
                ("idle_in_transaction_session_timeout", "30s"),
                ("tcp_keepalives_idle", "30"),
                ("tcp_keepalives_interval", "10"),
                ("tcp_keepalives_count", "3"),
                // Every statement here has its index, and plans are kept: one made while the tables were small, or
                // by statistics of yesterday, must not read a million rows tomorrow.
                ("enable_seqscan", "off"),
                // A plan that had no choice but a scan is priced out of proportion, which is no reason to compile it.
                ("jit", "off"),
            ]);
        // By itself first: a pool tries again in silence until its patience ends, and does not say why.
        let first = PgConnection::connect_with(&connect);
        let first = tokio::time::timeout(FIRST_ANSWER, first).await;
        let first = first.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        // Fails only on a connection that is already dead.
        let _ = first.map_err(fault)?.close().await;
        let pool = PgPoolOptions::new()
            .max_connections(options.connections)
            .acquire_timeout(options.patience)
            .idle_timeout(Duration::from_mins(10))
            .max_lifetime(Duration::from_hours(1))
            .test_before_acquire(false)
            .before_acquire(|connection, _| Box::pin(lives(connection)))
            .after_release(|connection, _| Box::pin(lives(connection)))
            .connect_with(connect)
            .await
            .map_err(fault)?;
        MIGRATOR.run(&pool).await.map_err(|error| match error {
            sqlx::migrate::MigrateError::Execute(error)
            | sqlx::migrate::MigrateError::ExecuteMigration(error, _) => fault(error),
            other => StoreError::Refused(format!("the schema: {other}")),
        })?;
        Ok(Self::new(pool, options))
    }
}
