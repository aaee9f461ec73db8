//! `crawler serve` as a process, and its log.

use std::io::{BufRead, BufReader};
use std::ops::{Deref, DerefMut};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::process::Process;
use super::wait::TIMEOUT;

/// A running service that logs JSON.
pub(crate) struct Service {
    process: Process,
    log: Arc<Mutex<Vec<Value>>>,
}

impl Service {
    /// Starts a command and collects its log.
    pub(crate) fn start(mut command: Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut process = Process::start(&mut command);
        let stderr = BufReader::new(process.child().stderr.take().unwrap());
        let log = Arc::<Mutex<Vec<Value>>>::default();
        let collected = Arc::clone(&log);
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                collected.lock().unwrap().push(line);
            }
        });
        Self { process, log }
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
}

impl Deref for Service {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.process
    }
}

impl DerefMut for Service {
    fn deref_mut(&mut self) -> &mut Process {
        &mut self.process
    }
}
