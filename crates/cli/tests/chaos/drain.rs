//! SIGTERM under load: no new work is started, unfinished tasks are returned to the queue, and the process exits soon.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Request, Server, SiteResponse};

use crate::audit::is_final;
use crate::client;
use crate::deployment::Deployment;
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};

/// The drain may take six seconds; pages take longer.
const CONFIG: &str = "
http:
  timeout: 1m
worker:
  pool_size: 8
  per_host_concurrency: 8
  per_host_rps: 0
  drain: 6s
  lease: 2s
  heartbeat: 500ms
  max_crashes: 1000
store:
  connections: 5
egress:
  allow: [127.0.0.0/8]
";

/// Creates a job and returns its path.
pub(crate) fn create_job(api: &Service, path: &str, body: &Value) -> String {
    let (status, response) = client::post(&api.addr(), path, body).unwrap();
    assert_eq!(status, 202, "{response}");
    let response: Value = serde_json::from_str(&response).unwrap();
    response["url"].as_str().unwrap().to_owned()
}

/// Waits until a job has ended and returns it.
pub(crate) fn wait_for_end(api: &Service, path: &str) -> Value {
    let addr = api.addr();
    let mut finished = Value::Null;
    wait_until("the job ends", TIMEOUT, || {
        finished = client::get_json(&addr, path).unwrap_or_default();
        is_final(&finished)
    });
    finished
}

#[test]
fn sigterm_returns_unfinished_tasks_and_a_second_one_exits_immediately() {
    let open = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&open);
    let server = Server::start(move |request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        path if gate.load(SeqCst) => SiteResponse::html(format!("<title>{path}</title><p>words")),
        _ => SiteResponse::html("late").after(Duration::from_secs(50)),
    });
    let deployment = Deployment::start(CONFIG, 0);
    let api = &deployment.api;
    let urls: Vec<String> = (0..40)
        .map(|page| server.url(&format!("/{page}")))
        .collect();
    let job = create_job(api, "/v1/batch/scrape", &json!({ "urls": urls }));

    let mut worker = deployment.start_worker();
    // Eight pages, and a robots.txt.
    wait_until("its page workers are busy", TIMEOUT, || server.total() == 9);
    worker.signal("TERM");
    let (status, took) = worker.wait_for_exit(Duration::from_secs(12));
    assert_eq!(status.code(), Some(0), "{}", worker.log());
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert_eq!(server.total(), 9, "a request was started during the drain");
    let counts = worker.wait_for_log("worker finished");
    assert_eq!(counts["handed_back"], counts["claimed"], "{counts}");
    let tasks = client::list(&api.addr(), &format!("{job}/tasks"), "tasks", 1000).unwrap();
    assert_eq!(tasks.len(), 40);
    for task in tasks {
        assert_eq!(
            (&task["status"], &task["attempts"]),
            (&json!("queued"), &json!(0)),
            "{task}"
        );
    }

    let mut second = deployment.start_worker();
    wait_until("its page workers are busy", TIMEOUT, || {
        server.total() == 17
    });
    second.signal("TERM");
    second.wait_for_log("stopping");
    second.signal("TERM");
    let (_, took) = second.wait_for_exit(TIMEOUT);
    assert!(took < Duration::from_secs(2), "{took:?}");

    open.store(true, SeqCst);
    let _last = deployment.start_worker();
    let finished = wait_for_end(api, &job);
    let numbers = (&finished["documents"], &finished["tasks"]["failed"]);
    assert_eq!(numbers, (&json!(40), &json!(0)), "{finished}");
}
