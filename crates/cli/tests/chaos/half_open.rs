//! Half-open connections, neither closed nor forwarded: each call ends at its own deadline, and the worker continues over
//! new ones.

use std::time::{Duration, Instant};

use serde_json::json;
use testsite::Server;

use crate::cluster::Cluster;
use crate::drain::{accepted, over};
use crate::forwarder::Forwarder;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;
use crate::rounds::CONFIG;
use crate::site::Site;

#[test]
fn a_worker_outlives_connections_that_are_forgotten() {
    let site = Site {
        pages: 300,
        latency: Duration::from_millis(60),
    };
    let server = Server::start(move |request: &testsite::Request| site.answer(request));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let forwarder = Forwarder::start(cluster.port());
    let api = process::start_ready(folder.path(), "api", Some(&cluster.url()));
    let mut worker = process::start_ready(
        folder.path(),
        "worker",
        Some(&Cluster::url_by(forwarder.port)),
    );
    let body = json!({ "url": server.url("/"), "max_depth": 20 });
    let job = accepted(&api, "/v1/crawl", &body);
    wait_until("some pages are asked for", TIMEOUT, || server.total() >= 60);
    forwarder.forget();
    let begun = Instant::now();
    wait_until("its leases are over", TIMEOUT, || {
        begun.elapsed() > Duration::from_secs(3)
    });
    let before = server.total();
    forwarder.heal();
    let took = wait_until("the worker goes on", TIMEOUT, || server.total() > before);
    // A call has ten seconds, and its connection two more to show that it lives.
    assert!(took < Duration::from_secs(20), "{took:?}\n{}", worker.log());
    let told = over(&api, &job);
    assert_eq!(told["documents"], 300, "{told}");
    assert!(worker.is_running(), "{}", worker.log());
}
