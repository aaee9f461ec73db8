//! `crawler serve` as a process: started, signaled, and killed at the end of its test.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::wait::{TIMEOUT, wait_until};

/// A running service that logs JSON.
pub(crate) struct Service {
    child: Child,
    log: Arc<Mutex<Vec<Value>>>,
}

impl Service {
    /// Starts a command and collects its log.
    pub(crate) fn start(mut command: Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let log = Arc::<Mutex<Vec<Value>>>::default();
        let collected = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                collected.lock().unwrap().push(line);
            }
        });
        Self { child, log }
    }

    /// Waits for the log line with this message or event.
    #[track_caller]
    pub(crate) fn wait_for_log(&self, message: &str) -> Value {
        let start = Instant::now();
        loop {
            let matches = |line: &&Value| line["message"] == message || line["event"] == message;
            let found = self.log.lock().unwrap().iter().find(matches).cloned();
            if let Some(line) = found {
                return line;
            }
            assert!(
                start.elapsed() < TIMEOUT,
                "no {message:?} in\n{}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Address of the API.
    #[track_caller]
    pub(crate) fn addr(&self) -> String {
        let line = self.wait_for_log("listening");
        line["addr"].as_str().unwrap().to_owned()
    }

    /// Everything logged so far, for the message of a failed assertion.
    pub(crate) fn log(&self) -> String {
        let lines = self.log.lock().unwrap();
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        lines.join("\n") + "\n"
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Sends a signal by its name, `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        send_signal(self.child.id(), name);
    }

    /// Kills the process without warning.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the end of the process; returns its status and how long that took.
    pub(crate) fn wait_for_exit(&mut self, timeout: Duration) -> (ExitStatus, Duration) {
        let mut status = None;
        let child = &mut self.child;
        let took = wait_until("the process ends", timeout, || {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        (status.unwrap(), took)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if self.is_running() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Sends a signal by its name, `INT`.
pub(crate) fn send_signal(process: u32, name: &str) {
    let process = process.to_string();
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &process])
        .status();
    assert!(sent.unwrap().success(), "kill -{name} {process}");
}
