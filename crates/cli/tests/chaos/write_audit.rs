//! Counts with triggers in the database what the API does not show: writes to results that were final, and how long it took
//! until tasks of a worker that was gone were returned to the queue.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection};
use testsite::{Request, Server, SiteResponse};

use crate::deployment::Deployment;
use crate::drain::{create_job, wait_for_end};
use crate::harness::service::Service;
use crate::harness::wait::TIMEOUT;
use crate::{process, rounds};

const POSTGRES_TRIGGERS: &str = "
    CREATE TABLE stale_writes (id bigint);
    CREATE FUNCTION count_stale_write() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN INSERT INTO stale_writes VALUES (OLD.id); RETURN NULL; END $$;
    CREATE TRIGGER final_task AFTER UPDATE ON crawl_tasks
        FOR EACH ROW WHEN (OLD.sequence IS NOT NULL) EXECUTE FUNCTION count_stale_write();
    CREATE TRIGGER stored_document AFTER UPDATE ON documents
        FOR EACH ROW EXECUTE FUNCTION count_stale_write();
    CREATE TABLE takeovers (milliseconds bigint);
    CREATE FUNCTION measure_takeover() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN
            INSERT INTO takeovers VALUES (1000 * extract(epoch FROM clock_timestamp() - OLD.heartbeat_at));
            RETURN NULL;
        END $$;
    CREATE TRIGGER rescued_task AFTER UPDATE ON crawl_tasks
        FOR EACH ROW WHEN (OLD.status = 'processing' AND NEW.status = 'queued' AND NEW.fence > OLD.fence)
        EXECUTE FUNCTION measure_takeover();";
const SQLITE_TRIGGERS: &str = "
    CREATE TABLE stale_writes (id INTEGER);
    CREATE TRIGGER final_task AFTER UPDATE ON crawl_tasks WHEN OLD.sequence IS NOT NULL
        BEGIN INSERT INTO stale_writes VALUES (OLD.id); END;
    CREATE TRIGGER stored_document AFTER UPDATE ON documents
        BEGIN INSERT INTO stale_writes VALUES (OLD.id); END;
    CREATE TABLE takeovers (milliseconds INTEGER);
    CREATE TRIGGER rescued_task AFTER UPDATE ON crawl_tasks
        WHEN OLD.status = 'processing' AND NEW.status = 'queued' AND NEW.fence > OLD.fence
        BEGIN
            INSERT INTO takeovers VALUES (CAST(1000 * unixepoch('subsec') AS INTEGER) - OLD.heartbeat_at);
        END;";

/// A database with these triggers.
pub(crate) enum WriteAudit {
    /// At a URL.
    Postgres(String),
    Sqlite(PathBuf),
}

impl WriteAudit {
    /// Creates the triggers. A process of the service must have created the tables.
    pub(crate) fn install(self) -> Self {
        self.execute(match self {
            Self::Postgres(_) => POSTGRES_TRIGGERS,
            Self::Sqlite(_) => SQLITE_TRIGGERS,
        });
        self
    }

    /// Writes so far to tasks and documents that were final.
    pub(crate) fn stale_writes(&self) -> u64 {
        let count = self.number("SELECT count(*) FROM stale_writes");
        count.try_into().unwrap()
    }

    /// Longest time so far from a worker's last sign of life to the return of its task to the queue.
    pub(crate) fn slowest_takeover(&self) -> Duration {
        let slowest = self.number("SELECT coalesce(max(milliseconds), 0) FROM takeovers");
        Duration::from_millis(slowest.try_into().unwrap())
    }

    fn execute(&self, sql: &'static str) {
        block_on(async {
            match self {
                Self::Postgres(url) => {
                    let mut database = PgConnection::connect(url).await.unwrap();
                    database.execute(AssertSqlSafe(sql)).await.unwrap();
                }
                Self::Sqlite(file) => {
                    let mut database = open(file).connect().await.unwrap();
                    database.execute(AssertSqlSafe(sql)).await.unwrap();
                    database.close().await.unwrap();
                }
            }
        });
    }

    /// Result of a query for one number.
    fn number(&self, sql: &'static str) -> i64 {
        block_on(async {
            match self {
                Self::Postgres(url) => {
                    let mut database = PgConnection::connect(url).await.unwrap();
                    let number = sqlx::query_scalar(sql).fetch_one(&mut database);
                    number.await.unwrap()
                }
                Self::Sqlite(file) => {
                    let mut database = open(file).connect().await.unwrap();
                    let number = sqlx::query_scalar(sql).fetch_one(&mut database);
                    let number = number.await.unwrap();
                    database.close().await.unwrap();
                    number
                }
            }
        })
    }
}

fn open(file: &PathBuf) -> SqliteConnectOptions {
    // A process of the service may be writing.
    SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(TIMEOUT)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(future)
}

/// Runs a job of one page, and then changes its task and its document behind the service's back.
fn assert_counted(api: &Service, audit: &WriteAudit) {
    let server = Server::start(|_: &Request| SiteResponse::html("<title>Page</title><p>words"));
    let body = json!({ "urls": [server.url("/page")] });
    let job = create_job(api, "/v1/batch/scrape", &body);
    let finished = wait_for_end(api, &job);
    assert_eq!(finished["documents"], 1, "{finished}");
    assert_eq!(audit.stale_writes(), 0, "the first write is not counted");
    audit.execute("UPDATE crawl_tasks SET updated_at = updated_at");
    assert_eq!(audit.stale_writes(), 1);
    audit.execute("UPDATE documents SET updated_at = updated_at");
    assert_eq!(audit.stale_writes(), 2);
}

#[test]
fn writes_to_final_results_are_counted_on_both_stores() {
    let deployment = Deployment::start(rounds::CONFIG, 1);
    let audit = WriteAudit::Postgres(deployment.cluster.url()).install();
    assert_counted(&deployment.api, &audit);

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), rounds::CONFIG).unwrap();
    let process = process::start_ready(folder.path(), "all", None);
    let audit = WriteAudit::Sqlite(folder.path().join("crawler.db")).install();
    assert_counted(&process, &audit);
}
