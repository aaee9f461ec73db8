//! Connections that nobody closed and nobody forwards: each call ends by its own deadline, and the worker goes on over
//! new ones.

use std::time::{Duration, Instant};

use serde_json::json;
use testsite::Server;

use crate::cluster::Cluster;
use crate::drain::{accepted, over};
use crate::forwarder::Forwarder;
use crate::process::{PATIENCE, Process, until};
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
    let api = Process::at_work(folder.path(), "api", Some(&cluster.url()));
    let mut worker = Process::at_work(
        folder.path(),
        "worker",
        Some(&cluster.url_by(forwarder.port)),
    );
    let body = json!({ "url": server.url("/"), "max_depth": 20 });
    let job = accepted(&api, "/v1/crawl", &body);
    until("some pages are asked for", PATIENCE, || {
        server.total() >= 60
    });
    forwarder.forget();
    let begun = Instant::now();
    until("its leases are over", PATIENCE, || {
        begun.elapsed() > Duration::from_secs(3)
    });
    let before = server.total();
    forwarder.heal();
    let took = until("the worker goes on", PATIENCE, || server.total() > before);
    // A call has ten seconds, and its connection two more to show that it lives.
    assert!(took < Duration::from_secs(20), "{took:?}\n{}", worker.log());
    let told = over(&api, &job);
    assert_eq!(told["documents"], 300, "{told}");
    assert!(worker.lives(), "{}", worker.log());
}
