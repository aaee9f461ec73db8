//! One run of the program, watched from outside: how it ended, what it wrote, how long it took, and how
//! much memory it had at most.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::page::Page;

const SHORT_RUN: Duration = Duration::from_millis(500);

/// A run to be.
#[derive(Debug)]
pub(crate) struct Crawl {
    command: Command,
    folder: TempDir,
    within: Duration,
}

/// A run that ended by itself.
#[derive(Debug)]
pub(crate) struct Ended {
    folder: TempDir,
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// Everything it said, one JSON object a line.
    pub(crate) told: String,
    /// The most memory it had, in megabytes (`VmHWM`).
    pub(crate) peak_mb: f64,
    /// From start to end.
    pub(crate) took: Duration,
}

impl Crawl {
    /// A crawl from that URL, written to a file, its messages as JSON.
    pub(crate) fn of(url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_crawler"));
        command
            .args([url, "--log-format", "json", "-o"])
            .arg(folder.path().join("out"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(folder.path().join("err")).unwrap());
        Self {
            command,
            folder,
            within: Duration::from_mins(1),
        }
    }

    /// More flags, as one types them.
    pub(crate) fn flags(mut self, typed: &str) -> Self {
        self.command.args(typed.split_whitespace());
        self
    }

    /// A variable of its environment.
    pub(crate) fn env(mut self, name: &str, value: &Path) -> Self {
        self.command.env(name, value);
        self
    }

    /// How long it may take to end by itself.
    pub(crate) fn within(mut self, within: Duration) -> Self {
        self.within = within;
        self
    }

    /// Runs it to its end. One that does not end is killed, and fails the test.
    pub(crate) fn run(mut self) -> Ended {
        let begun = Instant::now();
        let mut child = self.command.spawn().unwrap();
        let mut peak_kb = 0;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            // The mark only rises, so what is missed is what it grew by since the last look; a short run
            // is looked at more often.
            peak_kb = peak_kb.max(high_water_kb(&child));
            let pause = if begun.elapsed() < SHORT_RUN {
                Duration::from_micros(300)
            } else {
                Duration::from_millis(5)
            };
            if begun.elapsed() > self.within {
                child.kill().unwrap();
                child.wait().unwrap();
                let told = std::fs::read_to_string(self.folder.path().join("err")).unwrap();
                let last = told.lines().last().unwrap_or_default();
                panic!("did not end within {:?}; last words: {last}", self.within);
            }
            std::thread::sleep(pause);
        };
        Ended {
            code: status.code(),
            told: std::fs::read_to_string(self.folder.path().join("err")).unwrap(),
            peak_mb: peak_kb as f64 / 1024.0,
            took: begun.elapsed(),
            folder: self.folder,
        }
    }
}

impl Ended {
    /// The file it wrote.
    pub(crate) fn output(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Its lines, one at a time.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let file = File::open(self.output()).unwrap();
        BufReader::new(file).lines().map(Result::unwrap)
    }

    /// Its pages, when it wrote ndjson.
    pub(crate) fn pages(&self) -> Vec<Page> {
        self.lines().map(|line| Page::read(&line)).collect()
    }

    /// A field of the summary.
    pub(crate) fn summary(&self, field: &str) -> serde_json::Value {
        let said = self.told.lines().map(serde_json::from_str);
        let said: Vec<serde_json::Value> = said.map(Result::unwrap).collect();
        let summary = said.iter().find(|line| line["event"] == "summary");
        summary.expect("a summary is said at the end")[field].clone()
    }

    /// It ended well, because the site ended, and nothing in it broke.
    pub(crate) fn assert_done(&self) {
        assert_eq!(self.code, Some(0), "{}", self.told);
        assert_eq!(self.summary("stop_reason"), "done", "{}", self.told);
        assert_eq!(self.summary("left"), 0);
        self.assert_sound();
    }

    /// No panic, caught or not.
    pub(crate) fn assert_sound(&self) {
        for word in ["panicked", "internal error"] {
            assert!(!self.told.contains(word), "{}", self.told);
        }
    }
}

fn high_water_kb(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.unwrap_or_default();
    let mark = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"));
    mark.map_or(0, |kb| kb.trim().parse().unwrap())
}
