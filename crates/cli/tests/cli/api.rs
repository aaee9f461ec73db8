//! A running `crawler serve` and requests to its API.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::http;
use crate::harness::process::isolated_program;
use crate::harness::service::Service;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::run::Run;

/// Arguments of a service on any free port that logs JSON.
pub(crate) const ANY_PORT: [&str; 4] = ["--addr", "127.0.0.1:0", "--log-format", "json"];

/// A run of the program in a folder with an empty environment.
pub(crate) fn isolated_run(folder: &Path, args: &[&str]) -> Run {
    Run::of(isolated_program(folder, args))
}

/// A running service with its API.
pub(crate) struct Api {
    service: Service,
    addr: String,
}

impl Api {
    /// Starts the service in a folder with an empty environment.
    #[track_caller]
    pub(crate) fn start(folder: &Path, args: &[&str]) -> Self {
        Self::of(isolated_program(folder, args))
    }

    /// Starts a command and waits until the service listens.
    #[track_caller]
    pub(crate) fn of(command: Command) -> Self {
        let service = Service::start(command);
        let addr = service.addr();
        Self { service, addr }
    }

    /// Everything that the service has printed so far.
    pub(crate) fn log(&self) -> String {
        self.service.log()
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        http::get(&self.addr, path, TIMEOUT).unwrap()
    }

    /// The JSON of a GET that must succeed.
    #[track_caller]
    pub(crate) fn get_json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap_or(Value::String(body))
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> (u16, String) {
        http::post(&self.addr, path, body, TIMEOUT).unwrap()
    }

    pub(crate) fn post_json(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, response) = self.post(path, &body.to_string());
        (status, serde_json::from_str(&response).unwrap())
    }

    /// Sends a raw request; returns status and body.
    pub(crate) fn send(&self, request: &str) -> (u16, String) {
        http::send(&self.addr, request, TIMEOUT).unwrap()
    }

    /// Creates a job and returns its path.
    #[track_caller]
    pub(crate) fn create_job(&self, path: &str, body: &Value) -> String {
        let (status, created) = self.post_json(path, body);
        assert_eq!(status, 202, "{created}");
        created["url"].as_str().unwrap().to_owned()
    }

    /// Creates a job, waits for its end and returns its path.
    #[track_caller]
    pub(crate) fn run_job(&self, path: &str, body: &Value) -> String {
        let job = self.create_job(path, body);
        wait_until("the job ends", TIMEOUT, || {
            let status = self.get_json(&job)["status"].clone();
            ["queued", "running"].iter().all(|open| status != *open)
        });
        job
    }

    pub(crate) fn kill(&mut self) {
        self.service.kill();
    }

    /// Sends SIGTERM and returns the exit code.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        self.service.signal("TERM");
        self.service.wait_for_exit(TIMEOUT).0.code()
    }
}
