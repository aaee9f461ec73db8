//! Runs of the built program with a time limit.
//!
//! No test sleeps: it waits for a condition, and fails with all the output if the condition does not come true in time.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) use crate::finished::{Finished, objects};
use crate::harness::process::{Process, program};

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
        Self::of(program()).args(args)
    }

    /// The same run through `sh`; `"$@"` is the program and its arguments.
    pub(crate) fn through_shell<S: AsRef<OsStr>>(script: &str, args: &[S]) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]);
        command.arg(program().get_program());
        Self::of(command).args(args)
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
        let mut process = Process::start(&mut self.command);
        let child = process.child();
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
            process,
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
    process: Process,
    started_at: Instant,
    timeout: Duration,
    stdout: Stream,
    stderr: Stream,
    /// Open and unread until the run ends.
    _unread_stderr: Option<std::process::ChildStderr>,
}

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
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
            self.process.signal(name);
        }
    }

    /// Kills the process, as a power failure would.
    #[track_caller]
    pub(crate) fn kill(mut self) -> Finished {
        self.process.kill();
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
        self.process.child().stdin.take().unwrap()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.process.is_running()
    }

    /// Waits for the end.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Finished {
        self.wait_for_or_end("end", || false);
        let (status, _) = self.process.wait_for_exit(self.timeout);
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
