//! Runs the binary with a hard time limit, and lets a test wait for what it needs to see.
//!
//! No test sleeps: it waits for a condition, and fails with all that was said when it does not come.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than any run here takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(45);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Runs `crawler` with these arguments to its end.
pub(crate) fn crawler<S: AsRef<OsStr>>(args: &[S]) -> Ended {
    Start::new(args).start().end()
}

/// What becomes of an output stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Out {
    Read,
    /// A pipe that nobody reads until the test does.
    Held,
    /// A pipe whose reader is gone.
    Gone,
}

/// A run to be started.
pub(crate) struct Start {
    command: Command,
    stdout: Out,
    stderr: Out,
}

impl Start {
    pub(crate) fn new<S: AsRef<OsStr>>(args: &[S]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
        command.args(args);
        Self::of(command)
    }

    /// The same run through `sh`; `"$@"` is the binary and its arguments.
    pub(crate) fn through_shell<S: AsRef<OsStr>>(script: &str, args: &[S]) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", script, "sh", env!("CARGO_BIN_EXE_crawler")])
            .args(args);
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env_remove("NO_COLOR")
            .env("TERM", "xterm");
        Self {
            command,
            stdout: Out::Read,
            stderr: Out::Read,
        }
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn stdout_held(mut self) -> Self {
        self.stdout = Out::Held;
        self
    }

    pub(crate) fn stderr_held(mut self) -> Self {
        self.stderr = Out::Held;
        self
    }

    pub(crate) fn stdin_held(mut self) -> Self {
        self.command.stdin(Stdio::piped());
        self
    }

    pub(crate) fn stderr_gone(mut self) -> Self {
        self.stderr = Out::Gone;
        self
    }

    pub(crate) fn stdout_to(mut self, file: std::fs::File) -> Self {
        self.command.stdout(file);
        self
    }

    pub(crate) fn start(mut self) -> Running {
        let mut child = self.command.spawn().unwrap();
        let begun = Instant::now();
        let stdout = match (self.stdout, child.stdout.take()) {
            (Out::Held, pipe) => Stream::Held(pipe),
            (Out::Read, Some(pipe)) => Stream::reading(pipe),
            _ => Stream::Held(None),
        };
        let (stderr, held_stderr) = match (self.stderr, child.stderr.take()) {
            (Out::Read, Some(pipe)) => (Stream::reading(pipe), None),
            (Out::Held, pipe) => (Stream::Held(None), pipe),
            _ => (Stream::Held(None), None),
        };
        Running {
            child,
            begun,
            stdout,
            stderr,
            _held_stderr: held_stderr,
        }
    }
}

/// An output stream on its way into memory.
enum Stream {
    Reading(Arc<Mutex<Vec<u8>>>, JoinHandle<()>),
    Held(Option<ChildStdout>),
}

impl Stream {
    fn reading(mut pipe: impl Read + Send + 'static) -> Self {
        let read = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&read);
        let thread = std::thread::spawn(move || {
            let mut piece = [0; 16 << 10];
            while let Ok(count @ 1..) = pipe.read(&mut piece) {
                kept.lock().unwrap().extend_from_slice(&piece[..count]);
            }
        });
        Self::Reading(read, thread)
    }

    fn text(&self) -> String {
        match self {
            Self::Reading(read, _) => String::from_utf8_lossy(&read.lock().unwrap()).into_owned(),
            Self::Held(_) => String::new(),
        }
    }

    fn end(self) -> String {
        if let Self::Reading(read, thread) = self {
            thread.join().unwrap();
            return String::from_utf8_lossy(&read.lock().unwrap()).into_owned();
        }
        String::new()
    }
}

/// A run under way; dropped, it is killed.
pub(crate) struct Running {
    child: Child,
    begun: Instant,
    stdout: Stream,
    stderr: Stream,
    /// Open and unread for as long as the run lasts.
    _held_stderr: Option<std::process::ChildStderr>,
}

