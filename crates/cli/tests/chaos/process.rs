//! A process of the service: started, signalled, killed, and gone with its test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longest wait for anything that does not say otherwise: the machine may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Looks again and again until it is so.
pub(crate) fn until(what: &str, patience: Duration, mut so: impl FnMut() -> bool) -> Duration {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < patience, "not in {patience:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
    begun.elapsed()
}

/// A running `crawler serve`.
pub(crate) struct Process {
    child: Child,
    lines: Arc<Mutex<Vec<Value>>>,
}

impl Process {
    /// Starts the binary in a folder whose `config.yaml` it reads, and nothing else.
    pub(crate) fn start(folder: &Path, mode: &str, database: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
        command
            .args([
                "serve",
                "--mode",
                mode,
                "--addr",
                "127.0.0.1:0",
                "--log-format",
                "json",
            ])
            .current_dir(folder)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if let Some(url) = database {
            command.env("DATABASE_URL", url);
        }
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let lines = Arc::<Mutex<Vec<Value>>>::default();
        let kept = Arc::clone(&lines);
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                kept.lock().unwrap().push(line);
            }
        });
        Self { child, lines }
    }

    /// Starts it and waits until it does what it is for.
    pub(crate) fn at_work(folder: &Path, mode: &str, database: Option<&str>) -> Self {
        let process = Self::start(folder, mode, database);
        process.said(if mode == "worker" {
            "working"
        } else {
            "listening"
        });
        process
    }

    /// The line with this message or event, once it is there.
    pub(crate) fn said(&self, message: &str) -> Value {
        let mut found = None;
        let begun = Instant::now();
        while found.is_none() {
            let lines = self.lines.lock().unwrap();
            let is_it = |line: &&Value| line["message"] == message || line["event"] == message;
            found = lines.iter().find(is_it).cloned();
            assert!(begun.elapsed() < PATIENCE, "no {message:?} in {lines:#?}");
            drop(lines);
            std::thread::sleep(Duration::from_millis(5));
        }
        found.unwrap()
    }

    /// Where its API listens.
    pub(crate) fn addr(&self) -> String {
        self.said("listening")["addr"].as_str().unwrap().to_owned()
    }

    /// All it said, for a failure's message.
    pub(crate) fn log(&self) -> String {
        let lines = self.lines.lock().unwrap();
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &id])
            .status();
        assert!(sent.unwrap().success(), "kill -{name} {id}");
    }

    /// No signal that could be heard: it is gone.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn lives(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// How it ended, and how long that took.
    pub(crate) fn ended(&mut self, patience: Duration) -> (ExitStatus, Duration) {
        let mut status = None;
        let child = &mut self.child;
        let took = until("the process ends", patience, || {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        (status.unwrap(), took)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A test that failed leaves nothing running; one that is gone already cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
