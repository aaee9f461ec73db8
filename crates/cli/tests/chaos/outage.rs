//! The database is unavailable for a while, under load: no process ends, all report it, and work resumes afterwards.

use std::time::{Duration, Instant};

use serde_json::json;
use testsite::Server;

use crate::client;
use crate::cluster::Cluster;
use crate::drain::{create_job, wait_for_end};
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;
use crate::rounds::CONFIG;
use crate::site::Site;

#[test]
fn an_unavailable_database_is_waited_for() {
    let site = Site {
        pages: 400,
        latency: Duration::from_millis(60),
    };
    let server = Server::start(move |request: &testsite::Request| site.respond(request));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let url = cluster.url();
    let start = |mode| process::start_ready(folder.path(), mode, Some(&url));
    let api = start("api");
    let mut workers = [start("worker"), start("worker")];
    let body = json!({ "url": server.url("/"), "max_depth": 20 });
    let job = create_job(&api, "/v1/crawl", &body);
    wait_until("some pages are requested", TIMEOUT, || server.total() >= 60);
    cluster.stop_immediately();
    let status = |path: &str| client::get(&api.addr(), path).map_or(0, |response| response.0);
    wait_until("it is not ready", TIMEOUT, || status("/readyz") == 503);
    assert_eq!(status("/healthz"), 200);
    // Longer than a lease. A worker that is started meanwhile waits too.
    let third = process::start(folder.path(), "worker", Some(&url));
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
    let finished = wait_for_end(&api, &job);
    assert_eq!(finished["documents"], 400, "{finished}");
    for worker in &mut workers {
        assert!(worker.is_running(), "{}", worker.log());
    }
}
