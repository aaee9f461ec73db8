//! Workers in processes of their own, killed in the middle: every page has its one document all the same.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use engine::Stop;
use service::job_params::JobParams;
use service::worker::Worker;
use store::{JobKind, JobState};
use testsite::{Graph, Server};

use crate::stage::{Ground, fast, http, open, settings, until};

const FILE: &str = "WORKER_TEST_FILE";

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

/// A worker's process, which is at work when this returns.
fn process(file: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            "crashes::a_worker_that_never_stops",
            "--nocapture",
        ])
        .env(FILE, file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let begun = lines
        .map_while(Result::ok)
        .any(|line| line.contains("at work"));
    assert!(begun, "the worker ended by itself");
    child
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_killed_again_and_again_loses_and_doubles_nothing() {
    let graph = Graph {
        latency: Duration::from_millis(5),
        ..Graph::new(300)
    };
    let server = Server::start(graph.site());
    let ground = Ground::fresh(fast()).await;
    let file = ground.folder.path().join("store.db");
    let params = JobParams {
        max_depth: Some(50),
        ..JobParams::site(server.url("/"))
    };
    let job = ground.start(JobKind::Crawl, &params).await;
    for round in 1..=8_u64 {
        let mut worker = process(&file);
        let before = server.total();
        until("some pages are asked for", || {
            server.total() >= before + 5 * round
        })
        .await;
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
    let mut last = process(&file);
    let job = ground.finished(job).await;
    last.kill().unwrap();
    last.wait().unwrap();
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    assert_eq!((job.counts.done, job.documents), (300, 300));
    let documents = ground.by_path(job.id).await;
    for page in 0..300 {
        let path = graph.path(page);
        assert!(documents.contains_key(&path), "no document of {path}");
    }
}
