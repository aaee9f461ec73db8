//! Politeness as seen by the host, from its request log.

use std::time::Duration;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use crawler_fetch::{Guard, HttpFetch};
use crawler_service::AddressLimits;
use crawler_service::config::Config;
use crawler_service::job_params::{JobDefaults, JobParams};
use crawler_service::worker::Worker;
use crawler_store::{HostDefaults, JobKind, JobState};
use crawler_store_sqlite::SqliteStore;
use testsite::{Graph, Request, Server, SiteResponse};

use crate::test_store::{RunningWorker, TestStore, http, settings};

/// Starts a worker as `serve` sets it up, with names that all have the address of this machine.
fn limited(store: &SqliteStore, hosts: HostDefaults) -> RunningWorker {
    let one_machine = Arc::new(|_: &str| vec![IpAddr::from(Ipv4Addr::LOCALHOST)]);
    let plan = JobParams::default()
        .plan(JobKind::Scrape, &JobDefaults::default(), 0, 0)
        .unwrap();
    let http = || {
        let (guard, sniff) = (Guard::anywhere(), crawler_html::looks_like_html);
        HttpFetch::resolving(&plan.fetch, 8, guard, sniff, one_machine.clone()).unwrap()
    };
    let limits = AddressLimits::new(store.clone(), &Config::default(), Arc::new(http()));
    let worker = Worker::new(store.clone(), Arc::new(http()), settings(hosts)).unwrap();
    RunningWorker::run(worker.limiting_addresses(limits))
}

/// A batch of one page from each of these hosts.
fn batch(hosts: impl Iterator<Item = String>, server: &Server) -> JobParams {
    let port = server.url("/");
    let port = port.trim_end_matches('/').rsplit(':').next().unwrap();
    JobParams {
        urls: Some(hosts.map(|host| format!("http://{host}:{port}/")).collect()),
        ..JobParams::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_names_of_one_machine_share_the_limits_of_a_host() {
    const NAMES: usize = 8;
    let hosts = HostDefaults {
        in_flight: 2,
        interval: Duration::from_millis(200),
    };
    let server = Server::start(|request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        _ => SiteResponse::html("<p>words").after(Duration::from_millis(120)),
    });
    let test_store = TestStore::fresh(hosts).await;
    let names = (0..NAMES).map(|number| format!("n{number}.wild.test"));
    let job = test_store
        .start(JobKind::BatchScrape, &batch(names, &server))
        .await;
    let workers: Vec<RunningWorker> = (0..2).map(|_| limited(&test_store.store, hosts)).collect();
    let job = test_store.finished(job).await;
    for worker in workers {
        worker.stop().await;
    }
    assert_eq!(
        (job.state, usize::try_from(job.documents).unwrap()),
        (JobState::Completed, NAMES)
    );
    let mut starts: Vec<_> = server.hits().iter().map(|hit| hit.at).collect();
    starts.sort();
    assert_eq!(
        starts.len(),
        2 * NAMES,
        "robots.txt and a page of each name"
    );
    // A process notices that there are several names with its second or third request.
    let later = &starts[6..];
    for window in later.windows(5) {
        let span = window[4] - window[0];
        assert!(span >= Duration::from_millis(600), "5 in {span:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_of_different_domains_at_one_address_do_not_share_a_limit() {
    const DOMAINS: usize = 3;
    let hosts = HostDefaults {
        in_flight: 1,
        interval: Duration::ZERO,
    };
    // Long enough for all pages to be requested before the first one is sent.
    let server = Server::start(|request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        _ => SiteResponse::html("<p>words").after(Duration::from_secs(2)),
    });
    let test_store = TestStore::fresh(hosts).await;
    let names = (0..DOMAINS).map(|number| format!("www.site-{number}.test"));
    let job = test_store
        .start(JobKind::BatchScrape, &batch(names, &server))
        .await;
    let worker = limited(&test_store.store, hosts);
    let job = test_store.finished(job).await;
    worker.stop().await;
    assert_eq!(
        (job.state, usize::try_from(job.documents).unwrap()),
        (JobState::Completed, DOMAINS)
    );
    // With a common limit it would be one.
    assert!(server.most_in_flight() >= 2, "{}", server.most_in_flight());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_workers_together_respect_the_limits_of_a_host() {
    let hosts = HostDefaults {
        in_flight: 2,
        interval: Duration::from_millis(200),
    };
    let graph = Graph {
        latency: Duration::from_millis(120),
        ..Graph::new(25)
    };
    let server = Server::start(graph.site());
    let test_store = TestStore::fresh(hosts).await;
    let params = JobParams {
        max_depth: Some(9),
        ..JobParams::for_url(server.url("/"))
    };
    let job = test_store.start(JobKind::Crawl, &params).await;
    let fetch = http();
    let workers: Vec<RunningWorker> = (0..3)
        .map(|_| RunningWorker::start(&test_store.store, fetch.clone(), settings(hosts)))
        .collect();
    let job = test_store.finished(job).await;
    for worker in workers {
        worker.stop().await;
    }
    assert_eq!((job.state, job.documents), (JobState::Completed, 25));
    assert!(server.most_in_flight() <= 2, "{}", server.most_in_flight());
    let mut pages: Vec<_> = server.hits();
    pages.retain(|hit| hit.path_and_query != "/robots.txt");
    // Seven requests span six intervals, 1.2 s; allow for a delayed first request on a busy machine.
    for window in pages.windows(7) {
        let span = window[6].at - window[0].at;
        assert!(span >= Duration::from_secs(1), "7 in {span:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retry_after_pauses_the_host() {
    let busy = std::sync::atomic::AtomicBool::new(true);
    let site = move |request: &Request| match request.path() {
        "/" if busy.swap(false, std::sync::atomic::Ordering::SeqCst) => {
            SiteResponse::status(429).header("Retry-After", "2")
        }
        "/" => SiteResponse::html("<p>words"),
        _ => SiteResponse::status(404),
    };
    let server = Server::start(site);
    let test_store = TestStore::fresh(crate::test_store::fast()).await;
    let job = test_store
        .start(JobKind::Crawl, &JobParams::for_url(server.url("/")))
        .await;
    let worker = RunningWorker::start(
        &test_store.store,
        http(),
        settings(crate::test_store::fast()),
    );
    let job = test_store.finished(job).await;
    worker.stop().await;
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
        "/robots.txt" => SiteResponse::text("User-agent: *\nCrawl-delay: 0.5"),
        "/" => SiteResponse::html("<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"),
        _ => SiteResponse::html("<p>words"),
    };
    let server = Server::start(site);
    let test_store = TestStore::fresh(crate::test_store::fast()).await;
    let job = test_store
        .start(JobKind::Crawl, &JobParams::for_url(server.url("/")))
        .await;
    let worker = RunningWorker::start(
        &test_store.store,
        http(),
        settings(crate::test_store::fast()),
    );
    let job = test_store.finished(job).await;
    worker.stop().await;
    assert_eq!((job.state, job.documents), (JobState::Completed, 4));
    let hits = server.hits();
    for pair in hits.windows(2) {
        let between = pair[1].at - pair[0].at;
        assert!(between >= Duration::from_millis(480), "{between:?}");
    }
}
