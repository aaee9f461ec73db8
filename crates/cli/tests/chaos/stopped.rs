//! A worker that was suspended for longer than its lease: its late write is dropped and counted.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use serde_json::json;
use testsite::{Request, Server, SiteResponse};

use crate::deployment::Deployment;
use crate::drain::{create_job, wait_for_end};
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::{client, rounds};

#[test]
fn a_suspended_worker_does_not_overwrite_its_successor() {
    let visits = AtomicU32::new(0);
    let server = Server::start(move |request: &Request| match request.path() {
        "/page" => {
            let visit = visits.fetch_add(1, SeqCst) + 1;
            SiteResponse::html(format!("<title>Visit {visit}</title><p>words"))
                .after(Duration::from_millis(700))
        }
        _ => SiteResponse::status(404),
    });
    let deployment = Deployment::start(rounds::CONFIG, 0);
    let api = &deployment.api;
    let mut late = deployment.start_worker();
    let body = json!({ "urls": [server.url("/page")] });
    let job = create_job(api, "/v1/batch/scrape", &body);
    wait_until("the page is requested", TIMEOUT, || {
        server.count("/page") == 1
    });
    late.signal("STOP");
    let mut successor = deployment.start_worker();
    let finished = wait_for_end(api, &job);
    assert_eq!(finished["status"], "completed", "{finished}");
    assert_eq!(server.count("/page"), 2);
    late.signal("CONT");
    // On SIGTERM it first settles its tasks: that is the late write.
    late.signal("TERM");
    let (status, _) = late.wait_for_exit(TIMEOUT);
    assert_eq!(status.code(), Some(0), "{}", late.log());
    let counts = late.wait_for_log("worker finished");
    let numbers = ["claimed", "done", "lost"].map(|name| counts[name].as_u64().unwrap());
    assert_eq!(numbers, [1, 0, 1], "{}", late.log());
    successor.signal("TERM");
    successor.wait_for_exit(TIMEOUT);
    let counts = successor.wait_for_log("worker finished");
    let numbers = ["done", "lost", "rescued"].map(|name| counts[name].as_u64().unwrap());
    assert_eq!(numbers, [1, 0, 1], "{}", successor.log());
    let documents = client::list(&api.addr(), &format!("{job}/documents"), "documents", 100);
    let documents = documents.unwrap();
    assert_eq!(documents.len(), 1);
    assert_eq!(documents[0]["title"], "Visit 2");
    let finished = wait_for_end(api, &job);
    assert_eq!(finished["tasks"]["done"], 1, "{finished}");
}
