//! SIGTERM under load: nothing new is begun, what cannot be finished is handed back, and the way out is short.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Request, Server, SiteResponse};

use crate::audit::is_final;
use crate::client;
use crate::cluster::Cluster;
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;

/// The way out may take six seconds; pages take longer.
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

/// Submits a job that must be accepted; its place.
pub(crate) fn accepted(api: &Service, place: &str, body: &Value) -> String {
    let (status, answer) = client::post(&api.addr(), place, body).unwrap();
    assert_eq!(status, 202, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    answer["url"].as_str().unwrap().to_owned()
}

/// The job once it is over.
pub(crate) fn over(api: &Service, place: &str) -> Value {
    let addr = api.addr();
    let mut told = Value::Null;
    wait_until("the job is over", TIMEOUT, || {
        told = client::get_json(&addr, place).unwrap_or_default();
        is_final(&told)
    });
    told
}

#[test]
fn sigterm_hands_back_what_it_cannot_finish_and_a_second_one_ends_at_once() {
    let open = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&open);
    let server = Server::start(move |request: &Request| match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        path if gate.load(SeqCst) => SiteResponse::html(format!("<title>{path}</title><p>words")),
        _ => SiteResponse::html("late").after(Duration::from_secs(50)),
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let url = cluster.url();
    let start = |mode| process::start_ready(folder.path(), mode, Some(&url));
    let api = start("api");
    let urls: Vec<String> = (0..40)
        .map(|page| server.url(&format!("/{page}")))
        .collect();
    let job = accepted(&api, "/v1/batch/scrape", &json!({ "urls": urls }));

    let mut worker = start("worker");
    // Eight pages, and a robots.txt.
    wait_until("its page workers are busy", TIMEOUT, || server.total() == 9);
    worker.signal("TERM");
    let (status, took) = worker.wait_for_exit(Duration::from_secs(12));
    assert_eq!(status.code(), Some(0), "{}", worker.log());
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert_eq!(server.total(), 9, "something was begun on the way out");
    let last_words = worker.wait_for_log("worker finished");
    assert_eq!(
        last_words["handed_back"], last_words["claimed"],
        "{last_words}"
    );
    let tasks = client::list(&api.addr(), &format!("{job}/tasks"), "tasks", 1000).unwrap();
    assert_eq!(tasks.len(), 40);
    for task in tasks {
        assert_eq!(
            (&task["status"], &task["attempts"]),
            (&json!("queued"), &json!(0)),
            "{task}"
        );
    }

    let mut hasty = start("worker");
    wait_until("its page workers are busy", TIMEOUT, || {
        server.total() == 17
    });
    hasty.signal("TERM");
    hasty.wait_for_log("stopping");
    hasty.signal("TERM");
    let (_, took) = hasty.wait_for_exit(TIMEOUT);
    assert!(took < Duration::from_secs(2), "{took:?}");

    open.store(true, SeqCst);
    let _last = start("worker");
    let told = over(&api, &job);
    let numbers = (&told["documents"], &told["tasks"]["failed"]);
    assert_eq!(numbers, (&json!(40), &json!(0)), "{told}");
}
