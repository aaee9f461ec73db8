//! The database is unavailable for a while, under load: no process ends, all report it, and work resumes afterwards.

use std::time::{Duration, Instant};

use serde_json::json;
use testsite::Server;

use crate::client;
use crate::cluster::Cluster;
use crate::drain::{accepted, over};
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;
use crate::rounds::CONFIG;
use crate::site::Site;

#[test]
fn a_database_that_is_away_is_waited_for() {
    let site = Site {
        pages: 400,
        latency: Duration::from_millis(60),
    };
    let server = Server::start(move |request: &testsite::Request| site.answer(request));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let url = cluster.url();
    let start = |mode| process::start_ready(folder.path(), mode, Some(&url));
    let api = start("api");
    let mut crew = [start("worker"), start("worker")];
    let body = json!({ "url": server.url("/"), "max_depth": 20 });
    let job = accepted(&api, "/v1/crawl", &body);
    wait_until("some pages are asked for", TIMEOUT, || server.total() >= 60);
    cluster.stop_at_once();
    let status = |path: &str| client::get(&api.addr(), path).map_or(0, |answer| answer.0);
    wait_until("it is not ready", TIMEOUT, || status("/readyz") == 503);
    assert_eq!(status("/healthz"), 200);
    // Longer than leases last; and one that starts meanwhile waits too.
    let third = process::start(folder.path(), "worker", Some(&url));
    let begun = Instant::now();
    wait_until("the leases are over", TIMEOUT, || {
        assert_eq!(status("/readyz"), 503);
        begun.elapsed() > Duration::from_secs(5)
    });
    let before = server.total();
    cluster.go_on();
    let took = wait_until("work goes on", TIMEOUT, || server.total() > before);
    assert!(took < Duration::from_secs(10), "{took:?}");
    let took = wait_until("it is ready", TIMEOUT, || status("/readyz") == 200);
    assert!(took < Duration::from_secs(10), "{took:?}");
    third.wait_for_log("working");
    let told = over(&api, &job);
    assert_eq!(told["documents"], 400, "{told}");
    for worker in &mut crew {
        assert!(worker.is_running(), "{}", worker.log());
    }
}
