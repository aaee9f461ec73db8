//! Worker processes that are killed: every page still gets exactly one document.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crawler_engine::Stop;
use crawler_service::job_params::JobParams;
use crawler_service::worker::Worker;
use crawler_store::{JobKind, JobState};
use testsite::{Graph, Server};

use crate::process::spawn_worker;
use crate::test_store::{TestStore, fast, http, open, settings, until};

const FILE: &str = "WORKER_TEST_FILE";
const NAME: &str = "crashes::a_worker_that_never_stops";

/// The worker process; runs until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the tests below in a separate process"]
async fn a_worker_that_never_stops() {
    let path = std::env::var(FILE).unwrap();
    let store = open(Path::new(&path), fast()).await;
    let mut settings = settings(fast());
    settings.sole_owner = true;
    let worker = Worker::new(store, http(), settings).unwrap();
    writeln!(std::io::stdout(), "worker started").unwrap();
    worker.run(Stop::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_killed_repeatedly_loses_and_duplicates_nothing() {
    let graph = Graph {
        latency: Duration::from_millis(5),
        ..Graph::new(300)
    };
    let server = Server::start(graph.site());
    let test_store = TestStore::fresh(fast()).await;
    let file = test_store.location.path().join("store.db");
    let params = JobParams {
        max_depth: Some(50),
        ..JobParams::for_url(server.url("/"))
    };
    let job = test_store.start(JobKind::Crawl, &params).await;
    for round in 1..=8_u64 {
        let mut worker = spawn_worker(NAME, &[(FILE, file.to_str().unwrap())]);
        let before = server.total();
        until("some pages are requested", || {
            server.total() >= before + 5 * round
        })
        .await;
        worker.kill();
    }
    let mut last = spawn_worker(NAME, &[(FILE, file.to_str().unwrap())]);
    let job = test_store.finished(job).await;
    last.kill();
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    assert_eq!((job.counts.done, job.documents), (300, 300));
    let documents = test_store.by_path(job.id).await;
    for page in 0..300 {
        let path = graph.path(page);
        assert!(documents.contains_key(&path), "no document of {path}");
    }
}
