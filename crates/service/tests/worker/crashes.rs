//! Workers in processes of their own, killed in the middle: every page has its one document all the same.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use engine::Stop;
use service::job_params::JobParams;
use service::worker::Worker;
use store::{JobKind, JobState};
use testsite::{Graph, Server};

use crate::process::at_work;
use crate::stage::{Ground, fast, http, open, settings, until};

const FILE: &str = "WORKER_TEST_FILE";
const NAME: &str = "crashes::a_worker_that_never_stops";

/// The other process: works until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the tests below, in a process of its own"]
async fn a_worker_that_never_stops() {
    let path = std::env::var(FILE).unwrap();
    let store = open(Path::new(&path), fast()).await;
    let mut settings = settings(fast());
    settings.sole_owner = true;
    let worker = Worker::new(store, http(), settings).unwrap();
    writeln!(std::io::stdout(), "at work").unwrap();
    worker.run(Stop::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_killed_again_and_again_loses_and_doubles_nothing() {
    let graph = Graph {
        latency: Duration::from_millis(5),
        ..Graph::new(300)
    };
    let server = Server::start(graph.site());
    let ground = Ground::fresh(fast()).await;
    let file = ground.place.path().join("store.db");
    let params = JobParams {
        max_depth: Some(50),
        ..JobParams::site(server.url("/"))
    };
    let job = ground.start(JobKind::Crawl, &params).await;
    for round in 1..=8_u64 {
        let mut worker = at_work(NAME, &[(FILE, file.to_str().unwrap())]);
        let before = server.total();
        until("some pages are asked for", || {
            server.total() >= before + 5 * round
        })
        .await;
        worker.kill();
    }
    let mut last = at_work(NAME, &[(FILE, file.to_str().unwrap())]);
    let job = ground.finished(job).await;
    last.kill();
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    assert_eq!((job.counts.done, job.documents), (300, 300));
    let documents = ground.by_path(job.id).await;
    for page in 0..300 {
        let path = graph.path(page);
        assert!(documents.contains_key(&path), "no document of {path}");
    }
}