impl Running {
    /// Waits until the condition holds; `what` names it for the failure.
    pub(crate) fn wait_for(&mut self, what: &str, mut holds: impl FnMut() -> bool) {
        let deadline = Instant::now() + LIMIT;
        while !holds() {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(holds(), "ended ({status}) before {what}\n{}", self.said());
                return;
            }
            assert!(Instant::now() < deadline, "no {what}\n{}", self.said());
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Waits until stderr says this.
    pub(crate) fn wait_for_words(&mut self, words: &str) {
        let Stream::Reading(read, _) = &self.stderr else {
            panic!("stderr is not read");
        };
        let read = Arc::clone(read);
        self.wait_for(words, || {
            String::from_utf8_lossy(&read.lock().unwrap()).contains(words)
        });
    }

    /// Sends a signal by its name, `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("sh")
            .args(["-c", &format!("kill -s {name} {}", self.child.id())])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// The pipe that nobody reads.
    pub(crate) fn held_stdout(&mut self) -> ChildStdout {
        match &mut self.stdout {
            Stream::Held(pipe) => pipe.take().unwrap(),
            Stream::Reading(..) => panic!("stdout is read already"),
        }
    }

    /// The pipe that says nothing until the test does.
    pub(crate) fn held_stdin(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    /// Whether it still runs.
    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Ended {
        let status = self.status();
        let took = self.begun.elapsed();
        let stdout = std::mem::replace(&mut self.stdout, Stream::Held(None)).end();
        let stderr = std::mem::replace(&mut self.stderr, Stream::Held(None)).end();
        assert!(!stderr.contains("panicked"), "{stderr}");
        assert!(!stderr.contains("RUST_BACKTRACE"), "{stderr}");
        Ended {
            status,
            took,
            stdout,
            stderr,
        }
    }

    fn status(&mut self) -> ExitStatus {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "did not end\n{}", self.said());
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    fn said(&self) -> String {
        format!(
            "stdout:\n{}\nstderr:\n{}",
            self.stdout.text(),
            self.stderr.text()
        )
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.runs() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A run that ended.
#[derive(Debug)]
pub(crate) struct Ended {
    status: ExitStatus,
    pub(crate) took: Duration,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Fails with all that was said unless it ended with this code.
    #[track_caller]
    pub(crate) fn with_code(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "{}", self.said());
        self
    }

    /// Fails unless stderr says this.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> &Self {
        assert!(
            self.stderr.contains(words),
            "stderr does not say {words:?}\n{}",
            self.said()
        );
        self
    }

    /// Fails if stderr says this.
    #[track_caller]
    pub(crate) fn never_says(&self, words: &str) -> &Self {
        assert!(
            !self.stderr.contains(words),
            "stderr says {words:?}\n{}",
            self.said()
        );
        self
    }

    /// Stderr's lines that begin so.
    pub(crate) fn said_with(&self, beginning: &str) -> Vec<&str> {
        let lines = self.stderr.lines();
        lines.filter(|line| line.starts_with(beginning)).collect()
    }

    /// The pages of `--format text`.
    pub(crate) fn visited(&self) -> Vec<&str> {
        let lines = self.stdout.lines();
        lines
            .filter_map(|line| line.strip_prefix("Visited: "))
            .collect()
    }

    /// Stdout as one JSON object a line.
    #[track_caller]
    pub(crate) fn objects(&self) -> Vec<Value> {
        objects(&self.stdout)
    }

    /// The object whose URL ends so.
    #[track_caller]
    pub(crate) fn object(&self, url_end: &str) -> Value {
        let mut found = self.objects();
        found.retain(|object| object["url"].as_str().unwrap().ends_with(url_end));
        assert_eq!(found.len(), 1, "{url_end} in {}", self.said());
        found.remove(0)
    }

    pub(crate) fn said(&self) -> String {
        format!(
            "{} (signal {:?})\nstdout:\n{}\nstderr:\n{}",
            self.status,
            self.status.signal(),
            self.stdout,
            self.stderr
        )
    }
}

/// One JSON object a line.
#[track_caller]
pub(crate) fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => value,
            _ => panic!("not a JSON object: {line:?}"),
        })
        .collect()
}
