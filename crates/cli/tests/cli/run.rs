//! Runs of the built program with a time limit.
//!
//! No test sleeps: it waits for a condition, and fails with all the output if the condition does not come true in time.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use testsite::Server;

use crate::harness::service::send_signal;

/// No run takes a tenth of this on a quiet machine.
const TIMEOUT: Duration = Duration::from_mins(1);
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Runs `crawler` with these arguments to its end.
#[track_caller]
pub(crate) fn crawler<S: AsRef<OsStr>>(args: &[S]) -> Finished {
    Run::new(args).finish()
}

/// How an output stream is handled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    Read,
    /// A pipe that only the test reads.
    Unread,
    /// A pipe without a reader.
    Closed,
}

/// A run to be started.
pub(crate) struct Run {
    command: Command,
    stdin: Option<Vec<u8>>,
    stdout: Output,
    stderr: Output,
    timeout: Duration,
}

impl Run {
    pub(crate) fn new<S: AsRef<OsStr>>(args: &[S]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
        command.args(args);
        Self::of(command)
    }

    /// The same run through `sh`; `"$@"` is the program and its arguments.
    pub(crate) fn through_shell<S: AsRef<OsStr>>(script: &str, args: &[S]) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", script, "sh", env!("CARGO_BIN_EXE_crawler")])
            .args(args);
        Self::of(command)
    }

    /// A run of any command.
    pub(crate) fn of(mut command: Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env_remove("NO_COLOR")
            .env("TERM", "xterm");
        Self {
            command,
            stdin: None,
            stdout: Output::Read,
            stderr: Output::Read,
            timeout: TIMEOUT,
        }
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn in_folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Time limit for the run.
    pub(crate) fn within(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(crate) fn stdin(mut self, input: &[u8]) -> Self {
        self.command.stdin(Stdio::piped());
        self.stdin = Some(input.to_owned());
        self
    }

    pub(crate) fn stdin_piped(mut self) -> Self {
        self.command.stdin(Stdio::piped());
        self
    }

    pub(crate) fn stdout_unread(mut self) -> Self {
        self.stdout = Output::Unread;
        self
    }

    pub(crate) fn stdout_to(mut self, file: std::fs::File) -> Self {
        self.command.stdout(file);
        self
    }

    pub(crate) fn stderr_unread(mut self) -> Self {
        self.stderr = Output::Unread;
        self
    }

    pub(crate) fn stderr_closed(mut self) -> Self {
        self.stderr = Output::Closed;
        self
    }

    pub(crate) fn start(mut self) -> Running {
        let started_at = Instant::now();
        let mut child = self.command.spawn().unwrap();
        if let Some(input) = self.stdin {
            child.stdin.take().unwrap().write_all(&input).unwrap();
        }
        let stdout = match (self.stdout, child.stdout.take()) {
            (Output::Unread, pipe) => Stream::Unread(pipe),
            (Output::Read, Some(pipe)) => Stream::reading(pipe),
            _ => Stream::Unread(None),
        };
        let (stderr, unread_stderr) = match (self.stderr, child.stderr.take()) {
            (Output::Read, Some(pipe)) => (Stream::reading(pipe), None),
            (Output::Unread, pipe) => (Stream::Unread(None), pipe),
            _ => (Stream::Unread(None), None),
        };
        Running {
            child,
            started_at,
            timeout: self.timeout,
            stdout,
            stderr,
            _unread_stderr: unread_stderr,
        }
    }

    /// Runs to the end.
    #[track_caller]
    pub(crate) fn finish(self) -> Finished {
        self.start().finish()
    }
}

/// An output stream that is read into memory.
enum Stream {
    Reading(Arc<Mutex<Vec<u8>>>, JoinHandle<()>),
    Unread(Option<ChildStdout>),
}

impl Stream {
    fn reading(mut pipe: impl Read + Send + 'static) -> Self {
        let read = Arc::new(Mutex::new(Vec::new()));
        let buffer = Arc::clone(&read);
        let thread = std::thread::spawn(move || {
            let mut chunk = [0; 16 << 10];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                buffer.lock().unwrap().extend_from_slice(&chunk[..count]);
            }
        });
        Self::Reading(read, thread)
    }

    fn text(&self) -> String {
        match self {
            Self::Reading(read, _) => String::from_utf8_lossy(&read.lock().unwrap()).into_owned(),
            Self::Unread(_) => String::new(),
        }
    }

    fn finish(self) -> String {
        if let Self::Reading(read, thread) = self {
            thread.join().unwrap();
            return String::from_utf8_lossy(&read.lock().unwrap()).into_owned();
        }
        String::new()
    }
}

