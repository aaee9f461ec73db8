//! Measures how long claims and settlements take with a long queue; run by hand, because it takes a minute.
//!
//! ```sh
//! cargo run --release -p crawler-store-sqlite --example long_queue -- FILE 1000000 1000000 1000
//! ```
//!
//! The arguments are a file that does not exist, the numbers of queued and of finished tasks, and the number of jobs, at least 1,000.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use crawler_store::testing::fast;
use crawler_store::testing::long_queue::{JOBS, OWNERS, claim_and_settle, create_jobs};
use crawler_store_sqlite::{SqliteOptions, SqliteStore};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, tasks, finished, jobs] = &arguments[..] else {
        return Err("the arguments are FILE, QUEUED, FINISHED and JOBS".into());
    };
    let (path, tasks, finished): (_, u32, u32) =
        (Path::new(path), tasks.parse()?, finished.parse()?);
    let jobs: usize = jobs.parse()?;
    let options = || SqliteOptions {
        limits: fast().into(),
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open(path, options()).await?;
    create_jobs(&store).await?;
    store.close().await;
    let started = Instant::now();
    // Each job has twenty hosts, and each host about ten jobs.
    let sql = format!(
        "WITH RECURSIVE copies (n) AS (SELECT {JOBS} UNION ALL SELECT n + 1 FROM copies WHERE n < {jobs} - 1)
         INSERT INTO jobs (id, status, type, params, owner, priority, created_at, updated_at)
         SELECT printf('01900000-0000-7000-8000-%012x', n), 'running', 'crawl', '{{}}', 'owner' || n % {OWNERS}, 5, 1, 1
         FROM copies WHERE {jobs} > {JOBS};
         CREATE TEMP TABLE places AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM jobs;
         CREATE UNIQUE INDEX temp.places_index ON places (place);
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {finished} + {tasks}),
              made AS (SELECT n, 'host' || (n / {jobs} % 20 * 97 + n % {jobs} * 13) % 2000 || '.test' AS h FROM numbers)
         INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, found, status, sequence,
                                  not_before, created_at, updated_at)
         SELECT j.id, 'https://' || h || '/a/page/' || n, 'https://' || h || '/a/page/' || n,
                'https://' || h || '/a/page/' || n, h, 1, 'link', iif(n <= {finished}, 'done', 'queued'),
                iif(n <= {finished}, n, NULL), 1, 1, 1
         FROM made CROSS JOIN temp.places j WHERE j.place = n % {jobs};
         INSERT INTO job_hosts (job_id, host_key, not_before)
         SELECT DISTINCT job_id, host_key, 1 FROM crawl_tasks WHERE status = 'queued' ON CONFLICT DO NOTHING;
         INSERT INTO hosts (host_key) SELECT DISTINCT host_key FROM job_hosts WHERE true ON CONFLICT DO NOTHING;
         UPDATE jobs SET sequence = {finished}"
    );
    let mut db = SqliteConnectOptions::new().filename(path).connect().await?;
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut db).await?;
    db.close().await?;
    let mut out = std::io::stdout();
    writeln!(
        out,
        "{tasks} queued and {finished} finished tasks inserted in {:.1?}",
        started.elapsed()
    )?;
    let store = SqliteStore::open(path, options()).await?;
    write!(out, "{}", claim_and_settle(&store).await?)?;
    store.close().await;
    Ok(())
}
