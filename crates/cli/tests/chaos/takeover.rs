//! A killed worker at default settings: how long it takes until another one fetches its page.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

use serde_json::json;
use testsite::{Request, Server, SiteResponse};

use crate::deployment::Deployment;
use crate::drain::{create_job, wait_for_end};
use crate::harness::wait::{TIMEOUT, wait_until};

/// Defaults for leases, heartbeats, politeness and everything else.
const CONFIG: &str = "
egress:
  allow: [127.0.0.0/8]
";
const LONGEST_TAKEOVER: Duration = Duration::from_secs(45);

#[test]
fn a_killed_worker_is_replaced_within_45_seconds_at_default_settings() {
    let visits = AtomicU32::new(0);
    let server = Server::start(move |request: &Request| match request.path() {
        "/page" => {
            // The first worker is killed before it gets the page.
            let first = visits.fetch_add(1, SeqCst) == 0;
            SiteResponse::html("<title>Page</title><p>words").after(if first {
                Duration::from_secs(25)
            } else {
                Duration::ZERO
            })
        }
        _ => SiteResponse::status(404),
    });
    let deployment = Deployment::start(CONFIG, 0);
    let mut first = deployment.start_worker();
    let body = json!({ "urls": [server.url("/page")] });
    let job = create_job(&deployment.api, "/v1/batch/scrape", &body);
    wait_until("the page is requested", TIMEOUT, || {
        server.count("/page") == 1
    });
    let _second = deployment.start_worker();
    first.kill();
    let killed = Instant::now();
    wait_until("the page is requested again", 2 * LONGEST_TAKEOVER, || {
        server.count("/page") == 2
    });
    let took = killed.elapsed();
    assert!(took <= LONGEST_TAKEOVER, "{took:?}");
    let finished = wait_for_end(&deployment.api, &job);
    assert_eq!(finished["documents"], 1, "{finished}");
}
