//! Jobs that are made to hold up the others of a worker.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use crawler_fetch::{Guard, NameResolution};
use crawler_service::job_params::{JobDefaults, JobParams};
use crawler_service::worker::{Worker, http_fetch};
use crawler_store::{Access, JobKind, JobState, Jobs, Owner};
use serde_json::json;
use testsite::{Pages, Server};
use tokio::net::UdpSocket;

use crate::test_store::{RunningWorker, TestStore, fast, http, settings};

/// More than page workers could wait for within the time limit of the test.
const DEAD_NAMES: usize = 320;

/// A name server that never responds must not hold page workers: they are for pages.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dead_names_do_not_hold_up_other_jobs() {
    let name_server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let addr = name_server.local_addr().unwrap();
    let asked: Arc<Mutex<HashSet<Vec<u8>>>> = Arc::default();
    let recorded = Arc::clone(&asked);
    tokio::spawn(async move {
        let mut bytes = [0; 512];
        while let Ok(len) = name_server.recv(&mut bytes).await {
            recorded.lock().unwrap().insert(bytes[12..len].to_vec());
        }
    });
    let test_store = TestStore::fresh(fast()).await;
    let dead = (0..DEAD_NAMES).map(|number| format!("http://{number}.dead.test/"));
    let dead = test_store
        .start(JobKind::BatchScrape, &JobParams::batch(dead))
        .await;
    let server = Server::start(Pages::new().html("/", "<p>some words"));
    let one = JobParams::batch([server.url("/")]);
    let one = one
        .new_job(
            JobKind::BatchScrape,
            Owner::parse("other").unwrap(),
            &JobDefaults::default(),
        )
        .unwrap();
    let id = one.job.id;
    test_store.store.create_job(one.job).await.unwrap();
    let fetch = http_fetch(&JobDefaults::default(), 8, Guard::anywhere()).unwrap();
    let fetch = Arc::new(fetch.with_name_resolution(NameResolution::Server(addr)));
    let worker = Worker::new(
        test_store.store.clone(),
        Arc::clone(&fetch),
        settings(fast()),
    );
    let worker = RunningWorker::run(worker.unwrap().resolving_names(fetch));
    let one = test_store.finished(id).await;
    assert_eq!((one.state, one.counts.done), (JobState::Completed, 1));
    assert!(!asked.lock().unwrap().is_empty());
    let cancelled = test_store.store.cancel(&Access::AllOwners, dead).await;
    cancelled.unwrap();
    worker.stop().await;
}

/// The limits of patterns apply to jobs that were stored before there were any.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_patterns_that_explode_fail_their_job_only() {
    let server = Server::start(Pages::new().html("/", "<p>some words"));
    let test_store = TestStore::fresh(fast()).await;
    let params = JobParams::for_url(server.url("/"));
    let mut hostile = params
        .new_job(JobKind::Crawl, Owner::local(), &JobDefaults::default())
        .unwrap()
        .job;
    let patterns: Vec<String> = (0..200)
        .map(|number| format!(r"{number}(\w{{1000}}){{1000}}"))
        .collect();
    hostile.params["include"] = json!(patterns);
    let id = hostile.id;
    test_store.store.create_job(hostile).await.unwrap();
    let usual = test_store.start(JobKind::Crawl, &params).await;
    let worker = RunningWorker::start(&test_store.store, http(), settings(fast()));
    let hostile = test_store.finished(id).await;
    assert_eq!(hostile.state, JobState::Failed);
    let error = hostile.error.unwrap();
    assert!(error.contains("too complex"), "{error}");
    assert_eq!(test_store.finished(usual).await.state, JobState::Completed);
    worker.stop().await;
}
