//! SIGTERM under load: no new work is started, unfinished tasks are returned to the queue, and the process exits soon.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use serde_json::{Value, json};
use testsite::{Request, Server, SiteResponse, SocketStep};

use crate::audit::is_final;
use crate::client;
use crate::deployment::Deployment;
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};

/// Pages take longer than any test.
const CONFIG: &str = "
http:
  timeout: 1h
worker:
  pool_size: 8
  per_host_concurrency: 16
  per_host_rps: 0
  drain: 2s
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
        _ => SiteResponse::script(vec![SocketStep::Hang]),
    });
    let deployment = Deployment::start(CONFIG, 0);
    let api = &deployment.api;
    let urls: Vec<String> = (0..40)
        .map(|page| server.url(&format!("/{page}")))
        .collect();
    let job = create_job(api, "/v1/batch/scrape", &json!({ "urls": urls }));

    // Its drain takes longer than the test waits for anything.
    let config = deployment.folder.path().join("config.yaml");
    std::fs::write(&config, CONFIG.replace("drain: 2s", "drain: 10m")).unwrap();
    let mut patient = deployment.start_worker();
    // Eight pages, and a robots.txt.
    wait_until("its page workers are busy", TIMEOUT, || server.total() == 9);
    patient.signal("TERM");
    patient.wait_for_log("stopping");

    std::fs::write(&config, CONFIG).unwrap();
    let mut worker = deployment.start_worker();
    wait_until("its page workers are busy", TIMEOUT, || {
        server.total() == 17
    });
    worker.signal("TERM");
    // No page ever ends: without a limit for the drain, neither does the process.
    let (status, _) = worker.wait_for_exit(TIMEOUT);
    assert_eq!(status.code(), Some(0), "{}", worker.log());
    // The other one was told to stop earlier, and still waits, for its own limit.
    assert!(patient.is_running(), "{}", patient.log());
    assert_eq!(server.total(), 17, "a request was started during a drain");
    let counts = worker.wait_for_log("worker finished");
    assert_eq!(counts["handed_back"], counts["claimed"], "{counts}");
    let tasks = client::list(&api.addr(), &format!("{job}/tasks"), "tasks", 1000).unwrap();
    let (held, returned): (Vec<_>, Vec<_>) = tasks
        .into_iter()
        .partition(|task| task["status"] == "processing");
    assert_eq!((held.len(), returned.len()), (8, 32));
    for task in returned {
        assert_eq!(
            (&task["status"], &task["attempts"]),
            (&json!("queued"), &json!(0)),
            "{task}"
        );
    }

    // Nothing else shortens a drain of ten minutes.
    patient.signal("TERM");
    patient.wait_for_exit(TIMEOUT);

    open.store(true, SeqCst);
    let _last = deployment.start_worker();
    let finished = wait_for_end(api, &job);
    let numbers = (&finished["documents"], &finished["tasks"]["failed"]);
    assert_eq!(numbers, (&json!(40), &json!(0)), "{finished}");
}
