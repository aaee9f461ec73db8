//! A page that crashes its worker fails after three attempts and does not affect other pages.

use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Request, Server, SiteResponse};

use crate::client;
use crate::cluster::Cluster;
use crate::drain::{accepted, over};
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

/// The others take long enough to be at work whenever the worker ends.
fn site(request: &Request) -> SiteResponse {
    match request.path() {
        "/robots.txt" => SiteResponse::status(404),
        "/poison" => SiteResponse::html("never").after(Duration::from_secs(50)),
        path => SiteResponse::html(format!("<title>{path}</title><p>words"))
            .after(Duration::from_millis(400)),
    }
}

/// Kills `worker` three times when it requests the page; `again` starts another.
fn play(
    server: &Server,
    api: impl Fn(&Service) -> String,
    again: impl Fn() -> Service,
    job: &str,
) -> Value {
    let mut worker = again();
    for times in 1..=3 {
        wait_until("the page is asked for", TIMEOUT, || {
            server.count("/poison") == times
        });
        worker.kill();
        worker = again();
    }
    let mut told = Value::Null;
    wait_until("the job is over", TIMEOUT, || {
        told = client::get_json(&api(&worker), job).unwrap_or_default();
        crate::audit::is_final(&told)
    });
    let tasks = client::list(&api(&worker), &format!("{job}/tasks"), "tasks", 1000).unwrap();
    for task in tasks {
        let is_it = task["url"] == server.url("/poison");
        let status = if is_it { "failed" } else { "done" };
        assert_eq!(task["status"], status, "{task}");
        assert!(!is_it || task["reason"] == "poisoned", "{task}");
    }
    assert_eq!(server.count("/poison"), 3);
    told
}

fn urls(server: &Server) -> Value {
    let mut urls: Vec<String> = (0..20)
        .map(|page| server.url(&format!("/{page}")))
        .collect();
    urls.insert(2, server.url("/poison"));
    json!({ "urls": urls })
}

#[test]
fn a_page_that_ends_its_workers_is_poisoned_and_the_others_are_done() {
    let server = Server::start(site);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let cluster = Cluster::start();
    let url = cluster.url();
    let api = process::start_ready(folder.path(), "api", Some(&url));
    let job = accepted(&api, "/v1/batch/scrape", &urls(&server));
    let again = || process::start_ready(folder.path(), "worker", Some(&url));
    let told = play(&server, |_| api.addr(), again, &job);
    assert_eq!(told["status"], "completed_with_errors", "{told}");
    assert_eq!(over(&api, &job)["documents"], 20);
}

#[test]
fn the_only_owner_of_a_file_finds_a_poisoned_page_too() {
    let server = Server::start(site);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let api = process::start_ready(folder.path(), "api", None);
    let job = accepted(&api, "/v1/batch/scrape", &urls(&server));
    drop(api);
    let again = || process::start_ready(folder.path(), "all", None);
    let told = play(&server, Service::addr, again, &job);
    assert_eq!(told["documents"], 20, "{told}");
}
