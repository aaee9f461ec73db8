//! What one host sees of three processes that work for it together, from its own log.

use std::time::Duration;

use serde_json::json;
use testsite::Server;

use crate::cluster::Cluster;
use crate::drain::{accepted, over};
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;
use crate::site::Site;

const CONFIG: &str = "
worker:
  per_host_concurrency: 2
  per_host_rps: 5
  lease: 2s
  heartbeat: 500ms
  max_crashes: 1000
store:
  connections: 5
egress:
  allow: [127.0.0.0/8]
";

/// No tolerance: requests are spaced a twentieth wider than the limit asks, which is what a busy machine may take to send
/// one and to note it.
#[test]
fn three_processes_ask_a_host_five_times_a_second_and_twice_at_once() {
    let site = Site {
        pages: 36,
        latency: Duration::from_millis(100),
    };
    let server = Server::start(move |request: &testsite::Request| site.answer(request));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let url = cluster.url();
    let start = |mode| process::start_ready(folder.path(), mode, Some(&url));
    let api = start("api");
    let mut crew = [start("worker"), start("worker"), start("worker")];
    let body = json!({ "url": server.url("/"), "max_depth": 20 });
    let job = accepted(&api, "/v1/crawl", &body);
    for (place, pages) in [(0, 10), (1, 20)] {
        wait_until("some pages are asked for", TIMEOUT, || {
            server.total() >= pages
        });
        crew[place].kill();
        crew[place] = start("worker");
    }
    let told = over(&api, &job);
    assert_eq!(told["documents"], 36, "{told}");
    assert!(server.most_in_flight() <= 2, "{}", server.most_in_flight());
    let hits = server.hits();
    for window in hits.windows(6) {
        let span = window[5].at - window[0].at;
        let paths: Vec<_> = window.iter().map(|hit| &hit.path_and_query).collect();
        let starts: Vec<_> = window.iter().map(|hit| hit.at - hits[0].at).collect();
        assert!(
            span > Duration::from_secs(1),
            "6 in {span:?}: {paths:?} {starts:?}"
        );
    }
}
