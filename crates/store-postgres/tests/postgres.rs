//! The conformance suite, and tests specific to Postgres: many connections, a large queue, an unreachable server.

mod conformance {
    crawler_store::conformance!(crate::fixture::PostgresFixture::fresh);
}
mod fixture;
mod lanes;

use std::time::{Duration, Instant};

use crawler_store::testing::{LEASE, StoreFixture, crawl, done, fast, pages};
use crawler_store::{
    Access, JobId, JobLimits, JobQueue, JobState, Jobs, StoreError, StoreLimits, Upkeep, WorkerId,
};
use crawler_store_postgres::{PostgresOptions, PostgresStore};
use fixture::PostgresFixture;
use futures_util::future::join_all;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_processes_may_migrate_at_once() {
    let fixture = PostgresFixture::fresh().await;
    let stores = join_all((0..6).map(|_| fixture.open(fast()))).await;
    for store in &stores {
        store.ready().await.unwrap();
    }
}

/// A job that cannot be locked does not keep the other jobs of its owner from ending at a quota.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_job_does_not_delay_the_quota_of_others() {
    let fixture = PostgresFixture::fresh().await;
    let mut limits = StoreLimits::from(fast());
    limits.quota.set("pages_per_day=1").unwrap();
    let store = fixture.open(limits).await;
    let mut jobs = Vec::new();
    for host in ["a.test", "b.test", "c.test", "d.test"] {
        let job = crawl(pages(host, 1), JobLimits::default());
        jobs.push(job.id);
        store.create_job(job).await.unwrap();
    }
    let claimed = store.claim(&WorkerId::fresh(), 1, LEASE).await.unwrap();
    jobs.retain(|id| *id != claimed[0].job);
    jobs.sort();
    let mut db = fixture.connect().await;
    let mut locking = db.begin().await.unwrap();
    let sql = format!("SELECT FROM jobs WHERE id = '{}' FOR UPDATE", jobs[0]);
    locking.execute(AssertSqlSafe(sql)).await.unwrap();
    let settled = vec![done(&claimed[0], Vec::new())];
    store.settle(settled).await.unwrap();
    // Fails after the ten seconds that a lock is waited for.
    let reconciled = store.reconcile().await;
    assert!(matches!(reconciled, Err(StoreError::Unavailable(_))));
    for id in &jobs[1..] {
        let job = store.job(&Access::AllOwners, *id).await.unwrap().unwrap();
        assert!(job.state.is_final(), "{id}");
    }
    locking.rollback().await.unwrap();
    assert_eq!(store.reconcile().await.unwrap().finished, 1);
}

/// Inserts rows by the hundred thousand, with hosts and counters as the store would have them.
async fn fill(db: &mut PgConnection, job: JobId, queued: u32, finished: u32) {
    let sql = format!(
        "INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, found, status, sequence)
         SELECT '{job}', u, u, u, 'host' || n % 500 || '.test', 1, 'link',
                CASE WHEN n <= {finished} THEN 'done' ELSE 'queued' END, CASE WHEN n <= {finished} THEN n END
         FROM (SELECT n, 'https://host' || n % 500 || '.test/' || n AS u
               FROM generate_series(1, {finished} + {queued}) n) made;
         INSERT INTO hosts (host_key) SELECT 'host' || n || '.test' FROM generate_series(0, 499) n;
         INSERT INTO job_hosts (job_id, host_key)
         SELECT '{job}', 'host' || n || '.test' FROM generate_series(0, 499) n WHERE {queued} > 0;
         UPDATE jobs SET sequence = {finished} WHERE id = '{job}'"
    );
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(db)
        .await
        .expect("the database answers");
}

/// Claims fifty tasks, this many times.
async fn claim_fifties(store: &PostgresStore, rounds: usize) {
    let worker = WorkerId::fresh();
    for _ in 0..rounds {
        let tasks = store
            .claim(&worker, 50, LEASE)
            .await
            .expect("the database answers");
        assert_eq!(tasks.len(), 50);
    }
}

