//! SIGTERM under load: nothing new is begun, what cannot be finished is handed back, and the way out is short.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Answer, Request, Server};

use crate::audit::is_final;
use crate::client;
use crate::cluster::Cluster;
use crate::process::{PATIENCE, Process, until};

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
pub(crate) fn accepted(api: &Process, place: &str, body: &Value) -> String {
    let (status, answer) = client::post(&api.addr(), place, body).unwrap();
    assert_eq!(status, 202, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    answer["url"].as_str().unwrap().to_owned()
}

/// The job once it is over.
pub(crate) fn over(api: &Process, place: &str) -> Value {
    let addr = api.addr();
    let mut told = Value::Null;
    until("the job is over", PATIENCE, || {
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
        "/robots.txt" => Answer::status(404),
        path if gate.load(SeqCst) => Answer::html(format!("<title>{path}</title><p>words")),
        _ => Answer::html("late").after(Duration::from_secs(50)),
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let url = cluster.url();
    let start = |mode| Process::at_work(folder.path(), mode, Some(&url));
    let api = start("api");
    let urls: Vec<String> = (0..40)
        .map(|page| server.url(&format!("/{page}")))
        .collect();
    let job = accepted(&api, "/v1/batch/scrape", &json!({ "urls": urls }));

    let mut worker = start("worker");
    // Eight pages, and a robots.txt.
    until("its page workers are busy", PATIENCE, || {
        server.total() == 9
    });
    worker.signal("TERM");
    let (status, took) = worker.ended(Duration::from_secs(12));
    assert_eq!(status.code(), Some(0), "{}", worker.log());
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert_eq!(server.total(), 9, "something was begun on the way out");
    let worked = worker.said("worked");
    assert_eq!(worked["handed_back"], worked["claimed"], "{worked}");
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
    until("its page workers are busy", PATIENCE, || {
        server.total() == 17
    });
    hasty.signal("TERM");
    hasty.said("stopping");
    hasty.signal("TERM");
    let (_, took) = hasty.ended(PATIENCE);
    assert!(took < Duration::from_secs(2), "{took:?}");

    open.store(true, SeqCst);
    let _last = start("worker");
    let told = over(&api, &job);
    let numbers = (&told["documents"], &told["tasks"]["failed"]);
    assert_eq!(numbers, (&json!(40), &json!(0)), "{told}");
}
