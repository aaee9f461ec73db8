//! Politeness of three processes together, from the request log of one host.

use std::time::Duration;

use serde_json::json;
use testsite::Server;

use crate::cluster::Cluster;
use crate::drain::{create_job, wait_for_end};
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

/// No tolerance is needed: requests are spaced 5% wider than the limit, which covers delays on a busy machine.
#[test]
fn three_processes_together_respect_the_limits_of_a_host() {
    let site = Site {
        pages: 36,
        latency: Duration::from_millis(100),
    };
    let server = Server::start(move |request: &testsite::Request| site.respond(request));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let url = cluster.url();
    let start = |mode| process::start_ready(folder.path(), mode, Some(&url));
    let api = start("api");
    let mut workers = [start("worker"), start("worker"), start("worker")];
    let body = json!({ "url": server.url("/"), "max_depth": 20 });
    let job = create_job(&api, "/v1/crawl", &body);
    for (index, pages) in [(0, 10), (1, 20)] {
        wait_until("some pages are requested", TIMEOUT, || {
            server.total() >= pages
        });
        workers[index].kill();
        workers[index] = start("worker");
    }
    let finished = wait_for_end(&api, &job);
    assert_eq!(finished["documents"], 36, "{finished}");
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
