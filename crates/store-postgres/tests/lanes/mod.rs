//! Lanes and hosts that another transaction has locked, or whose wake-up was lost.

use std::time::{Duration, Instant};

use crawler_store::testing::{LEASE, StoreFixture, crawl, fast, pages};
use crawler_store::{Access, JobLimits, JobQueue, Jobs, WorkerId};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::fixture::PostgresFixture;
use crate::run_sql;

/// Claims of other processes search at the same moment, find the same hosts, and have locked them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_that_another_claim_has_locked_are_replaced_by_others() {
    let fixture = PostgresFixture::fresh().await;
    let store = fixture.open(fast()).await;
    let seeds = (0..100).flat_map(|number| pages(&format!("h{number:02}.test"), 1));
    let job = crawl(seeds.collect(), JobLimits::default());
    store.create_job(job).await.unwrap();
    let mut other = fixture.connect().await;
    let mut claim = other.begin().await.unwrap();
    claim
        .execute("SELECT 1 FROM hosts ORDER BY host_key LIMIT 12 FOR NO KEY UPDATE")
        .await
        .unwrap();
    let tasks = store.claim(&WorkerId::fresh(), 10, LEASE).await.unwrap();
    assert_eq!(tasks.len(), 10);
}

/// Waits until this many connections wait for a lock.
async fn wait_for_waiters(db: &mut PgConnection, count: i64) {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let waiting: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .fetch_one(&mut *db)
        .await
        .expect("the database answers");
        if waiting >= count {
            return;
        }
        assert!(Instant::now() < deadline, "{waiting} wait for a lock");
    }
}

/// A cancellation locks lanes in the order that others do, and holds none while it waits for one that comes before it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_takes_the_locks_of_lanes_in_order() {
    let fixture = PostgresFixture::fresh().await;
    let store = fixture.open(fast()).await;
    let hosts = ["h0.test", "h1.test", "h2.test", "h3.test"];
    // The tasks are in the other order.
    let seeds = hosts.iter().rev().flat_map(|host| pages(host, 1));
    let job = crawl(seeds.collect(), JobLimits::default());
    store.create_job(job.clone()).await.unwrap();
    let mut other = fixture.connect().await;
    let mut lanes = other.begin().await.unwrap();
    let lock = |host: &str| {
        let sql = format!("SELECT 1 FROM job_hosts WHERE host_key = '{host}' FOR NO KEY UPDATE");
        AssertSqlSafe(sql)
    };
    sqlx::raw_sql(lock(hosts[0]))
        .execute(&mut *lanes)
        .await
        .unwrap();
    let access = Access::AllOwners;
    let cancelled = store.cancel(&access, job.id);
    let rest = async {
        wait_for_waiters(&mut fixture.connect().await, 1).await;
        for host in &hosts[1..] {
            sqlx::raw_sql(lock(host))
                .execute(&mut *lanes)
                .await
                .unwrap();
        }
        lanes.commit().await.unwrap();
    };
    let (cancelled, ()) = tokio::join!(cancelled, rest);
    cancelled.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM job_hosts")
        .fetch_one(&mut fixture.connect().await)
        .await
        .unwrap();
    assert_eq!(left, 0);
}

/// A process that requeues tasks may end before it wakes their lanes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reconciling_finds_lanes_that_were_not_woken() {
    let fixture = PostgresFixture::fresh().await;
    let store = fixture.open(fast()).await;
    let job = crawl(pages("a.test", 1), JobLimits::default());
    store.create_job(job).await.unwrap();
    run_sql(
        &fixture,
        "UPDATE job_hosts SET not_before = now() + interval '1 hour'",
    )
    .await;
    let worker = WorkerId::fresh();
    assert!(store.claim(&worker, 1, LEASE).await.unwrap().is_empty());
    store.reconcile().await.unwrap();
    assert_eq!(store.claim(&worker, 1, LEASE).await.unwrap().len(), 1);
}
