//! The state file of a crawl: a SQLite database with one owner.
//!
//! One row per mark (its events, compressed, with a checksum) and the length of each output, written in one
//! transaction. The file is locked while it is open; the lock ends with the process, however that ends.

mod header;
mod packed;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteLockingMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, Row, SqliteConnection};

use crate::state_error::StateProblem;
use crate::{RecordedSetting, StateError};

/// Version of the event encoding. Raised whenever an older or newer program would read it differently.
const FORMAT: i64 = 6;
/// How long to wait for another process to release the file.
const BUSY_TIMEOUT: Duration = Duration::from_millis(200);

const SCHEMA: &str = "
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE setting (number INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL) STRICT;
    CREATE TABLE batch (number INTEGER PRIMARY KEY, events BLOB NOT NULL) STRICT;
    CREATE TABLE output (number INTEGER PRIMARY KEY, length INTEGER NOT NULL) STRICT;
";

/// Values that stay the same when a crawl is resumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateHeader {
    /// The program's version.
    pub version: String,
    /// Seed of the crawl's random numbers and URL keys.
    pub rng_seed: u64,
    /// When it began, in milliseconds since 1970.
    pub started: u64,
    /// The configuration in one line, as it was when it began.
    pub config_line: String,
}

/// A crawl found in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedCrawl {
    /// Its header.
    pub about: StateHeader,
    /// Its settings.
    pub settings: Vec<RecordedSetting>,
    /// Bytes written to each output.
    pub lengths: Vec<u64>,
    /// The exit code of a crawl that has finished.
    pub finished: Option<u8>,
}

/// An open state file, locked by this process.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
    connection: SqliteConnection,
}

impl StateFile {
    /// Opens the file of a crawl. `None` if no crawl is stored, and then nothing is created. A file of another kind is not
    /// touched.
    pub async fn open(path: &Path) -> Result<Option<(Self, SavedCrawl)>, StateError> {
        if !header::is_state_file(path)? {
            return Ok(None);
        }
        let mut file = Self::lock(path).await?;
        file.check_format().await?;
        file.run("PRAGMA journal_mode = WAL").await?;
        let saved = file.read().await?;
        Ok(Some((file, saved)))
    }

    /// Creates an empty file, or opens one without a crawl.
    pub async fn create(path: &Path) -> Result<Self, StateError> {
        create_private(path);
        let mut file = Self::lock(path).await?;
        // Another process may have begun a crawl since the file was looked for. Asked of the database, because closing
        // another handle to the file would give up its lock.
        if file.pragma("PRAGMA application_id").await? != 0 {
            return Err(StateError::new(path, StateProblem::InUse));
        }
        Ok(file)
    }

    async fn lock(path: &Path) -> Result<Self, StateError> {
        let connection = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .locking_mode(SqliteLockingMode::Exclusive)
            // Committed marks survive a power failure.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT)
            .disable_statement_logging()
            .connect()
            .await
            .map_err(|error| StateError::of_database(path, &error))?;
        let mut file = Self {
            path: path.to_owned(),
            connection,
        };
        // The lock remains. Rolled back, because a commit would turn an empty file into a database of unknown kind.
        file.run("BEGIN EXCLUSIVE").await?;
        file.run("ROLLBACK").await?;
        Ok(file)
    }

    /// Initializes the file for a new crawl.
    pub async fn begin(
        &mut self,
        about: &StateHeader,
        settings: &[RecordedSetting],
    ) -> Result<(), StateError> {
        // Committed before WAL mode, so that the main file has the header by which it is recognized.
        self.run("BEGIN EXCLUSIVE").await?;
        self.run(header::APPLICATION_ID_PRAGMA).await?;
        let format = sqlx::AssertSqlSafe(format!("PRAGMA user_version = {FORMAT}"));
        self.run(format).await?;
        self.run(SCHEMA).await?;
        for (name, value) in [
            ("version", about.version.clone()),
            ("chance", about.rng_seed.to_string()),
            ("started", about.started.to_string()),
            ("config_line", about.config_line.clone()),
        ] {
            self.set_about(name, value).await?;
        }
        for setting in settings {
            let insert = sqlx::query("INSERT INTO setting (name, value) VALUES (?, ?)")
                .bind(setting.name.clone())
                .bind(setting.value.clone())
                .execute(&mut self.connection)
                .await;
            insert.map_err(|error| self.error(&error))?;
        }
        self.run("COMMIT").await?;
        self.run("PRAGMA journal_mode = WAL").await
    }

    /// The number and events of the mark after `number`; the first mark is 1.
    pub async fn batch_after(&mut self, number: i64) -> Result<Option<(i64, Vec<u8>)>, StateError> {
        let row = sqlx::query(
            "SELECT number, events FROM batch WHERE number > ? ORDER BY number LIMIT 1",
        )
        .bind(number)
        .fetch_optional(&mut self.connection)
        .await
        .map_err(|error| self.error(&error))?;
        let Some(row) = row else { return Ok(None) };
        let found: i64 = row.try_get(0).map_err(|error| self.error(&error))?;
        let events: Vec<u8> = row.try_get(1).map_err(|error| self.error(&error))?;
        if found != number + 1 {
            return Err(StateError::damaged(&self.path, "a part is missing"));
        }
        let events = packed::unpack(&events);
        let events = events.map_err(|error| StateError::damaged(&self.path, error.to_string()))?;
        Ok(Some((found, events)))
    }

