//! Measures how long claims and settlements take with a long queue; run by hand, because it takes a minute.
//!
//! ```sh
//! TEST_DATABASE_URL=postgres://… cargo run --release -p crawler-store-postgres --example long_queue -- 1000000 1000000 1000
//! ```
//!
//! The arguments are the numbers of queued and of finished tasks, and of jobs (at least 1,000). It creates its own database in that cluster and drops it.

use std::io::Write;
use std::time::Instant;

use crawler_store::testing::fast;
use crawler_store::testing::long_queue::{JOBS, OWNERS, claim_and_settle, create_jobs};
use crawler_store_postgres::{PostgresOptions, PostgresStore};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

type Failure = Box<dyn std::error::Error>;

async fn measure(
    url: &str,
    (tasks, finished, jobs): (u32, u32, u32),
    out: &mut impl Write,
) -> Result<(), Failure> {
    let options = PostgresOptions {
        limits: fast().into(),
        ..PostgresOptions::default()
    };
    let store = PostgresStore::open(url, options).await?;
    create_jobs(&store).await?;
    let mut db = PgConnection::connect(url).await?;
    let started = Instant::now();
    // Each job has twenty hosts, and each host about ten jobs.
    let sql = format!(
        "INSERT INTO jobs (id, status, type, params, owner)
         SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'running', 'crawl', '{{}}', 'owner' || n % {OWNERS}
         FROM generate_series({JOBS}, {jobs} - 1) n;
         INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, found, status, sequence)
         SELECT j.id, u, u, u, h, 1, 'link',
                CASE WHEN n <= {finished} THEN 'done' ELSE 'queued' END, CASE WHEN n <= {finished} THEN n END
         FROM (SELECT n, h, 'https://' || h || '/a/page/' || n AS u FROM (
                   SELECT n, 'host' || (n / {jobs} % 20 * 97 + n % {jobs} * 13) % 2000 || '.test' AS h
                   FROM generate_series(1, {finished} + {tasks}) n) numbers) made
         JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM jobs) j ON j.place = n % {jobs};
         INSERT INTO job_hosts (job_id, host_key) SELECT DISTINCT job_id, host_key FROM crawl_tasks WHERE status = 'queued'
         ON CONFLICT DO NOTHING;
         INSERT INTO hosts (host_key) SELECT DISTINCT host_key FROM job_hosts ON CONFLICT DO NOTHING;
         UPDATE jobs SET sequence = {finished};
         VACUUM ANALYZE"
    );
    for statement in sql.split(';') {
        let statement = AssertSqlSafe(statement.to_owned());
        sqlx::raw_sql(statement).execute(&mut db).await?;
    }
    writeln!(
        out,
        "{tasks} queued and {finished} finished tasks inserted in {:.1?}",
        started.elapsed()
    )?;
    write!(out, "{}", claim_and_settle(&store).await?)?;
    let plan = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) SELECT c.id FROM (SELECT job_id, host_key FROM job_hosts LIMIT 1) l
                CROSS JOIN LATERAL (
                    SELECT t.id FROM crawl_tasks t
                    WHERE t.job_id = l.job_id AND t.host_key = l.host_key AND t.status = 'queued' AND NOT t.gated
                      AND t.not_before <= now()
                    ORDER BY t.not_before, t.id LIMIT 2 FOR NO KEY UPDATE SKIP LOCKED) c";
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
    let number = |index, default| {
        std::env::args()
            .nth(index)
            .map_or(Ok(default), |argument| argument.parse())
    };
    let rows = (
        number(1, 1_000_000)?,
        number(2, 1_000_000)?,
        number(3, 1_000)?,
    );
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
