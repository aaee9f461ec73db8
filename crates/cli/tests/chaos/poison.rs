//! A page that crashes its worker fails after three attempts of its own and does not affect other pages.

use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Request, Server, SiteResponse};

use crate::client;
use crate::deployment::Deployment;
use crate::drain::{create_job, wait_for_end};
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::process;

const CONFIG: &str = "
http:
  timeout: 1m
worker:
  pool_size: 8
  per_host_concurrency: 32
  per_host_rps: 0
  lease: 2s
  heartbeat: 500ms
store:
  connections: 5
egress:
  allow: [127.0.0.0/8]
";

/// The other pages take long enough to be in flight whenever the worker is killed.
fn site(request: &Request) -> SiteResponse {
    match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        "/poison" => SiteResponse::html("never").after(Duration::from_secs(50)),
        path => SiteResponse::html(format!("<title>{path}</title><p>words"))
            .after(Duration::from_millis(400)),
    }
}

/// Kills the worker when it requests the page, twice together with other pages and three times alone, then waits for the job;
/// `start_worker` starts another worker.
fn run_poisoned_job(
    server: &Server,
    api: impl Fn(&Service) -> String,
    start_worker: impl Fn() -> Service,
    job: &str,
) -> Value {
    let mut worker = start_worker();
    for times in 1..=5 {
        wait_until("the page is requested", TIMEOUT, || {
            server.count("/poison") == times
        });
        worker.kill();
        worker = start_worker();
    }
    let mut finished = Value::Null;
    wait_until("the job ends", TIMEOUT, || {
        finished = client::get_json(&api(&worker), job).unwrap_or_default();
        crate::audit::is_final(&finished)
    });
    let tasks = client::list(&api(&worker), &format!("{job}/tasks"), "tasks", 1000).unwrap();
    for task in tasks {
        let is_poison = task["url"] == server.url("/poison");
        let status = if is_poison { "failed" } else { "done" };
        assert_eq!(task["status"], status, "{task}");
        assert!(!is_poison || task["reason"] == "poisoned", "{task}");
    }
    assert_eq!(server.count("/poison"), 5);
    finished
}

fn urls(server: &Server) -> Value {
    let mut urls: Vec<String> = (0..20)
        .map(|page| server.url(&format!("/{page}")))
        .collect();
    urls.insert(2, server.url("/poison"));
    json!({ "urls": urls })
}

#[test]
fn a_page_that_crashes_its_workers_is_poisoned_and_the_others_are_done() {
    let server = Server::start(site);
    let deployment = Deployment::start(CONFIG, 0);
    let api = &deployment.api;
    let job = create_job(api, "/v1/batch/scrape", &urls(&server));
    let start_worker = || deployment.start_worker();
    let finished = run_poisoned_job(&server, |_| api.addr(), start_worker, &job);
    assert_eq!(finished["status"], "completed_with_errors", "{finished}");
    assert_eq!(wait_for_end(api, &job)["documents"], 20);
}

#[test]
fn a_poisoned_page_is_detected_on_sqlite_too() {
    let server = Server::start(site);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let api = process::start_ready(folder.path(), "api", None);
    let job = create_job(&api, "/v1/batch/scrape", &urls(&server));
    drop(api);
    let start_worker = || process::start_ready(folder.path(), "all", None);
    let finished = run_poisoned_job(&server, Service::addr, start_worker, &job);
    assert_eq!(finished["documents"], 20, "{finished}");
}
