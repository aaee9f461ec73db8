//! Measures how long claims and settlements take with a long queue; run by hand, because it takes a minute.
//!
//! ```sh
//! TEST_DATABASE_URL=postgres://… cargo run --release -p crawler-store-postgres --example long_queue -- 1000000 1000000
//! ```
//!
//! The arguments are the numbers of queued and of finished tasks. It creates its own database in that cluster and drops it.

use std::io::Write;
use std::time::{Duration, Instant};

use crawler_store::testing::{crawl, done, fast, page, pages};
use crawler_store::{JobLimits, JobQueue, Jobs, Settlement, WorkerId};
use crawler_store_postgres::{PostgresOptions, PostgresStore};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

const LEASE: Duration = Duration::from_secs(30);
const ROUNDS: usize = 200;

type Failure = Box<dyn std::error::Error>;

/// Median, 95th percentile, and maximum.
fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    format!(
        "median {:.1?}, 95% {:.1?}, worst {:.1?}",
        at(50),
        at(95),
        at(100)
    )
}

async fn measure(
    url: &str,
    (tasks, finished): (u32, u32),
    out: &mut impl Write,
) -> Result<(), Failure> {
    let options = PostgresOptions {
        limits: fast().into(),
        ..PostgresOptions::default()
    };
    let store = PostgresStore::open(url, options).await?;
    let job = crawl(pages("a.test", 1), JobLimits::default());
    store.create_job(job.clone()).await?;
    let mut db = PgConnection::connect(url).await?;
    let started = Instant::now();
    let sql = format!(
        "INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, found, status, sequence)
         SELECT '{job}', u, u, u, 'host' || n % 2000 || '.test', 1, 'link',
                CASE WHEN n <= {finished} THEN 'done' ELSE 'queued' END, CASE WHEN n <= {finished} THEN n END
         FROM (SELECT n, 'https://host' || n % 2000 || '.test/a/page/' || n AS u
               FROM generate_series(1, {finished} + {tasks}) n) m;
         INSERT INTO hosts (host_key) SELECT DISTINCT host_key FROM crawl_tasks ON CONFLICT DO NOTHING;
         UPDATE jobs SET sequence = {finished} WHERE id = '{job}';
         ANALYZE",
        job = job.id
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut db).await?;
    writeln!(
        out,
        "{tasks} queued and {finished} finished tasks inserted in {:.1?}",
        started.elapsed()
    )?;
    let worker = WorkerId::fresh();
    let (mut claims, mut settlements) = (Vec::new(), Vec::new());
    let total = Instant::now();
    for round in 0..ROUNDS {
        let started = Instant::now();
        let tasks = store.claim(&worker, 50, LEASE).await?;
        claims.push(started.elapsed());
        assert_eq!(tasks.len(), 50, "a full claim");
        let batch: Vec<Settlement> = tasks
            .iter()
            .enumerate()
            .map(|(index, task)| {
                let found =
                    (0..10).map(|link| page("new.test", &format!("{round}/{index}/{link}"), 2));
                done(task, found.collect())
            })
            .collect();
        let started = Instant::now();
        store.settle(batch).await?;
        settlements.push(started.elapsed());
    }
    let pages = (ROUNDS * 50) as f64 / total.elapsed().as_secs_f64();
    writeln!(out, "claim of 50: {}", percentiles(claims))?;
    writeln!(
        out,
        "settlement of 50 with 500 new links: {}",
        percentiles(settlements)
    )?;
    writeln!(out, "one connection: {pages:.0} pages/s")?;
    let plan = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) SELECT id FROM crawl_tasks
                WHERE host_key = 'host7.test' AND status = 'queued' AND NOT gated AND not_before <= now()
                ORDER BY not_before, id LIMIT 2 FOR NO KEY UPDATE SKIP LOCKED";
    for row in sqlx::query(plan).fetch_all(&mut db).await? {
        writeln!(out, "  {}", row.get::<String, _>(0))?;
    }
    store.close().await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let cluster =
        std::env::var("TEST_DATABASE_URL").map_err(|_| "set TEST_DATABASE_URL to a cluster")?;
    let number = |index| {
        std::env::args()
            .nth(index)
            .map_or(Ok(1_000_000), |argument| argument.parse())
    };
    let rows = (number(1)?, number(2)?);
    let name = "crawler_long_queue";
    let mut admin = PgConnection::connect(&cluster).await?;
    let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
    sqlx::raw_sql(AssertSqlSafe(drop.clone()))
        .execute(&mut admin)
        .await?;
    sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
        .execute(&mut admin)
        .await?;
    let (before, _) = cluster.rsplit_once('/').ok_or("a URL with a path")?;
    let measured = measure(&format!("{before}/{name}"), rows, &mut std::io::stdout()).await;
    sqlx::raw_sql(AssertSqlSafe(drop))
        .execute(&mut admin)
        .await?;
    measured
}
