//! Runs the built binary with a state file, ends it in the middle, and runs it again.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use testsite::Server;

/// No run of ours takes a tenth of this on a quiet machine.
const DEADLINE: Duration = Duration::from_mins(1);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Random numbers, the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most.max(1)
    }
}

/// How many random rounds there are.
pub(crate) fn rounds(usual: u64) -> u64 {
    let asked = std::env::var("RESUME_ROUNDS").ok();
    asked.map_or(usual, |asked| asked.parse().unwrap())
}

/// One command, to be run several times.
pub(crate) struct Kept {
    folder: TempDir,
    words: Vec<String>,
    to_file: bool,
}

impl Kept {
    /// A crawl of the server from `/`, kept, written to a file.
    pub(crate) fn of(server: &Server, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut words = vec![server.url("/")];
        words.extend(flags.iter().map(|flag| (*flag).to_owned()));
        Self {
            folder,
            words,
            to_file: true,
        }
    }

    /// The same, to stdout.
    pub(crate) fn on_stdout(mut self) -> Self {
        self.to_file = false;
        self
    }

    /// As another command: `map`.
    pub(crate) fn command(mut self, command: &str) -> Self {
        self.words.insert(0, command.to_owned());
        self
    }

    /// Runs it on the files of another.
    pub(crate) fn in_folder_of(&self, other: &Self) -> Ended {
        self.start_in(other.folder.path(), &[]).end()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub(crate) fn written(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap_or_default()
    }

    /// Runs it, with more words than the last time.
    pub(crate) fn start_with(&self, more: &[&str]) -> Running {
        self.start_in(self.folder.path(), more)
    }

    fn start_in(&self, folder: &Path, more: &[&str]) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
        command
            .args(&self.words)
            .args(more)
            .arg("--state")
            .arg(folder.join("state"))
            .current_dir(folder);
        if self.to_file {
            command.arg("-o").arg(folder.join("out"));
        }
        spawn(command)
    }

    pub(crate) fn start(&self) -> Running {
        self.start_with(&[])
    }

    /// Runs it to its end.
    pub(crate) fn end(&self) -> Ended {
        self.start().end()
    }

    /// Runs it to its end, which must be a good one.
    #[track_caller]
    pub(crate) fn well(&self) -> Ended {
        let ended = self.end();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        ended
    }
}

/// Runs the binary with just these words.
pub(crate) fn plain(words: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
    command.args(words);
    spawn(command).end()
}

fn spawn(mut command: Command) -> Running {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let out = gathered(child.stdout.take().unwrap());
    let err = gathered(child.stderr.take().unwrap());
    Running { child, out, err }
}

fn gathered(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        // Nobody waits any more when the deadline was passed.
        send.send(String::from_utf8_lossy(&bytes).into_owned()).ok();
    });
    receive
}

/// A run under way; dropped, it is killed.
pub(crate) struct Running {
    child: Child,
    out: mpsc::Receiver<String>,
    err: mpsc::Receiver<String>,
}

impl Running {
    /// Waits until it holds, or the run is over.
    pub(crate) fn wait_for(&mut self, what: &str, mut holds: impl FnMut() -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !holds() && self.runs() {
            assert!(Instant::now() < deadline, "no {what}");
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// As the power goes out.
    pub(crate) fn kill(mut self) -> Ended {
        // It may have ended by itself.
        let _ = self.child.kill();
        self.end()
    }

    pub(crate) fn interrupt(&self) {
        let id = self.child.id().to_string();
        // It may have ended by itself.
        let _ = Command::new("kill").args(["-INT", &id]).output().unwrap();
    }

    #[track_caller]
    pub(crate) fn end(mut self) -> Ended {
        let out = self.out.recv_timeout(DEADLINE).expect("it ends in time");
        let err = self.err.recv_timeout(DEADLINE).expect("it ends in time");
        assert!(!err.contains("panicked"), "{err}");
        Ended {
            out,
            err,
            code: self.child.wait().unwrap().code(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was left of a run.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) out: String,
    pub(crate) err: String,
    /// `None` after a kill.
    pub(crate) code: Option<i32>,
}

impl Ended {
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> &Self {
        assert!(self.err.contains(words), "no {words:?} in {}", self.err);
        self
    }

    #[track_caller]
    pub(crate) fn with_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.err);
        self
    }

    /// What `--log-format json` says of an event.
    #[track_caller]
    pub(crate) fn event(&self, event: &str) -> Value {
        let said = self.err.lines().map(serde_json::from_str::<Value>);
        let found = said
            .filter_map(Result::ok)
            .find(|line| line["event"] == event);
        found.unwrap_or_else(|| panic!("no {event} in {}", self.err))
    }
}
