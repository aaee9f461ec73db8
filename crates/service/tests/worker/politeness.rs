//! What a host sees, from its own log.

use std::time::Duration;

use service::job_params::JobParams;
use store::{HostDefaults, JobKind, JobState};
use testsite::{Answer, Graph, Request, Server};

use crate::stage::{AtWork, Ground, http, settings};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_workers_ask_a_host_five_times_a_second_and_twice_at_once() {
    let hosts = HostDefaults {
        in_flight: 2,
        interval: Duration::from_millis(200),
    };
    let graph = Graph {
        latency: Duration::from_millis(120),
        ..Graph::new(25)
    };
    let server = Server::start(graph.site());
    let ground = Ground::fresh(hosts).await;
    let params = JobParams {
        max_depth: Some(9),
        ..JobParams::site(server.url("/"))
    };
    let job = ground.start(JobKind::Crawl, &params).await;
    let fetch = http();
    let crew: Vec<AtWork> = (0..3)
        .map(|_| AtWork::begin(&ground.store, fetch.clone(), settings(hosts)))
        .collect();
    let job = ground.finished(job).await;
    for worker in crew {
        worker.end().await;
    }
    assert_eq!((job.state, job.documents), (JobState::Completed, 25));
    assert!(server.most_in_flight() <= 2, "{}", server.most_in_flight());
    let mut pages: Vec<_> = server.hits();
    pages.retain(|hit| hit.path_and_query != "/robots.txt");
    // Seven starts span six intervals, 1.2 s; less only by what a busy machine takes to begin the first.
    for window in pages.windows(7) {
        let span = window[6].at - window[0].at;
        assert!(span >= Duration::from_secs(1), "7 in {span:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_asks_for_a_pause_gets_it() {
    let busy = std::sync::atomic::AtomicBool::new(true);
    let site = move |request: &Request| match request.path() {
        "/" if busy.swap(false, std::sync::atomic::Ordering::SeqCst) => {
            Answer::status(429).header("Retry-After", "2")
        }
        "/" => Answer::html("<p>words"),
        _ => Answer::status(404),
    };
    let server = Server::start(site);
    let ground = Ground::fresh(crate::stage::fast()).await;
    let job = ground
        .start(JobKind::Crawl, &JobParams::site(server.url("/")))
        .await;
    let worker = AtWork::begin(&ground.store, http(), settings(crate::stage::fast()));
    let job = ground.finished(job).await;
    worker.end().await;
    assert_eq!(job.state, JobState::Completed, "{job:?}");
    let mut pages: Vec<_> = server.hits();
    pages.retain(|hit| hit.path_and_query == "/");
    assert_eq!(pages.len(), 2);
    let pause = pages[1].at - pages[0].at;
    assert!(pause >= Duration::from_secs(2), "{pause:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crawl_delay_is_obeyed() {
    let site = |request: &Request| match request.path() {
        "/robots.txt" => Answer::text("User-agent: *\nCrawl-delay: 0.5"),
        "/" => Answer::html("<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"),
        _ => Answer::html("<p>words"),
    };
    let server = Server::start(site);
    let ground = Ground::fresh(crate::stage::fast()).await;
    let job = ground
        .start(JobKind::Crawl, &JobParams::site(server.url("/")))
        .await;
    let worker = AtWork::begin(&ground.store, http(), settings(crate::stage::fast()));
    let job = ground.finished(job).await;
    worker.end().await;
    assert_eq!((job.state, job.documents), (JobState::Completed, 4));
    let hits = server.hits();
    for pair in hits.windows(2) {
        let between = pair[1].at - pair[0].at;
        assert!(between >= Duration::from_millis(480), "{between:?}");
    }
}
