//! Worker processes that share a Postgres database, as in production: each page is stored once, even if workers are
//! killed or connections break.

use std::io::Write;
use std::str::FromStr;
use std::time::{Duration, Instant};

use crawler_engine::Stop;
use crawler_service::job_params::JobParams;
use crawler_service::worker::{Worker, WorkerSettings};
use crawler_store::{HostDefaults, JobId, JobKind, JobState, StoreLimits};
use crawler_store_postgres::{PostgresOptions, PostgresStore};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor};
use testsite::{Graph, Server};

use crate::process::{WorkerProcess, spawn_worker};
use crate::test_store::{RunningWorker, TestStore, fast, http, settings, until};

const DATABASE: &str = "WORKER_TEST_DATABASE";
const INTERVAL: &str = "WORKER_TEST_INTERVAL";
const NAME: &str = "postgres::a_worker_that_never_stops";

/// A database that is dropped at the end of its test.
pub(crate) struct Database {
    name: String,
    url: String,
}

fn cluster() -> String {
    std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| {
        panic!(
            "these tests need Postgres: run `cargo xtask test`, which starts one, \
             or set TEST_DATABASE_URL to a cluster in which databases can be created"
        )
    })
}

async fn admin() -> PgConnection {
    let options = PgConnectOptions::from_str(&cluster()).unwrap();
    PgConnection::connect_with(&options).await.unwrap()
}

impl Database {
    async fn fresh() -> Self {
        let name = format!("worker_test_{}", JobId::fresh().0.simple());
        let sql = AssertSqlSafe(format!("CREATE DATABASE {name}"));
        admin().await.execute(sql).await.unwrap();
        let url = cluster();
        let (before, after) = url.rsplit_once('/').unwrap();
        let query = after.find('?').map_or("", |at| &after[at..]);
        let url = format!("{before}/{name}{query}");
        Self { name, url }
    }

    /// Terminates all connections to the database.
    async fn break_connections(&self) {
        let name = &self.name;
        let sql = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        );
        admin().await.execute(AssertSqlSafe(sql)).await.unwrap();
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let name = self.name.clone();
        // The test's runtime may be shutting down: use a thread with its own.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let sql = AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
                admin().await.execute(sql).await.map(drop)
            })
        });
        let _ = dropped.join();
    }
}

async fn open(url: &str, hosts: HostDefaults) -> PostgresStore {
    let options = PostgresOptions {
        connections: 3,
        limits: StoreLimits {
            // These tests kill workers; their pages are not to blame.
            max_crashes: 1_000,
            ..hosts.into()
        },
        ..PostgresOptions::default()
    };
    PostgresStore::open(url, options).await.unwrap()
}

pub(crate) async fn fresh(hosts: HostDefaults) -> TestStore<PostgresStore, Database> {
    let location = Database::fresh().await;
    let store = open(&location.url, hosts).await;
    TestStore { store, location }
}

/// Leases that expire soon after a worker is killed.
fn short_leases(hosts: HostDefaults) -> WorkerSettings {
    let mut settings = settings(hosts);
    settings.frontier.lease = Duration::from_secs(2);
    settings.frontier.heartbeat = Duration::from_millis(500);
    settings.frontier.housekeeping = Duration::from_millis(300);
    settings
}

/// The worker process; runs until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the tests below in separate processes"]
async fn a_worker_that_never_stops() {
    let millis = std::env::var(INTERVAL).unwrap().parse().unwrap();
    let hosts = if millis == 0 {
        fast()
    } else {
        polite(Duration::from_millis(millis))
    };
    let store = open(&std::env::var(DATABASE).unwrap(), hosts).await;
    let worker = Worker::new(store, http(), short_leases(hosts)).unwrap();
    writeln!(std::io::stdout(), "worker started").unwrap();
    worker.run(Stop::new()).await.unwrap();
}

fn polite(interval: Duration) -> HostDefaults {
    HostDefaults {
        in_flight: 2,
        interval,
    }
}

fn process(database: &Database, interval: &str) -> WorkerProcess {
    spawn_worker(NAME, &[(DATABASE, &database.url), (INTERVAL, interval)])
}

/// Starts a site, and a job that crawls all of it.
async fn crawl(test_store: &TestStore<PostgresStore, Database>, graph: Graph) -> (Server, JobId) {
    let server = Server::start(graph.site());
    let params = JobParams {
        max_depth: Some(50),
        ..JobParams::for_url(server.url("/"))
    };
    let job = test_store.start(JobKind::Crawl, &params).await;
    (server, job)
}

/// Checks that every page of the site has exactly one document.
async fn check(test_store: &TestStore<PostgresStore, Database>, graph: Graph, job: JobId) {
    let job = test_store.finished(job).await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    let pages = u64::from(graph.pages);
    assert_eq!((job.counts.done, job.documents), (pages, pages));
    let documents = test_store.by_path(job.id).await;
    for page in 0..graph.pages {
        let path = graph.path(page);
        assert!(documents.contains_key(&path), "no document of {path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_processes_crawl_each_page_once() {
    let test_store = fresh(fast()).await;
    let graph = Graph::new(500);
    let (server, job) = crawl(&test_store, graph).await;
    let _workers: Vec<WorkerProcess> = (0..3).map(|_| process(&test_store.location, "0")).collect();
    check(&test_store, graph, job).await;
    for page in 0..500 {
        let path = graph.path(page);
        assert_eq!(server.count(&path), 1, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_processes_lose_and_duplicate_nothing() {
    let test_store = fresh(fast()).await;
    let graph = Graph {
        latency: Duration::from_millis(10),
        ..Graph::new(300)
    };
    let (server, job) = crawl(&test_store, graph).await;
    let mut workers: Vec<WorkerProcess> =
        (0..3).map(|_| process(&test_store.location, "0")).collect();
    for round in 0..6 {
        // Or all of them: the others continue while a process starts.
        let enough = (server.total() + 20).min(300);
        until("some pages are requested", || server.total() >= enough).await;
        workers[round % 3].kill();
        workers[round % 3] = process(&test_store.location, "0");
    }
    check(&test_store, graph, job).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_survives_broken_connections() {
    let test_store = fresh(fast()).await;
    let graph = Graph {
        latency: Duration::from_millis(10),
        ..Graph::new(200)
    };
    let (server, job) = crawl(&test_store, graph).await;
    let store = open(&test_store.location.url, fast()).await;
    let worker = RunningWorker::start(&store, http(), short_leases(fast()));
    for _ in 0..5 {
        let before = server.total();
        until("some pages are requested", || server.total() >= before + 15).await;
        test_store.location.break_connections().await;
    }
    check(&test_store, graph, job).await;
    let started = Instant::now();
    worker.stop().await;
    assert!(started.elapsed() < Duration::from_secs(25));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_processes_together_respect_the_rate_limit_of_a_host() {
    let hosts = polite(Duration::from_millis(200));
    let test_store = fresh(hosts).await;
    let graph = Graph {
        latency: Duration::from_millis(120),
        ..Graph::new(20)
    };
    let (server, job) = crawl(&test_store, graph).await;
    let _workers: Vec<WorkerProcess> = (0..3)
        .map(|_| process(&test_store.location, "200"))
        .collect();
    check(&test_store, graph, job).await;
    assert!(server.most_in_flight() <= 2, "{}", server.most_in_flight());
    let mut pages = server.hits();
    pages.retain(|hit| hit.path_and_query != "/robots.txt");
    for window in pages.windows(7) {
        let span = window[6].at - window[0].at;
        assert!(span >= Duration::from_secs(1), "7 in {span:?}");
    }
}
