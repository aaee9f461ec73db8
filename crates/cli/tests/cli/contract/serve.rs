//! `serve` and `config`.

use serde_json::{Value, json};

use crate::api::{ANY_PORT, Api, isolated_run};
use crate::harness::wait::{TIMEOUT, wait_until};

#[test]
fn serve_needs_no_setup_and_exits_with_0_on_sigterm() {
    for serve_args in [
        &["serve"][..],
        &["serve", "--mode", "all"],
        &["--mode=api"],
        &["-mode", "api"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let service = Api::start(folder.path(), &[serve_args, &ANY_PORT].concat());
        assert_eq!(service.get("/healthz").0, 200);
        assert_eq!(service.get("/readyz").0, 200);
        assert!(folder.path().join("crawler.db").exists());
        let (status, body) = service.post("/v1/crawl", "{\"url\": \"http://127.0.0.1:9/\"}");
        assert_eq!(status, 403, "{body}");
        assert!(body.contains("egress.allow"), "{body}");
        let (status, body) = service.post("/v1/crawl", "{\"url\": \"http://site.invalid/\"}");
        assert_eq!(status, 202, "{body}");
        assert_eq!(service.terminate(), Some(0), "{serve_args:?}");
    }
}

#[test]
fn a_start_on_a_port_in_use_leaves_no_database_behind() {
    let folder = tempfile::tempdir().unwrap();
    let busy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = busy.local_addr().unwrap().to_string();
    for mode in ["all", "api"] {
        let args = ["serve", "--addr", &addr, "--mode", mode];
        let failed = isolated_run(folder.path(), &args).finish().with_code(1);
        failed.stderr_contains("cannot listen on");
    }
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 0);
}

#[test]
fn a_failed_job_has_a_reason_and_jobs_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let config = "egress:\n  allow: [127.0.0.1, ':9']\nworker:\n  max_attempts: 1\n";
    std::fs::write(folder.path().join("config.yaml"), config).unwrap();
    let serve_args = [&["serve"][..], &ANY_PORT].concat();
    let service = Api::start(folder.path(), &serve_args);
    let (_, created) = service.post("/v1/batch/scrape", "{\"urls\": [\"http://127.0.0.1:9/\"]}");
    let created: Value = serde_json::from_str(&created).unwrap();
    let job_path = created["url"].as_str().unwrap().to_owned();
    // The stream ends when the job does.
    let (_, events) = service.get(&format!("{job_path}/events"));
    assert!(events.contains("event: finished"), "{events}");
    assert!(events.contains("connect"), "{events}");
    assert_eq!(service.terminate(), Some(0));
    let service = Api::start(folder.path(), &serve_args);
    let (status, job) = service.get(&job_path);
    assert_eq!(status, 200);
    let job: Value = serde_json::from_str(&job).unwrap();
    assert_eq!(job["status"], "failed", "{job}");
}

#[test]
fn jobs_past_their_retention_are_deleted_and_the_file_becomes_smaller() {
    let folder = tempfile::tempdir().unwrap();
    let config = "jobs:\n  retention: 1s\nworker:\n  per_host_rps: 0\n  per_host_concurrency: 8\n  max_attempts: 1\n\
         egress:\n  allow: [127.0.0.1, ':9']\n";
    std::fs::write(folder.path().join("config.yaml"), config).unwrap();
    let service = Api::start(folder.path(), &[&["serve"][..], &ANY_PORT].concat());
    // Nothing listens there.
    let long = "x".repeat(1_500);
    let urls = (0..1_000).map(|number| format!("http://127.0.0.1:9/{number}/{long}"));
    let body = json!({ "urls": urls.collect::<Vec<_>>() });
    let job = service.create_job("/v1/batch/scrape", &body);
    wait_until("the job is deleted", TIMEOUT, || service.get(&job).0 == 404);
    let file = folder.path().join("crawler.db");
    wait_until("the file is smaller", TIMEOUT, || {
        std::fs::metadata(&file).unwrap().len() < 2 << 20
    });
    assert_eq!(service.terminate(), Some(0));
}

#[test]
fn an_invalid_configuration_exits_with_2_and_says_how_to_fix_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.yaml"), "worker:\n  pool_size: 0\n").unwrap();
    let forced = "browser:\n  enabled: false\n  force: true\n";
    std::fs::write(folder.path().join("js.yaml"), forced).unwrap();
    for (args, expected) in [
        (
            &["serve", "--config", "bad.yaml"][..],
            "bad.yaml:2: worker.pool_size: 0 is not allowed; allowed: 1 to 1024",
        ),
        (
            &["serve", "--config", "none.yaml"],
            "none.yaml: cannot read file: no such file",
        ),
        (
            &["serve", "--config", "js.yaml"],
            "browser.force = true (js.yaml:3), browser.enabled = false (js.yaml:2): rendering requires browser.enabled",
        ),
        (&["serve", "--mode", "both"], "both"),
        (
            &["serve", "--workers", "0"],
            "flag --workers: worker.pool_size: 0 is not allowed",
        ),
    ] {
        let finished = isolated_run(folder.path(), args).finish();
        finished.with_code(2).stderr_contains(expected);
    }
    let mut left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["bad.yaml", "js.yaml"], "no store was created");
}

#[test]
fn config_prints_each_value_and_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let text = "server:\n  api_keys: [very-secret-key-of-ours]\nhttp:\n  timeout: 7s\n";
    std::fs::write(folder.path().join("config.yaml"), text).unwrap();
    let run = isolated_run(folder.path(), &["config", "--workers", "3"])
        .env("HTTP_ADDR", "127.0.0.1:9999")
        .env("DATABASE_URL", "postgres://me:hunter2@db/crawler");
    let printed = run.finish().success().stdout;
    for (value, source) in [
        ("timeout: 7s", "# config.yaml:4"),
        ("addr: 127.0.0.1:9999", "# environment HTTP_ADDR"),
        ("pool_size: 3", "# flag --workers"),
        ("max_redirects: 5", "# default"),
        ("api_keys: (1 hidden)", "# config.yaml:2"),
        (
            "database_url: postgres://me:(hidden)@db/crawler",
            "# environment DATABASE_URL",
        ),
    ] {
        assert!(
            printed
                .lines()
                .any(|line| line.contains(value) && line.contains(source)),
            "{value} {source}:\n{printed}"
        );
    }
    assert!(
        !printed.contains("hunter2") && !printed.contains("very-secret"),
        "{printed}"
    );
}

#[test]
fn config_warns_about_conflicting_timeouts() {
    let folder = tempfile::tempdir().unwrap();
    let config = |timeout: &str| {
        let run = isolated_run(folder.path(), &["config"]).env("BROWSER_TIMEOUT", timeout);
        let finished = run.finish().success();
        assert!(finished.stdout.starts_with("# file: none\n"));
        finished
    };
    let warned = config("3m");
    warned.stderr_contains("warning: browser.nav_timeout = 3m");
    warned.stderr_contains("warning: worker.drain");
    assert_eq!(config("20s").stderr, "");
}

#[test]
fn the_example_configuration_is_current() {
    let folder = tempfile::tempdir().unwrap();
    let example = isolated_run(folder.path(), &["config", "--example"]).finish();
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config.example.yaml");
    let committed = std::fs::read_to_string(committed).unwrap();
    assert!(example.stdout == committed, "run cargo xtask docs");
}