/// A run in progress; killed when it is dropped.
pub(crate) struct Running {
    child: Child,
    started_at: Instant,
    timeout: Duration,
    stdout: Stream,
    stderr: Stream,
    /// Open and unread until the run ends.
    _unread_stderr: Option<std::process::ChildStderr>,
}

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the condition holds; fails if the run ends before. `what` names the condition for the failure.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, what: &str, mut condition: impl FnMut() -> bool) {
        self.wait_for_or_end(what, &mut condition);
        assert!(
            self.is_running() || condition(),
            "ended before {what}\n{}",
            self.output()
        );
    }

    /// Waits until the condition holds or the run ends.
    #[track_caller]
    pub(crate) fn wait_for_or_end(&mut self, what: &str, mut condition: impl FnMut() -> bool) {
        let deadline = Instant::now() + self.timeout;
        while !condition() && self.is_running() {
            assert!(Instant::now() < deadline, "no {what}\n{}", self.output());
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits until this text is on stderr.
    #[track_caller]
    pub(crate) fn wait_for_stderr(&mut self, text: &str) {
        let Stream::Reading(read, _) = &self.stderr else {
            panic!("stderr is not read");
        };
        let read = Arc::clone(read);
        self.wait_for(text, || {
            String::from_utf8_lossy(&read.lock().unwrap()).contains(text)
        });
    }

    /// Sends a signal by its name, `INT`, unless the run has ended.
    pub(crate) fn signal(&mut self, name: &str) {
        if self.is_running() {
            send_signal(self.id(), name);
        }
    }

    /// Kills the process, as a power failure would.
    #[track_caller]
    pub(crate) fn kill(mut self) -> Finished {
        // Fails if the process has already ended.
        let _ = self.child.kill();
        self.finish()
    }

    /// The pipe of [`Run::stdout_unread`].
    pub(crate) fn take_stdout(&mut self) -> ChildStdout {
        match &mut self.stdout {
            Stream::Unread(pipe) => pipe.take().unwrap(),
            Stream::Reading(..) => panic!("stdout is already read"),
        }
    }

    /// The pipe of [`Run::stdin_piped`].
    pub(crate) fn take_stdin(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the end.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Finished {
        self.wait_for_or_end("end", || false);
        let status = self.child.wait().unwrap();
        let took = self.started_at.elapsed();
        let stdout = std::mem::replace(&mut self.stdout, Stream::Unread(None)).finish();
        let stderr = std::mem::replace(&mut self.stderr, Stream::Unread(None)).finish();
        assert!(!stderr.contains("panicked"), "{stderr}");
        assert!(!stderr.contains("RUST_BACKTRACE"), "{stderr}");
        Finished {
            code: status.code(),
            status,
            started_at: self.started_at,
            took,
            stdout,
            stderr,
        }
    }

    fn output(&self) -> String {
        let (stdout, stderr) = (self.stdout.text(), self.stderr.text());
        format!("stdout:\n{stdout}\nstderr:\n{stderr}")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_running() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A run that ended.
#[derive(Debug)]
pub(crate) struct Finished {
    status: ExitStatus,
    /// Exit code; `None` after a signal that was not handled.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Time just before the start: every request is later.
    pub(crate) started_at: Instant,
    pub(crate) took: Duration,
}

impl Finished {
    /// Asserts exit code 0.
    #[track_caller]
    pub(crate) fn success(self) -> Self {
        self.with_code(0)
    }

    /// Asserts an exit code.
    #[track_caller]
    pub(crate) fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.output());
        self
    }

    /// Asserts that stderr contains this text.
    #[track_caller]
    pub(crate) fn stderr_contains(&self, text: &str) -> &Self {
        assert!(
            self.stderr.contains(text),
            "stderr does not contain {text:?}\n{}",
            self.output()
        );
        self
    }

    /// Asserts that stderr does not contain this text.
    #[track_caller]
    pub(crate) fn stderr_lacks(&self, text: &str) -> &Self {
        assert!(
            !self.stderr.contains(text),
            "stderr contains {text:?}\n{}",
            self.output()
        );
        self
    }

    /// The lines of stderr that start with this text.
    pub(crate) fn stderr_lines(&self, start: &str) -> Vec<&str> {
        let lines = self.stderr.lines();
        lines.filter(|line| line.starts_with(start)).collect()
    }

    /// The event that `--log-format json` logs under this name.
    #[track_caller]
    pub(crate) fn event(&self, name: &str) -> Value {
        let lines = self.stderr.lines().map(serde_json::from_str::<Value>);
        let mut events = lines.filter_map(Result::ok);
        events
            .find(|line| line["event"] == name)
            .unwrap_or_else(|| panic!("no event {name}\n{}", self.output()))
    }

    /// The page URLs of `--format text`.
    pub(crate) fn visited(&self) -> Vec<&str> {
        let lines = self.stdout.lines();
        lines
            .filter_map(|line| line.strip_prefix("Visited: "))
            .collect()
    }

    /// The same without the server's origin, sorted.
    pub(crate) fn visited_paths(&self, server: &Server) -> Vec<String> {
        let origin = server.origin();
        let visited = self.visited().into_iter();
        let mut paths: Vec<String> = visited
            .map(|url| url.strip_prefix(&origin).unwrap_or(url).to_owned())
            .collect();
        paths.sort();
        paths
    }

    /// The links of a page in `--format text`, without the server's origin, in order.
    pub(crate) fn links(&self, server: &Server, path: &str) -> Vec<String> {
        let head = format!("Visited: {}", server.url(path));
        let origin = server.origin();
        self.stdout
            .lines()
            .skip_while(|line| *line != head)
            .skip(2)
            .take_while(|line| !line.starts_with("Visited: "))
            .map(|url| url.strip_prefix(&origin).unwrap_or(url).to_owned())
            .collect()
    }

    /// Stdout as JSON objects, one per line.
    #[track_caller]
    pub(crate) fn objects(&self) -> Vec<Value> {
        objects(&self.stdout)
    }

    /// The one object whose URL ends with this text.
    #[track_caller]
    pub(crate) fn object(&self, url_end: &str) -> Value {
        let mut found = self.objects();
        found.retain(|object| object["url"].as_str().unwrap().ends_with(url_end));
        assert_eq!(found.len(), 1, "{url_end} in {}", self.output());
        found.remove(0)
    }

    /// Everything the run printed, for the message of a failed assertion.
    pub(crate) fn output(&self) -> String {
        format!(
            "{} (signal {:?})\nstdout:\n{}\nstderr:\n{}",
            self.status,
            self.status.signal(),
            self.stdout,
            self.stderr
        )
    }
}

/// JSON objects, one per line.
#[track_caller]
pub(crate) fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => value,
            _ => panic!("not a JSON object: {line:?}"),
        })
        .collect()
}
