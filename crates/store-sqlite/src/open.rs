//! Opening a file: the version of SQLite, its settings, and migrations under the write lock.

use std::path::Path;
use std::time::{Duration, Instant};

use crawler_store::{StoreError, StoreLimits};
use sqlx::migrate::Migrator;
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, Connection, SqliteConnection, SqlitePool};

use crate::SqliteStore;
use crate::fault::{fault, is_busy};

static MIGRATOR: Migrator = sqlx::migrate!();

/// In older versions a WAL reset at the wrong moment may corrupt the file.
const MIN_VERSION: (u32, u32, u32) = (3, 51, 3);

/// How long to wait before a busy file is tried again.
const BUSY_RETRY: Duration = Duration::from_millis(10);

/// How much of the file is mapped into memory at most. Address space, not memory.
const MAPPED_BYTES: u64 = 4 << 30;
/// Pages in the write-ahead log before they are moved to the file. With 1,000, the default, a page that several settlements in
/// a row change is moved for nearly each of them; with many more, the write that moves them would take too long.
const CHECKPOINT_PAGES: u32 = 3_000;
/// Rows that a query may be ahead of its reader, which runs on another thread.
const ROW_BUFFER: usize = 1_024;

/// How to open a store.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// Number of connections that read.
    pub readers: u32,
    /// Limits of hosts and tasks.
    pub limits: StoreLimits,
    /// How long a call waits for its connection, or for another process, before it is `Unavailable`.
    pub acquire_timeout: Duration,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            readers: 4,
            limits: StoreLimits::default(),
            acquire_timeout: Duration::from_secs(10),
        }
    }
}

impl SqliteStore {
    /// Opens or creates the file and migrates its schema. Several processes may do so at the same time.
    pub async fn open(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let connect = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            // Lets a new file return the space of deleted rows to the file system.
            .auto_vacuum(SqliteAutoVacuum::Incremental)
            .journal_mode(SqliteJournalMode::Wal)
            // Committed changes survive a power failure.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(options.acquire_timeout)
            .foreign_keys(true)
            // A claim reads pages all over the file: mapped, they cost neither a system call nor a copy.
            .pragma("mmap_size", MAPPED_BYTES.to_string())
            .pragma("wal_autocheckpoint", CHECKPOINT_PAGES.to_string())
            .row_buffer_size(ROW_BUFFER);
        create_private(path);
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(options.acquire_timeout)
            .idle_timeout(None)
            .max_lifetime(None)
            .after_release(|connection, _| Box::pin(has_ended_its_transaction(connection)));
        let writer = open_pool(&writer, &connect, options.acquire_timeout).await?;
        check_version(&writer).await?;
        migrate(&writer).await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(options.readers.max(1))
            .acquire_timeout(options.acquire_timeout)
            .connect_with(connect.create_if_missing(false).pragma("query_only", "on"))
            .await
            .map_err(fault)?;
        Ok(Self::new(path, writer, readers, options))
    }
}

/// Whether a connection can be used for another transaction; if not, the pool closes it and opens a new one. SQLite itself
/// rolls a transaction back when the disk is full or cannot be written. The ROLLBACK that follows then fails, and sqlx
/// counts the transaction as open forever.
async fn has_ended_its_transaction(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // A transaction that was dropped is rolled back before the ping is answered.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Opens the file, retrying while it is busy: switching a new file to WAL ignores the busy timeout, so it fails if another
/// process does the same at that moment.
async fn open_pool(
    pool: &SqlitePoolOptions,
    connect: &SqliteConnectOptions,
    timeout: Duration,
) -> Result<SqlitePool, StoreError> {
    let until = Instant::now() + timeout;
    loop {
        match pool.clone().connect_with(connect.clone()).await {
            Err(error) if is_busy(&error) && Instant::now() < until => {
                tokio::time::sleep(BUSY_RETRY).await;
            }
            pool => return pool.map_err(fault),
        }
    }
}

/// Creates the file readable by its owner only: it holds scraped pages and the hashes of API keys. SQLite gives the files
/// beside it the same mode.
fn create_private(path: &Path) {
    let mut file = std::fs::File::options();
    file.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    // An existing file keeps its mode; if the file cannot be created, opening it will report that.
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
    if (next(), next(), next()) < MIN_VERSION {
        let (major, minor, patch) = MIN_VERSION;
        return Err(StoreError::Refused(format!(
            "SQLite {version} is too old: version {major}.{minor}.{patch} or newer is required"
        )));
    }
    Ok(())
}

/// Applies the missing migrations in one transaction that has the write lock from the start. sqlx's own migrator takes no
/// lock on SQLite, so two processes that start together would both apply them.
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
            "the schema of the file has version {applied}, but this program only knows versions up to {newest}: use a newer program"
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

#[cfg(test)]
mod tests {
    use crawler_store::testing::{crawl, pages};
    use crawler_store::{JobLimits, Jobs, StoreError, Upkeep};

    use super::*;

    /// SQLite reports a full file like a full disk, and rolls back by itself when the statement inserts one row.
    #[tokio::test]
    async fn the_store_works_again_after_the_disk_was_full() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = SqliteStore::open(&path, SqliteOptions::default())
            .await
            .unwrap();
        for _ in 0..5 {
            // The file cannot grow beyond its current size. The limit ends with the connection.
            sqlx::query("PRAGMA max_page_count = 1")
                .execute(&store.writer)
                .await
                .unwrap();
            let mut large = crawl(pages("a.test", 3), JobLimits::default());
            large.params = serde_json::Value::String("x".repeat(1 << 20));
            let refused = store.create_job(large.clone()).await;
            assert!(
                matches!(refused, Err(StoreError::Unavailable(_))),
                "{refused:?}"
            );
            store.create_job(large.clone()).await.unwrap();
            let seen = store
                .job(&crawler_store::Access::AllOwners, large.id)
                .await
                .unwrap()
                .unwrap();
            assert_eq!(seen.counts.queued, 3);
            store.ready().await.unwrap();
        }
    }
}
