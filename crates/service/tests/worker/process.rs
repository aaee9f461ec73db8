//! A worker in a process of its own: this test program again, with one ignored test.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A process that can be killed, and is when it is dropped.
pub(crate) struct Process(Child);

/// A process that runs this test, and is at work when this returns.
pub(crate) fn at_work(test: &str, variables: &[(&str, &str)]) -> Process {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test, "--nocapture"])
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let begun = lines
        .map_while(Result::ok)
        .any(|line| line.contains("at work"));
    assert!(begun, "the worker ended by itself");
    Process(child)
}

impl Process {
    /// No signal that could be heard: it is gone.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A test that failed leaves nothing running; one that is gone already cannot be killed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
