//! Fair shares as a host sees them, from its request log: with a real worker, 20 jobs of three owners take turns.

use std::time::Duration;

use crawler_service::job_params::{JobDefaults, JobParams};
use crawler_store::{HostDefaults, JobId, JobKind, Jobs, Owner};
use testsite::{Request, Server, SiteResponse};

use crate::test_store::{RunningWorker, TestStore, http, settings, until};

/// Requests that are looked at.
const STARTS: usize = 600;
/// A window of requests in which each owner has its share.
const WINDOW: usize = 120;
const SMALL: usize = 10;

/// Creates a job of this owner with so many pages; their paths are `/owner/job/page`.
async fn start(
    test_store: &TestStore,
    server: &Server,
    owner: &str,
    job: usize,
    pages: usize,
) -> JobId {
    let urls = (0..pages).map(|page| server.url(&format!("/{owner}/{job}/{page}")));
    let name = Owner::parse(owner).unwrap();
    let defaults = JobDefaults::default();
    let prepared = JobParams::batch(urls).new_job(JobKind::BatchScrape, name, &defaults);
    let prepared = prepared.unwrap();
    let id = prepared.job.id;
    test_store.store.create_job(prepared.job).await.unwrap();
    id
}

/// The paths of the pages in the order in which they were requested.
fn requested(server: &Server) -> Vec<String> {
    let mut hits = server.hits();
    hits.sort_by_key(|hit| hit.at);
    let paths = hits.into_iter().map(|hit| hit.path_and_query);
    paths.filter(|path| path != "/robots.txt").collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_jobs_of_three_owners_share_one_host() {
    let hosts = HostDefaults {
        in_flight: 4,
        interval: Duration::from_millis(5),
    };
    let server = Server::start(|request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        _ => SiteResponse::html("<p>words"),
    });
    let test_store = TestStore::fresh(hosts).await;
    // Owner a has 13 jobs, b has 6 and c has one; the large ones came first.
    for job in 0..13 {
        start(&test_store, &server, "a", job, 90 - job * 5).await;
    }
    for job in 0..5 {
        start(&test_store, &server, "b", job, 60 + job * 20).await;
    }
    start(&test_store, &server, "c", 0, 300).await;
    let small = start(&test_store, &server, "b", 5, SMALL).await;
    let worker = RunningWorker::start(&test_store.store, http(), settings(hosts));
    let enough = STARTS as u64 + 20;
    until("enough requests", || server.total() > enough).await;
    worker.stop().await;
    let requested = requested(&server);
    let owners: Vec<&str> = requested.iter().map(|path| &path[1..2]).collect();
    let share = WINDOW / 3;
    for (first, window) in owners[..STARTS].windows(WINDOW).enumerate() {
        for owner in ["a", "b", "c"] {
            let count = window.iter().filter(|one| **one == owner).count();
            assert!(
                count.abs_diff(share) * 10 <= share,
                "{owner} has {count} of {WINDOW} requests from {first} on"
            );
        }
    }
    // A sixth of a third of the requests.
    let last = requested.iter().rposition(|path| path.starts_with("/b/5/"));
    let last = last.unwrap() + 1;
    let fair = SMALL * 6 * 3;
    assert!(
        last * 10 <= fair * 12,
        "{last} requests until it ended, {fair} is fair"
    );
    assert_eq!(test_store.finished(small).await.documents, SMALL as u64);
}

/// A job that is created while a large one is under way is next: after what the worker holds already.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_job_does_not_wait_for_a_large_one() {
    let hosts = HostDefaults {
        in_flight: 2,
        interval: Duration::from_millis(5),
    };
    let server = Server::start(|request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        _ => SiteResponse::html("<p>words"),
    });
    let test_store = TestStore::fresh(hosts).await;
    start(&test_store, &server, "a", 0, 2_000).await;
    let worker = RunningWorker::start(&test_store.store, http(), settings(hosts));
    until("the large job is under way", || server.total() > 50).await;
    for owner in ["a", "b"] {
        let small = start(&test_store, &server, owner, 1, SMALL).await;
        let before = requested(&server).len();
        let job = test_store.finished(small).await;
        assert_eq!(job.documents, SMALL as u64);
        let all = requested(&server);
        let prefix = format!("/{owner}/1/");
        let last = all.iter().rposition(|path| path.starts_with(&prefix));
        let took = last.unwrap() + 1 - before;
        // Alone it would be ten; what is held already may come before it, and nothing else.
        assert!(took <= SMALL * 2 + 8, "{owner}: {took} requests");
    }
    worker.stop().await;
}
