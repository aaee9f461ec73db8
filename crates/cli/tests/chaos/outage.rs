//! The database is unavailable for a while, under load: no process ends, all report it, and work resumes afterwards.

use std::time::{Duration, Instant};

use serde_json::json;
use testsite::Server;

use crate::client;
use crate::cluster::Cluster;
use crate::deployment::Deployment;
use crate::drain::{create_job, wait_for_end};
use crate::forwarder::Forwarder;
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;
use crate::rounds::CONFIG;
use crate::site::Site;

#[test]
fn the_service_waits_for_an_unavailable_database() {
    let site = Site {
        pages: 400,
        latency: Duration::from_millis(60),
        is_scripted: false,
    };
    let server = site.serve();
    let mut deployment = Deployment::start(CONFIG, 2);
    let job = deployment.crawl(&server);
    let Deployment { api, cluster, .. } = &deployment;
    wait_until("some pages are requested", TIMEOUT, || server.total() >= 60);
    cluster.stop_immediately();
    let status = |path: &str| client::get(&api.addr(), path).map_or(0, |response| response.0);
    wait_until("it is not ready", TIMEOUT, || status("/readyz") == 503);
    assert_eq!(status("/healthz"), 200);
    // Longer than a lease. A worker that is started meanwhile waits too.
    let third = process::start(deployment.folder.path(), "worker", Some(&cluster.url()));
    let started = Instant::now();
    wait_until("the leases have expired", TIMEOUT, || {
        assert_eq!(status("/readyz"), 503);
        started.elapsed() > Duration::from_secs(5)
    });
    let before = server.total();
    cluster.start_server();
    let took = wait_until("work continues", TIMEOUT, || server.total() > before);
    assert!(took < Duration::from_secs(10), "{took:?}");
    let took = wait_until("it is ready", TIMEOUT, || status("/readyz") == 200);
    assert!(took < Duration::from_secs(10), "{took:?}");
    third.wait_for_log("working");
    let finished = wait_for_end(api, &job);
    assert_eq!(finished["documents"], 400, "{finished}");
    for worker in &mut deployment.workers {
        assert!(worker.is_running(), "{}", worker.log());
    }
}

/// Longest time that a request may take while the database is unreachable: 500 ms and `store.connect_timeout` (1.5 s),
/// and a margin for a busy machine.
const LONGEST_REQUEST: Duration = Duration::from_secs(5);

/// Sends one request of each kind; all must fail in time.
fn assert_unavailable(api: &Service, page: &str) {
    let requests = [
        ("/v1/jobs", None),
        ("/v1/crawl", Some(json!({ "url": page }))),
        ("/v1/batch/scrape", Some(json!({ "urls": [page] }))),
        ("/v1/scrape", Some(json!({ "url": page }))),
    ];
    for (path, body) in requests {
        let started = Instant::now();
        let (status, response) = match body {
            None => client::get(&api.addr(), path).unwrap(),
            Some(body) => client::post(&api.addr(), path, &body).unwrap(),
        };
        let took = started.elapsed();
        assert_eq!(status, 503, "{path}: {response}");
        assert!(took < LONGEST_REQUEST, "{path}: {took:?}\n{}", api.log());
    }
    let status = |path| client::get(&api.addr(), path).unwrap().0;
    // A result of the check is used for a second.
    wait_until("it is not ready", LONGEST_REQUEST, || {
        status("/readyz") == 503
    });
    assert_eq!(status("/healthz"), 200);
}

#[test]
fn requests_fail_quickly_while_the_database_is_unreachable() {
    let server = Server::start(|_: &testsite::Request| testsite::SiteResponse::html("<p>words"));
    let page = server.url("/page");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let forwarder = Forwarder::start(cluster.port());
    let url = Cluster::url_with_port(forwarder.port);
    let api = process::start_ready(folder.path(), "api", Some(&url));
    let works = || {
        let status = client::get(&api.addr(), "/readyz").unwrap().0;
        status == 200 && client::get(&api.addr(), "/v1/jobs").unwrap().0 == 200
    };
    assert!(works(), "{}", api.log());
    // No response at all, as from a machine that is off.
    forwarder.blackhole();
    assert_unavailable(&api, &page);
    forwarder.restore();
    let took = wait_until("it works again", TIMEOUT, works);
    assert!(took < Duration::from_secs(10), "{took:?}\n{}", api.log());
    // Connections are refused.
    cluster.stop_immediately();
    assert_unavailable(&api, &page);
    cluster.start_server();
    let took = wait_until("it works again", TIMEOUT, works);
    assert!(took < Duration::from_secs(10), "{took:?}\n{}", api.log());
}

#[test]
fn a_service_that_starts_before_its_database_waits_for_it() {
    let server = Server::start(|_: &testsite::Request| testsite::SiteResponse::html("<p>words"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    cluster.stop_immediately();
    let service = process::start(folder.path(), "all", Some(&cluster.url()));
    let waiting = service.wait_for_log("store unavailable, retrying");
    let addr = waiting["addr"].as_str().unwrap();
    let status = |path: &str| client::get(addr, path).map_or(0, |response| response.0);
    let answers = ["/healthz", "/readyz", "/v1/jobs", "/metrics", "/other"].map(status);
    assert_eq!(answers, [200, 503, 503, 503, 503]);
    let body = json!({ "urls": [server.url("/page")] });
    let (refused, problem) = client::post(addr, "/v1/batch/scrape", &body).unwrap();
    assert_eq!(refused, 503);
    assert!(problem.contains("store_unavailable"), "{problem}");
    let mut other = process::start(folder.path(), "api", Some(&cluster.url()));
    other.wait_for_log("store unavailable, retrying");
    other.signal("TERM");
    assert_eq!(other.wait_for_exit(TIMEOUT).0.code(), Some(0));
    cluster.start_server();
    let took = wait_until("it is ready", TIMEOUT, || status("/readyz") == 200);
    assert!(
        took < Duration::from_secs(10),
        "{took:?}\n{}",
        service.log()
    );
    assert_eq!(service.addr(), addr, "it listens on the same address");
    let job = create_job(&service, "/v1/batch/scrape", &body);
    let finished = wait_for_end(&service, &job);
    assert_eq!(finished["status"], "completed", "{finished}");
}
