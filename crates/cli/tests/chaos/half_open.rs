//! Half-open connections, neither closed nor forwarded: each call ends at its deadline, and the worker continues with new
//! connections.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::cluster::Cluster;
use crate::drain::{create_job, wait_for_end};
use crate::forwarder::Forwarder;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;
use crate::rounds::CONFIG;
use crate::site::Site;

#[test]
fn a_worker_survives_half_open_connections() {
    let site = Site {
        pages: 300,
        latency: Duration::from_millis(60),
        is_scripted: false,
    };
    let server = site.serve();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let forwarder = Forwarder::start(cluster.port());
    let api = process::start_ready(folder.path(), "api", Some(&cluster.url()));
    let mut worker = process::start_ready(
        folder.path(),
        "worker",
        Some(&Cluster::url_with_port(forwarder.port)),
    );
    let body = json!({ "url": server.url("/"), "max_depth": 20 });
    let job = create_job(&api, "/v1/crawl", &body);
    wait_until("some pages are requested", TIMEOUT, || server.total() >= 60);
    forwarder.blackhole();
    let started = Instant::now();
    wait_until("its leases have expired", TIMEOUT, || {
        started.elapsed() > Duration::from_secs(3)
    });
    let before = server.total();
    forwarder.restore();
    let took = wait_until("the worker continues", TIMEOUT, || server.total() > before);
    // A call times out after ten seconds, and its connection is then tested for two more.
    assert!(took < Duration::from_secs(20), "{took:?}\n{}", worker.log());
    let finished = wait_for_end(&api, &job);
    assert_eq!(finished["documents"], 300, "{finished}");
    assert!(worker.is_running(), "{}", worker.log());
}
