//! `serve` and `config`: the built binary, as an operator meets it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// Nothing here takes longer on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The binary in an empty folder and an empty environment.
fn crawler(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
    command.args(words).current_dir(folder).env_clear();
    command
}

pub(crate) struct Service {
    child: Child,
    addr: String,
}

impl Service {
    /// Starts it and waits until it says where it listens.
    pub(crate) fn start(folder: &Path, words: &[&str]) -> Self {
        let mut child = crawler(folder, words)
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let addr = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                let line: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
                let listens = line["message"] == "listening";
                listens.then(|| line["addr"].as_str().unwrap().to_owned())
            })
            .unwrap();
        // Its log must not fill its pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { child, addr }
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        self.call(&format!("GET {path} HTTP/1.0\r\nhost: localhost\r\n\r\n"))
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.call(&format!(
            "POST {path} HTTP/1.0\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    pub(crate) fn call(&self, request: &str) -> (u16, String) {
        call_at(&self.addr, request)
    }

    /// Sends SIGTERM; the exit code.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .unwrap()
                .success()
        );
        self.child.wait().unwrap().code()
    }
}

/// One request; the answer's status and body. A request that is no HTTP has status 0.
pub(crate) fn call_at(addr: &str, request: &str) -> (u16, String) {
    let addr = addr.replace("0.0.0.0", "127.0.0.1");
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status.unwrap_or_default(), body.to_owned())
}

impl Drop for Service {
    fn drop(&mut self) {
        // Gone already in a test that went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) const HERE: [&str; 4] = ["--addr", "127.0.0.1:0", "--log-format", "json"];

#[test]
fn it_needs_nothing_installed_and_sigterm_ends_it_with_0() {
    for words in [
        &["serve"][..],
        &["serve", "--mode", "all"],
        &["--mode=api"],
        &["-mode", "api"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::start(folder.path(), &[words, &HERE].concat());
        assert_eq!(service.get("/healthz").0, 200);
        assert_eq!(service.get("/readyz").0, 200);
        assert!(folder.path().join("crawler.db").exists());
        let (status, body) = service.post("/v1/crawl", "{\"url\": \"http://127.0.0.1:9/\"}");
        assert_eq!(status, 202, "{body}");
        assert_eq!(service.terminate(), Some(0), "{words:?}");
    }
}

#[test]
fn a_job_to_an_inner_address_fails_with_the_reason_and_jobs_outlive_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let words = [&["serve"][..], &HERE].concat();
    let service = Service::start(folder.path(), &words);
    let (_, made) = service.post("/v1/batch/scrape", "{\"urls\": [\"http://127.0.0.1:9/\"]}");
    let made: Value = serde_json::from_str(&made).unwrap();
    let place = made["url"].as_str().unwrap().to_owned();
    // The stream ends when the job does.
    let (_, events) = service.get(&format!("{place}/events"));
    assert!(events.contains("event: finished"), "{events}");
    assert!(events.contains("address_refused"), "{events}");
    assert_eq!(service.terminate(), Some(0));
    let service = Service::start(folder.path(), &words);
    let (status, job) = service.get(&place);
    assert_eq!(status, 200);
    let job: Value = serde_json::from_str(&job).unwrap();
    assert_eq!(job["status"], "failed", "{job}");
}

#[test]
fn what_cannot_be_run_is_refused_with_2_and_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.yaml"), "worker:\n  pool_size: 0\n").unwrap();
    let forced = "browser:\n  enabled: false\n  force: true\n";
    std::fs::write(folder.path().join("js.yaml"), forced).unwrap();
    for (words, told) in [
        (&["serve", "--addr", "0.0.0.0:0"][..], "server.api_keys"),
        (
            &["serve", "--config", "bad.yaml"],
            "bad.yaml:2: worker.pool_size: 0 is not allowed; allowed: 1 to 1024",
        ),
        (
            &["serve", "--config", "none.yaml"],
            "none.yaml: cannot be read",
        ),
        (
            &["serve", "--config", "js.yaml"],
            "browser.force = true (js.yaml:3), browser.enabled = false (js.yaml:2): nothing can be rendered",
        ),
        (&["serve", "--mode", "both"], "both"),
        (
            &["serve", "--workers", "0"],
            "flag --workers: worker.pool_size: 0 is not allowed",
        ),
    ] {
        let output = crawler(folder.path(), words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn config_tells_each_value_and_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let text = "server:\n  api_keys: [very-secret-key-of-ours]\nhttp:\n  timeout: 7s\n";
    std::fs::write(folder.path().join("config.yaml"), text).unwrap();
    let output = crawler(folder.path(), &["config", "--workers", "3"])
        .env("HTTP_ADDR", "127.0.0.1:9999")
        .env("DATABASE_URL", "postgres://me:hunter2@db/crawler")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8(output.stdout).unwrap();
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
            told.lines()
                .any(|line| line.contains(value) && line.contains(source)),
            "{value} {source}:\n{told}"
        );
    }
    assert!(
        !told.contains("hunter2") && !told.contains("very-secret"),
        "{told}"
    );
}

#[test]
fn config_warns_of_times_that_do_not_fit_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let told = |timeout: &str| {
        let mut config = crawler(folder.path(), &["config"]);
        let output = config.env("BROWSER_TIMEOUT", timeout).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stdout.starts_with(b"# file: none\n"));
        String::from_utf8(output.stderr).unwrap()
    };
    let said = told("3m");
    for words in ["warning: browser.nav_timeout = 3m", "warning: worker.drain"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(told("20s"), "");
}

#[test]
fn the_kept_example_is_the_one_in_the_code() {
    let folder = tempfile::tempdir().unwrap();
    let output = crawler(folder.path(), &["config", "--example"])
        .output()
        .unwrap();
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config.example.yaml");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert!(output.stdout == kept.as_bytes(), "run cargo xtask docs");
}