/// How much of `crawl_tasks` was read, by the server's counters.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
struct Scans {
    /// Scans of the whole table.
    sequential: i64,
    /// Scans of the ready index.
    ready: i64,
    /// Entries read from all indexes.
    entries: i64,
    /// Rows read by scans of the whole table.
    rows: i64,
}

/// Reads the counters.
///
/// A connection reports its counters when it ends, and otherwise up to ten seconds late, so all others have to end first.
/// (The nine index scans of the migration were once reported between two readings.)
async fn scans(db: &mut PgConnection) -> Scans {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let others: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
             AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
        )
        .fetch_one(&mut *db)
        .await
        .expect("the database answers");
        if others == 0 {
            break;
        }
        assert!(
            Instant::now() < deadline,
            "{others} connections are still open"
        );
    }
    sqlx::query_as(
        "SELECT seq_scan AS sequential,
                (SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'crawl_tasks_ready') AS ready,
                (SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes
                 WHERE relname = 'crawl_tasks') AS entries,
                seq_tup_read AS rows
         FROM pg_stat_user_tables WHERE relname = 'crawl_tasks'",
    )
    .fetch_one(db)
    .await
    .expect("the database answers")
}

/// A migrated database with all counters reported.
async fn quiet_fixture() -> (PostgresFixture, Scans) {
    let fixture = PostgresFixture::fresh().await;
    fixture.open(fast()).await.close().await;
    let before = scans(&mut fixture.connect().await).await;
    (fixture, before)
}

