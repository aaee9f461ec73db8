//! Metrics and logs of the service: names, ids, one line per event.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{ChildStderr, Stdio};
use std::time::Instant;

use crawler_service::api::METRICS;
use serde_json::Value;
use testsite::{Pages, Server, SiteResponse};

use crate::api::{ANY_PORT, Api};
use crate::harness::http;
use crate::harness::process::{Process, isolated_program};
use crate::harness::wait::TIMEOUT;

fn site() -> Server {
    Server::start(
        Pages::new()
            .links("/", &["/a", "/gone"])
            .html("/a", "<p>Words that somebody came for.")
            .page("/gone", SiteResponse::status(404)),
    )
}

const CONFIG: &str =
    "egress:\n  allow: [127.0.0.1]\nworker:\n  per_host_rps: 0\n  metrics_addr: 127.0.0.1:0\n";

/// The metric names in a text, without the suffixes of histograms.
fn names(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c == '_';
    let words = text.split(|c: char| !is_part(c));
    let words = words.filter(|word| word.starts_with("crawler_"));
    words
        .map(|word| {
            let plain = ["_bucket", "_sum", "_count"]
                .iter()
                .find_map(|end| word.strip_suffix(end));
            plain.unwrap_or(word).to_owned()
        })
        .collect()
}

fn ours() -> BTreeSet<String> {
    METRICS.iter().map(|(name, _)| (*name).to_owned()).collect()
}

#[test]
fn operations_md_lists_exactly_the_exported_metrics() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
    let found = names(&std::fs::read_to_string(path).unwrap());
    assert_eq!(found, ours());
}

#[test]
fn a_running_service_exports_every_metric_by_its_name() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let service = Api::start(folder.path(), &[&["serve"][..], &ANY_PORT].concat());
    let body = format!("{{\"url\": \"{}\"}}", site.url("/"));
    let (_, created) = service.post("/v1/crawl", &body);
    let created: Value = serde_json::from_str(&created).unwrap();
    let job_path = created["url"].as_str().unwrap();
    service.get(&format!("{job_path}/events"));
    let started = Instant::now();
    loop {
        let (status, text) = service.get("/metrics");
        assert_eq!(status, 200);
        let found = names(&text);
        assert!(found.is_subset(&ours()), "{:?}", &found - &ours());
        let done = "crawler_worker_tasks_total{type=\"crawl\",result=\"done\"} 2";
        if found == ours() && text.contains(done) {
            break;
        }
        assert!(
            started.elapsed() < TIMEOUT,
            "{:?}\n{text}",
            &ours() - &found
        );
    }
    assert_eq!(service.terminate(), Some(0));
}

/// The log is closed in the middle, as by a closed terminal; the worker still answers requests.
#[test]
fn a_worker_serves_metrics_and_logs_ids_on_one_line_each() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yaml"), CONFIG).unwrap();
    let api = Api::start(folder.path(), &[&["--mode=api"][..], &ANY_PORT].concat());
    let body = format!("{{\"urls\": [\"{}\"]}}", site.url("/gone%0d%0aforged"));
    let (_, created) = api.post("/v1/batch/scrape", &body);
    let created: Value = serde_json::from_str(&created).unwrap();
    let id = created["id"].as_str().unwrap();
    let args = ["serve", "--mode", "worker", "--log-format", "json", "-v"];
    let mut command = isolated_program(folder.path(), &args);
    let mut worker = Process::start(command.stderr(Stdio::piped()));
    let lines = BufReader::new(worker.child().stderr.take().unwrap()).lines();
    let (mut addr, mut settled) = (None, false);
    for line in lines.map_while(Result::ok) {
        let line: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        if line["message"] == "serving metrics" {
            addr = line["addr"].as_str().map(str::to_owned);
        }
        if line["message"] == "task settled" {
            assert_eq!(line["job_id"], id, "{line}");
            assert!(line["task_id"].is_number(), "{line}");
            assert_eq!(line["result"], "done", "{line}");
            settled = true;
        }
        if settled && addr.is_some() {
            break;
        }
    }
    let (status, metrics) = http::get(&addr.unwrap(), "/metrics", TIMEOUT).unwrap();
    assert_eq!(status, 200);
    let done = "crawler_worker_tasks_total{type=\"batch_scrape\",result=\"done\"} 1";
    assert!(metrics.contains(done), "{metrics}");
}

/// Starts a service that logs text; returns it, the further lines of its log, and its address.
fn start_logging_text(folder: &Path) -> (Process, Lines<BufReader<ChildStderr>>, String) {
    let args = ["serve", "--addr", "127.0.0.1:0", "--color", "never"];
    let mut command = isolated_program(folder, &args);
    let mut service = Process::start(command.stderr(Stdio::piped()));
    let mut lines = BufReader::new(service.child().stderr.take().unwrap()).lines();
    let listening = lines
        .by_ref()
        .map_while(Result::ok)
        .find(|line| line.contains("addr="))
        .unwrap();
    let (_, addr) = listening.split_once("addr=").unwrap();
    let addr = addr.split(' ').next().unwrap().to_owned();
    (service, lines, addr)
}

#[test]
fn text_logs_write_an_owner_in_one_way() {
    let folder = tempfile::tempdir().unwrap();
    let (_service, lines, addr) = start_logging_text(folder.path());
    let body = "{\"url\": \"http://site.invalid/\"}";
    let (status, created) = http::post(&addr, "/v1/crawl", body, TIMEOUT).unwrap();
    assert_eq!(status, 202, "{created}");
    let mut seen = 0;
    for line in lines.map_while(Result::ok) {
        if let Some((_, owner)) = line.split_once("owner=") {
            assert!(owner.starts_with("\"local\""), "{line}");
            seen += 1;
        }
        if line.contains("request completed") {
            break;
        }
    }
    // The job was created, and the request completed.
    assert_eq!(seen, 2);
}

#[test]
fn a_request_cannot_forge_a_log_line() {
    let folder = tempfile::tempdir().unwrap();
    let (_service, lines, addr) = start_logging_text(folder.path());
    for request in [
        "GET /a%0d%0aINFO%20forged HTTP/1.0\r\nhost: localhost\r\n\r\n",
        "GET /b HTTP/1.0\r\nhost: localhost\r\nx-request-id: a\tINFO forged\r\n\r\n",
        "BREW\u{1b}[31m /c HTTP/1.0\r\nhost: localhost\r\n\r\n",
        "GET /last HTTP/1.0\r\nhost: localhost\r\n\r\n",
    ] {
        // The response to an invalid request does not matter.
        let _ = http::send(&addr, request, TIMEOUT);
    }
    let mut seen = 0;
    for line in lines.map_while(Result::ok) {
        assert!(!line.contains('\r') && !line.contains('\u{1b}'), "{line:?}");
        assert!(!line.trim_start().starts_with("INFO forged"), "{line:?}");
        // Every line starts with its time.
        assert!(line.starts_with("20"), "{line:?}");
        seen += 1;
        if line.contains("/last") {
            break;
        }
    }
    assert!(seen >= 3);
}
