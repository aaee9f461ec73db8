//! How a file is opened: which SQLite, which settings, and the schema brought up to date under the write lock.

use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, Connection, SqlitePool};
use store::{HostDefaults, StoreError};

use crate::SqliteStore;
use crate::fault::{fault, is_busy};
use crate::numbers::to_millis;

static MIGRATOR: Migrator = sqlx::migrate!();

/// Before this, a WAL that is reset at the wrong moment may damage the file.
const OLDEST: (u32, u32, u32) = (3, 51, 3);

/// Until a busy file is tried again.
const AGAIN: Duration = Duration::from_millis(10);

/// How to open a store.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// Connections that read.
    pub readers: u32,
    /// What holds for a host that says nothing else.
    pub hosts: HostDefaults,
    /// `hosts.interval` holds for every host, whatever its robots.txt asked for before.
    pub fixed_interval: bool,
    /// A task that ended its worker so often is failed as poisoned.
    pub most_crashes: u32,
    /// How long a call waits for another process, or its turn, before it is `Unavailable`.
    pub patience: Duration,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            readers: 4,
            hosts: HostDefaults::default(),
            fixed_interval: false,
            most_crashes: 3,
            patience: Duration::from_secs(10),
        }
    }
}

impl SqliteOptions {
    /// Least time between two requests to a host whose robots.txt asked for this many milliseconds.
    pub(crate) fn interval(&self, asked: i64) -> i64 {
        let asked = if self.fixed_interval { 0 } else { asked };
        asked.max(to_millis(self.hosts.interval))
    }
}

impl SqliteStore {
    /// Opens or makes the file, and brings its schema up to date; several processes may do so at once.
    pub async fn open(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let connect = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // What was acknowledged survives the power going out.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(options.patience)
            .foreign_keys(true);
        keep_private(path);
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(options.patience)
            .idle_timeout(None)
            .max_lifetime(None);
        let writer = opened(&writer, &connect, options.patience).await?;
        check_version(&writer).await?;
        migrate(&writer).await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(options.readers.max(1))
            .acquire_timeout(options.patience)
            .connect_with(connect.create_if_missing(false).pragma("query_only", "on"))
            .await
            .map_err(fault)?;
        Ok(Self::new(writer, readers, options))
    }
}

/// Turning a new file to its journal mode waits for nobody, whatever the patience: where others do the same at that moment, it
/// is asked for again.
async fn opened(
    pool: &SqlitePoolOptions,
    connect: &SqliteConnectOptions,
    patience: Duration,
) -> Result<SqlitePool, StoreError> {
    let until = Instant::now() + patience;
    loop {
        match pool.clone().connect_with(connect.clone()).await {
            Err(error) if is_busy(&error) && Instant::now() < until => {
                tokio::time::sleep(AGAIN).await;
            }
            pool => return pool.map_err(fault),
        }
    }
}

/// A new file is its owner's alone: it holds what was scraped and the keys' hashes. What SQLite puts beside it follows.
fn keep_private(path: &Path) {
    let mut file = std::fs::File::options();
    file.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    // One that is there stays as it is; one that cannot be made is told of when it is opened.
    let _ = file.open(path);
}

async fn check_version(writer: &SqlitePool) -> Result<(), StoreError> {
    let version = sqlx::query_scalar!(r#"SELECT sqlite_version() AS "version!: String""#)
        .fetch_one(writer)
        .await
        .map_err(fault)?;
    let mut numbers = version
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    if (next(), next(), next()) < OLDEST {
        let (major, minor, patch) = OLDEST;
        return Err(StoreError::Refused(format!(
            "SQLite {version} is too old: {major}.{minor}.{patch} is needed"
        )));
    }
    Ok(())
}

/// Applies what is missing in one transaction that has the write lock from its begin. sqlx's own way takes no lock on
/// SQLite, and two processes that start together would both apply.
async fn migrate(writer: &SqlitePool) -> Result<(), StoreError> {
    let mut connection = writer.acquire().await.map_err(fault)?;
    let mut db = connection
        .begin_with("BEGIN IMMEDIATE")
        .await
        .map_err(fault)?;
    let applied = sqlx::query_scalar::<_, i64>("PRAGMA user_version")
        .fetch_one(&mut *db)
        .await
        .map_err(fault)?;
    let newest = MIGRATOR
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or(0);
    if applied > newest {
        return Err(StoreError::Refused(format!(
            "the file's schema has version {applied} and this program knows {newest}: use a newer one"
        )));
    }
    for migration in MIGRATOR
        .iter()
        .filter(|migration| migration.version > applied)
    {
        sqlx::raw_sql(migration.sql.clone())
            .execute(&mut *db)
            .await
            .map_err(fault)?;
        let sql = AssertSqlSafe(format!("PRAGMA user_version = {}", migration.version));
        sqlx::raw_sql(sql).execute(&mut *db).await.map_err(fault)?;
    }
    db.commit().await.map_err(fault)
}