async fn run_sql(fixture: &PostgresFixture, sql: &'static str) {
    let mut db = fixture.connect().await;
    let ran = sqlx::raw_sql(sql).execute(&mut db).await;
    ran.expect("the statements run");
    db.close().await.expect("the connection closes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_queue_is_claimed_by_its_index_and_finished_rows_do_not_slow_it() {
    let (fixture, before) = quiet_fixture().await;
    let store = fixture.open(fast()).await;
    let job = crawl(pages("a.test", 1), JobLimits::default());
    store.create_job(job.clone()).await.unwrap();
    let mut db = fixture.connect().await;
    fill(&mut db, job.id, 100_000, 100_000).await;
    db.close().await.unwrap();
    run_sql(&fixture, "ANALYZE crawl_tasks; ANALYZE hosts").await;
    claim_fifties(&store, 15).await;
    store.close().await;
    let after = scans(&mut fixture.connect().await).await;
    assert_eq!(
        after.sequential, before.sequential,
        "a claim read the whole table"
    );
    assert!(after.ready >= before.ready + 15, "{before:?} {after:?}");
    // Index entries instead of milliseconds, because they do not depend on the machine's load.
    let per_claim = (after.entries - before.entries) / 15;
    assert!(
        per_claim < 5_000,
        "{per_claim} index entries read to claim 50 of 100,000"
    );
}

/// A connection with plans for a handful of tasks, and a server that never analyzed the table again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plans_made_for_an_empty_queue_work_for_a_long_one() {
    let (fixture, before) = quiet_fixture().await;
    run_sql(
        &fixture,
        "ALTER TABLE crawl_tasks SET (autovacuum_enabled = false);
         ALTER TABLE hosts SET (autovacuum_enabled = false)",
    )
    .await;
    let options = PostgresOptions {
        connections: 1,
        limits: fast().into(),
        ..PostgresOptions::default()
    };
    let store = fixture.open_with(options).await;
    let job = crawl(pages("a.test", 10), JobLimits::default());
    store.create_job(job.clone()).await.unwrap();
    let worker = WorkerId::fresh();
    for _ in 0..10 {
        let tasks = store.claim(&worker, 1, LEASE).await.unwrap();
        let next = pages(&format!("b{}.test", tasks[0].lease.task.0), 1);
        store.settle(vec![done(&tasks[0], next)]).await.unwrap();
    }
    let mut db = fixture.connect().await;
    fill(&mut db, job.id, 100_000, 100_000).await;
    db.close().await.unwrap();
    claim_fifties(&store, 15).await;
    store.close().await;
    let after = scans(&mut fixture.connect().await).await;
    assert_eq!(
        after.sequential, before.sequential,
        "a statement read the whole table"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_page_of_a_long_job_reads_each_task_about_once() {
    let fixture = PostgresFixture::fresh().await;
    let store = fixture.open(fast()).await;
    let job = crawl(pages("a.test", 2), JobLimits::default());
    store.create_job(job.clone()).await.unwrap();
    let mut db = fixture.connect().await;
    fill(&mut db, job.id, 0, 100_000).await;
    db.close().await.unwrap();
    let tasks = store.claim(&WorkerId::fresh(), 2, LEASE).await.unwrap();
    store
        .settle(vec![done(&tasks[0], Vec::new())])
        .await
        .unwrap();
    store.close().await;
    let before = scans(&mut fixture.connect().await).await;
    let store = fixture.open(fast()).await;
    store
        .settle(vec![done(&tasks[1], Vec::new())])
        .await
        .unwrap();
    store.close().await;
    let after = scans(&mut fixture.connect().await).await;
    // The end of a job counts its tasks. Rows instead of milliseconds, because they do not depend on the machine's load.
    let read = after.entries - before.entries + after.rows - before.rows;
    assert!(read < 250_000, "{read} of 100,002 tasks read");
    let store = fixture.open(fast()).await;
    let seen = store
        .job(&Access::AllOwners, job.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (seen.state, seen.counts.done),
        (JobState::Completed, 100_002)
    );
}

/// Retries a call until it succeeds, as a worker does; every error in between must be retryable.
async fn retry_until_ok<T>(mut call: impl AsyncFnMut() -> Result<T, StoreError>) -> T {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        match call().await {
            Ok(value) => return value,
            Err(error) => assert!(error.retryable() && Instant::now() < deadline, "{error}"),
        }
    }
}

async fn terminate_connections(db: &mut PgConnection, name: &str) {
    let sql = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    );
    db.execute(AssertSqlSafe(sql))
        .await
        .expect("the database answers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminated_connections_are_replaced() {
    let fixture = PostgresFixture::fresh().await;
    let store = fixture.open(fast()).await;
    let job = crawl(pages("a.test", 20), JobLimits::default());
    store.create_job(job.clone()).await.unwrap();
    let worker = WorkerId::fresh();
    let mut db = fixture.connect().await;
    for _ in 0..20 {
        terminate_connections(&mut db, &fixture.name).await;
        let tasks = retry_until_ok(async || store.claim(&worker, 1, LEASE).await).await;
        terminate_connections(&mut db, &fixture.name).await;
        let batch: Vec<_> = tasks.iter().map(|task| done(task, Vec::new())).collect();
        retry_until_ok(async || store.settle(batch.clone()).await).await;
    }
    let seen = store
        .job(&Access::AllOwners, job.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((seen.state, seen.documents), (JobState::Completed, 20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_database_is_not_ready_until_it_is_back() {
    let fixture = PostgresFixture::fresh().await;
    let options = PostgresOptions {
        acquire_timeout: Duration::from_millis(300),
        ..PostgresOptions::default()
    };
    let store = fixture.open_with(options).await;
    store.ready().await.unwrap();
    let mut admin = PgConnection::connect(&std::env::var("TEST_DATABASE_URL").unwrap())
        .await
        .unwrap();
    let allow_connections = |open: bool| {
        AssertSqlSafe(format!(
            "ALTER DATABASE {} ALLOW_CONNECTIONS {open}",
            fixture.name
        ))
    };
    admin.execute(allow_connections(false)).await.unwrap();
    terminate_connections(&mut admin, &fixture.name).await;
    let refused = store.ready().await;
    assert!(
        matches!(refused, Err(StoreError::Unavailable(_))),
        "{refused:?}"
    );
    admin.execute(allow_connections(true)).await.unwrap();
    retry_until_ok(async || store.ready().await).await;
}

/// A COMMIT that waits, as for a disk or a standby that does not respond.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unanswered_commit_fails_the_call_within_seconds() {
    let fixture = PostgresFixture::fresh().await;
    let store = fixture.open(fast()).await;
    run_sql(
        &fixture,
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END';
         CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON jobs DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION wait()",
    )
    .await;
    let started = Instant::now();
    let refused = store
        .create_job(crawl(pages("a.test", 1), JobLimits::default()))
        .await;
    let elapsed = started.elapsed();
    assert!(
        matches!(&refused, Err(StoreError::Unavailable(message)) if message.contains("COMMIT")),
        "{refused:?}"
    );
    // Five seconds; without a limit, the server ends the statement after thirty.
    assert!(elapsed < Duration::from_secs(15), "{elapsed:?}");
    store.ready().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_of_the_server_are_retryable_and_errors_of_the_request_are_not() {
    let fixture = PostgresFixture::fresh().await;
    let store = fixture.open(fast()).await;
    let mut db = fixture.connect().await;
    for (code, retryable) in [
        ("53100", true),
        ("58030", true),
        ("XX000", true),
        ("25006", true),
        ("57P01", true),
        ("22001", false),
        ("23514", false),
        ("XX001", false),
    ] {
        let sql = format!(
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}', MESSAGE = 'injected'; END $$;
             CREATE OR REPLACE TRIGGER fail BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION fail()"
        );
        sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(&mut db)
            .await
            .unwrap();
        let job = crawl(pages("a.test", 1), JobLimits::default());
        let error = store.create_job(job).await.unwrap_err();
        assert_eq!(error.retryable(), retryable, "{code}: {error:?}");
    }
}

/// A limit on temporary files fails their writes like a full disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_without_space_for_a_megabyte_is_not_ready() {
    let fixture = PostgresFixture::fresh().await;
    let mut db = fixture.connect().await;
    for (limit, ready) in [("1000kB", false), ("4MB", true)] {
        let sql = format!(
            "ALTER DATABASE {} SET temp_file_limit = '{limit}'",
            fixture.name
        );
        db.execute(AssertSqlSafe(sql)).await.unwrap();
        let store = fixture.open(fast()).await;
        let checked = store.ready().await;
        match checked {
            Err(StoreError::Unavailable(_)) => assert!(!ready, "{limit}: {checked:?}"),
            _ => assert!(ready && checked.is_ok(), "{limit}: {checked:?}"),
        }
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reconciling_finishes_interrupted_work() {
    let fixture = PostgresFixture::fresh().await;
    let store = fixture.open(fast()).await;
    let job = crawl(pages("a.test", 2), JobLimits::default());
    store.create_job(job.clone()).await.unwrap();
    let mut db = fixture.connect().await;
    db.execute("DELETE FROM job_hosts").await.unwrap();
    let worker = WorkerId::fresh();
    assert!(store.claim(&worker, 1, LEASE).await.unwrap().is_empty());
    assert_eq!(store.reconcile().await.unwrap().woken, 1);
    let tasks = store.claim(&worker, 2, LEASE).await.unwrap();
    store
        .settle(tasks.iter().map(|task| done(task, Vec::new())).collect())
        .await
        .unwrap();
    db.execute("UPDATE jobs SET status = 'running'")
        .await
        .unwrap();
    assert_eq!(store.reconcile().await.unwrap().finished, 1);
    let seen = store
        .job(&Access::AllOwners, job.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(seen.state, JobState::Completed);
}

/// Constraints guard the states too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn impossible_rows_are_refused() {
    let fixture = PostgresFixture::fresh().await;
    let store = fixture.open(fast()).await;
    let job = crawl(pages("a.test", 1), JobLimits::default());
    store.create_job(job).await.unwrap();
    let mut db = fixture.connect().await;
    for sql in [
        "UPDATE jobs SET status = 'scraping'",
        "UPDATE crawl_tasks SET status = 'processing'",
        "UPDATE crawl_tasks SET status = 'done'",
        "UPDATE crawl_tasks SET lease_until = now()",
        "INSERT INTO crawl_tasks (job_id, requested_url, final_url, url, host_key, depth, found)
         SELECT job_id, requested_url, final_url, url, host_key, depth, found FROM crawl_tasks",
    ] {
        assert!(db.execute(sql).await.is_err(), "{sql}");
    }
}
