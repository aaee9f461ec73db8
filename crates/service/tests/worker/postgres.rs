//! Workers in several processes on one Postgres, as in production: each page once, whoever is killed, whatever the
//! server does to its connections.

use std::io::Write;
use std::str::FromStr;
use std::time::{Duration, Instant};

use engine::Stop;
use service::job_params::JobParams;
use service::worker::{Worker, WorkerSettings};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor};
use store::{HostDefaults, JobId, JobKind, JobState};
use store_postgres::{PostgresOptions, PostgresStore};
use testsite::{Graph, Server};

use crate::process::{Process, at_work};
use crate::stage::{AtWork, Ground, fast, http, settings, until};

const DATABASE: &str = "WORKER_TEST_DATABASE";
const INTERVAL: &str = "WORKER_TEST_INTERVAL";
const NAME: &str = "postgres::a_worker_that_never_stops";

/// A database that is gone with its test.
struct Database {
    name: String,
    url: String,
}

fn cluster() -> String {
    std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| {
        panic!(
            "these tests need Postgres: run `cargo xtask test`, which starts one, \
             or set TEST_DATABASE_URL to a cluster in which databases may be made"
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

    /// Every connection to it breaks.
    async fn shake(&self) {
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
        // The test's runtime may be on its way out: a thread with one of its own drops the database.
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
        hosts,
        // Here workers are killed for no fault of their pages.
        most_crashes: 1_000,
        ..PostgresOptions::default()
    };
    PostgresStore::open(url, options).await.unwrap()
}

async fn fresh(hosts: HostDefaults) -> Ground<PostgresStore, Database> {
    let place = Database::fresh().await;
    let store = open(&place.url, hosts).await;
    Ground { store, place }
}

/// Leases that are soon over when a worker is.
fn brief(hosts: HostDefaults) -> WorkerSettings {
    let mut settings = settings(hosts);
    settings.frontier.lease = Duration::from_secs(2);
    settings.frontier.heartbeat = Duration::from_millis(500);
    settings.frontier.housekeeping = Duration::from_millis(300);
    settings
}

/// The other process: works until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the tests below, in processes of its own"]
async fn a_worker_that_never_stops() {
    let millis = std::env::var(INTERVAL).unwrap().parse().unwrap();
    let hosts = if millis == 0 {
        fast()
    } else {
        polite(Duration::from_millis(millis))
    };
    let store = open(&std::env::var(DATABASE).unwrap(), hosts).await;
    let worker = Worker::new(store, http(), brief(hosts)).unwrap();
    writeln!(std::io::stdout(), "at work").unwrap();
    worker.run(Stop::new()).await.unwrap();
}

fn polite(interval: Duration) -> HostDefaults {
    HostDefaults {
        in_flight: 2,
        interval,
    }
}

fn process(database: &Database, interval: &str) -> Process {
    at_work(NAME, &[(DATABASE, &database.url), (INTERVAL, interval)])
}

/// A site, and a job that crawls all of it.
async fn crawl(ground: &Ground<PostgresStore, Database>, graph: Graph) -> (Server, JobId) {
    let server = Server::start(graph.site());
    let params = JobParams {
        max_depth: Some(50),
        ..JobParams::site(server.url("/"))
    };
    let job = ground.start(JobKind::Crawl, &params).await;
    (server, job)
}

/// Every page of the site has its one document.
async fn check(ground: &Ground<PostgresStore, Database>, graph: Graph, job: JobId) {
    let job = ground.finished(job).await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    let pages = u64::from(graph.pages);
    assert_eq!((job.counts.done, job.documents), (pages, pages));
    let documents = ground.by_path(job.id).await;
    for page in 0..graph.pages {
        let path = graph.path(page);
        assert!(documents.contains_key(&path), "no document of {path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_processes_crawl_each_page_once() {
    let ground = fresh(fast()).await;
    let graph = Graph::new(500);
    let (server, job) = crawl(&ground, graph).await;
    let _crew: Vec<Process> = (0..3).map(|_| process(&ground.place, "0")).collect();
    check(&ground, graph, job).await;
    for page in 0..500 {
        let path = graph.path(page);
        assert_eq!(server.count(&path), 1, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_processes_lose_and_double_nothing() {
    let ground = fresh(fast()).await;
    let graph = Graph {
        latency: Duration::from_millis(10),
        ..Graph::new(300)
    };
    let (server, job) = crawl(&ground, graph).await;
    let mut crew: Vec<Process> = (0..3).map(|_| process(&ground.place, "0")).collect();
    for round in 0..6 {
        let before = server.total();
        until("some pages are asked for", || server.total() >= before + 20).await;
        crew[round % 3].kill();
        crew[round % 3] = process(&ground.place, "0");
    }
    check(&ground, graph, job).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_outlives_its_connections() {
    let ground = fresh(fast()).await;
    let graph = Graph {
        latency: Duration::from_millis(10),
        ..Graph::new(200)
    };
    let (server, job) = crawl(&ground, graph).await;
    let store = open(&ground.place.url, fast()).await;
    let worker = AtWork::begin(&store, http(), brief(fast()));
    for _ in 0..5 {
        let before = server.total();
        until("some pages are asked for", || server.total() >= before + 15).await;
        ground.place.shake().await;
    }
    check(&ground, graph, job).await;
    let begun = Instant::now();
    worker.end().await;
    assert!(begun.elapsed() < Duration::from_secs(25));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_processes_are_polite_together() {
    let hosts = polite(Duration::from_millis(200));
    let ground = fresh(hosts).await;
    let graph = Graph {
        latency: Duration::from_millis(120),
        ..Graph::new(20)
    };
    let (server, job) = crawl(&ground, graph).await;
    let _crew: Vec<Process> = (0..3).map(|_| process(&ground.place, "200")).collect();
    check(&ground, graph, job).await;
    assert!(server.most_in_flight() <= 2, "{}", server.most_in_flight());
    let mut pages = server.hits();
    pages.retain(|hit| hit.path_and_query != "/robots.txt");
    for window in pages.windows(7) {
        let span = window[6].at - window[0].at;
        assert!(span >= Duration::from_secs(1), "7 in {span:?}");
    }
}
