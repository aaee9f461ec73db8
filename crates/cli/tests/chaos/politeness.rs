//! Politeness of three processes together, from the request log of one host.

use std::time::Duration;

use crate::deployment::Deployment;
use crate::drain::wait_for_end;
use crate::harness::wait::{TIMEOUT, wait_until};
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
        is_scripted: false,
    };
    let server = site.serve();
    let mut deployment = Deployment::start(CONFIG, 3);
    let job = deployment.crawl(&server);
    for (index, pages) in [(0, 10), (1, 20)] {
        wait_until("some pages are requested", TIMEOUT, || {
            server.total() >= pages
        });
        deployment.workers[index].kill();
        deployment.workers[index] = deployment.start_worker();
    }
    let finished = wait_for_end(&deployment.api, &job);
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
