//! Runs a worker in a separate process: this test binary again, with one ignored test.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A worker process, killed on drop.
pub(crate) struct WorkerProcess(Child);

/// Starts a process that runs the given test, and waits until its worker is running.
pub(crate) fn spawn_worker(test: &str, variables: &[(&str, &str)]) -> WorkerProcess {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test, "--nocapture"])
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let started = lines
        .map_while(Result::ok)
        .any(|line| line.contains("worker started"));
    assert!(started, "the worker process exited");
    WorkerProcess(child)
}

impl WorkerProcess {
    /// Kills the process with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // Fails if the process has already exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