    /// Stores events and the lengths of the outputs, both or neither.
    pub async fn commit(&mut self, events: &[u8], lengths: &[u64]) -> Result<(), StateError> {
        let packed = packed::pack(events).map_err(|error| {
            StateError::new(&self.path, StateProblem::Unusable(error.to_string()))
        })?;
        let stored = self.store(Some(packed), None, lengths).await;
        stored.map_err(|error| self.error(&error))
    }

    /// Records that the crawl has finished, with this exit code and complete outputs.
    pub async fn finish(&mut self, code: u8, lengths: &[u64]) -> Result<(), StateError> {
        let stored = self.store(None, Some(code), lengths).await;
        stored.map_err(|error| self.error(&error))
    }

    /// Closes the file. Committed data does not depend on it.
    pub async fn close(self) -> Result<(), StateError> {
        let closed = self.connection.close().await;
        closed.map_err(|error| StateError::of_database(&self.path, &error))
    }

    /// An error for a file whose events cannot be replayed.
    pub fn damaged(&self, message: impl Into<String>) -> StateError {
        StateError::damaged(&self.path, message)
    }

    async fn store(
        &mut self,
        events: Option<Vec<u8>>,
        finished: Option<u8>,
        lengths: &[u64],
    ) -> Result<(), sqlx::Error> {
        let mut transaction = self.connection.begin().await?;
        if let Some(events) = events {
            sqlx::query("INSERT INTO batch (events) VALUES (?)")
                .bind(events)
                .execute(&mut *transaction)
                .await?;
        }
        if let Some(code) = finished {
            sqlx::query("INSERT OR REPLACE INTO about (name, value) VALUES ('finished', ?)")
                .bind(code.to_string())
                .execute(&mut *transaction)
                .await?;
        }
        for (number, length) in (0_i64..).zip(lengths) {
            sqlx::query("INSERT OR REPLACE INTO output (number, length) VALUES (?, ?)")
                .bind(number)
                .bind(i64::try_from(*length).unwrap_or(i64::MAX))
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await
    }

    async fn check_format(&mut self) -> Result<(), StateError> {
        let format = self.pragma("PRAGMA user_version").await?;
        if format == FORMAT {
            return Ok(());
        }
        let problem = StateProblem::Other {
            was: format!("a crawler with state format {format}"),
            is: format!("one with format {FORMAT}"),
        };
        Err(StateError::new(&self.path, problem))
    }

    async fn read(&mut self) -> Result<SavedCrawl, StateError> {
        let about: Vec<(String, String)> = self.pairs("SELECT name, value FROM about").await?;
        let settings = self
            .pairs("SELECT name, value FROM setting ORDER BY number")
            .await?;
        let lengths: Vec<i64> = sqlx::query_scalar("SELECT length FROM output ORDER BY number")
            .fetch_all(&mut self.connection)
            .await
            .map_err(|error| self.error(&error))?;
        let value = |name: &str| {
            let found = about.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.clone())
        };
        let missing = |name: &str| StateError::damaged(&self.path, format!("no {name}"));
        let number = |name: &str| {
            let number = value(name).and_then(|value| value.parse().ok());
            number.ok_or_else(|| missing(name))
        };
        Ok(SavedCrawl {
            about: StateHeader {
                version: value("version").ok_or_else(|| missing("version"))?,
                rng_seed: number("chance")?,
                started: number("started")?,
                config_line: value("config_line").ok_or_else(|| missing("config_line"))?,
            },
            settings: settings
                .into_iter()
                .map(|(name, value)| RecordedSetting { name, value })
                .collect(),
            lengths: lengths
                .into_iter()
                .map(|length| u64::try_from(length).unwrap_or(0))
                .collect(),
            finished: value("finished").and_then(|code| code.parse().ok()),
        })
    }

    async fn pairs(&mut self, sql: &'static str) -> Result<Vec<(String, String)>, StateError> {
        let pairs = sqlx::query_as(sql).fetch_all(&mut self.connection).await;
        pairs.map_err(|error| self.error(&error))
    }

    async fn set_about(&mut self, name: &'static str, value: String) -> Result<(), StateError> {
        let set = sqlx::query("INSERT INTO about (name, value) VALUES (?, ?)")
            .bind(name)
            .bind(value)
            .execute(&mut self.connection)
            .await;
        set.map(|_| ()).map_err(|error| self.error(&error))
    }

    async fn pragma(&mut self, sql: &'static str) -> Result<i64, StateError> {
        let value = sqlx::query_scalar(sql).fetch_one(&mut self.connection);
        value.await.map_err(|error| self.error(&error))
    }

    async fn run(&mut self, sql: impl sqlx::SqlSafeStr) -> Result<(), StateError> {
        let run = sqlx::raw_sql(sql).execute(&mut self.connection).await;
        run.map(|_| ()).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &sqlx::Error) -> StateError {
        StateError::of_database(&self.path, error)
    }
}

/// Creates the file readable by its owner only: a crawl's URLs may contain secrets. SQLite gives the files beside it the same
/// mode.
fn create_private(path: &Path) {
    let mut file = std::fs::File::options();
    file.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
    // An existing file keeps its mode; if the file cannot be created, opening it will report that.
    let _ = file.open(path);
}
