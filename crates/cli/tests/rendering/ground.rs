//! A folder of the test's own, which every browser it starts is told apart by: a browser keeps its profile below it and has
//! that in its command line.

use std::fs::Permissions;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Nothing here takes longer on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Looks again and again until it is so.
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < PATIENCE, "not in {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) struct Ground {
    folder: TempDir,
}

/// What was left when a command ended.
pub(crate) struct Ended {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("cr-").tempdir().unwrap();
        // As root the browser is somebody else, who must get to its profile.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The command, to be changed before it is run. The browser is the one of the environment.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
        command
            .args(words)
            .current_dir(self.path())
            .env("TMPDIR", self.path())
            .env_remove("BROWSER_SANDBOX")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs to the end.
    pub(crate) fn crawler(&self, words: &[&str]) -> Ended {
        finish(self.command(words))
    }

    /// The processes of browsers that were started here, in words.
    pub(crate) fn browsers(&self) -> Vec<String> {
        let mine = self.path().to_str().unwrap();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|process| {
                let words = std::fs::read(process.path().join("cmdline")).ok()?;
                let words = String::from_utf8_lossy(&words).replace('\0', " ");
                let number = process.file_name().into_string().ok()?;
                let is_browser = words.contains(mine) && words.contains("--user-data-dir=");
                is_browser.then(|| format!("{number} {words}"))
            })
            .collect()
    }

    pub(crate) fn until_a_browser_runs(&self) {
        until("a browser runs", || !self.browsers().is_empty());
    }

    /// No process and no profile.
    pub(crate) fn until_nothing_is_left(&self) {
        until("every browser is gone", || self.browsers().is_empty());
        until("every profile is gone", || self.profiles().is_empty());
    }

    fn profiles(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap().flatten();
        entries
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }
}

/// Runs a command to its end, or ends it at the deadline and the test with it.
pub(crate) fn finish(mut command: Command) -> Ended {
    let mut child = command.spawn().unwrap();
    let out = gathered(child.stdout.take().unwrap());
    let err = gathered(child.stderr.take().unwrap());
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{command:?} did not end: {}", err.join().unwrap());
        }
        thread::sleep(Duration::from_millis(10));
    };
    Ended {
        out: out.join().unwrap(),
        err: err.join().unwrap(),
        code: status.code(),
    }
}

fn gathered(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

impl Ended {
    /// Asserts exit code 0.
    pub(crate) fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self
    }

    /// stdout as one object a line.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let lines = self.out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}
