//! A crawl into a file, observed from outside: exit code, messages, output, time and memory.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::page::Page;
use crate::run::{Finished, Run};

const SHORT_RUN: Duration = Duration::from_millis(500);

/// A crawl to be run.
pub(crate) struct Crawl {
    run: Run,
    folder: TempDir,
}

/// A crawl that ended.
#[derive(Debug)]
pub(crate) struct Crawled {
    folder: TempDir,
    finished: Finished,
    /// Peak memory in megabytes (`VmHWM`).
    pub(crate) peak_mb: f64,
}

impl Crawl {
    /// A crawl from a URL, written to a file, with messages as JSON.
    pub(crate) fn of(url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let run = Run::new(&[url, "--log-format", "json", "-o", out.to_str().unwrap()]);
        Self { run, folder }
    }

    /// Adds flags, separated by spaces.
    pub(crate) fn flags(mut self, flags: &str) -> Self {
        self.run = self.run.args(flags.split_whitespace());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &Path) -> Self {
        self.run = self.run.env(name, value);
        self
    }

    pub(crate) fn within(mut self, timeout: Duration) -> Self {
        self.run = self.run.within(timeout);
        self
    }

    /// Runs to the end, and measures memory meanwhile.
    #[track_caller]
    pub(crate) fn run(self) -> Crawled {
        let mut running = self.run.start();
        let (process, start) = (running.id(), Instant::now());
        let mut peak_kb = 0;
        running.wait_for_or_end("end", || {
            // The mark only rises, so growth after the last sample is missed; a short run is sampled more often.
            peak_kb = peak_kb.max(high_water_kb(process));
            while start.elapsed() < SHORT_RUN && Path::new(&format!("/proc/{process}/exe")).exists()
            {
                peak_kb = peak_kb.max(high_water_kb(process));
                std::thread::sleep(Duration::from_micros(300));
            }
            false
        });
        Crawled {
            folder: self.folder,
            finished: running.finish(),
            peak_mb: peak_kb as f64 / 1024.0,
        }
    }
}

impl Crawled {
    pub(crate) fn code(&self) -> Option<i32> {
        self.finished.code
    }

    pub(crate) fn stderr(&self) -> &str {
        &self.finished.stderr
    }

    pub(crate) fn took(&self) -> Duration {
        self.finished.took
    }

    pub(crate) fn output_file(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// The lines of the output, one at a time.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let file = File::open(self.output_file()).unwrap();
        BufReader::new(file).lines().map(Result::unwrap)
    }

    /// The pages of `--format ndjson`.
    pub(crate) fn pages(&self) -> Vec<Page> {
        self.lines().map(|line| Page::read(&line)).collect()
    }

    /// A field of the summary.
    #[track_caller]
    pub(crate) fn summary(&self, field: &str) -> Value {
        self.finished.event("summary")[field].clone()
    }

    /// Asserts that the whole site was crawled and nothing failed internally.
    #[track_caller]
    pub(crate) fn assert_done(&self) {
        assert_eq!(self.code(), Some(0), "{}", self.stderr());
        assert_eq!(self.summary("stop_reason"), "done", "{}", self.stderr());
        assert_eq!(self.summary("left"), 0);
        self.assert_sound();
    }

    /// Asserts that nothing failed internally.
    #[track_caller]
    pub(crate) fn assert_sound(&self) {
        assert!(
            !self.stderr().contains("internal error"),
            "{}",
            self.stderr()
        );
    }
}

fn high_water_kb(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.unwrap_or_default();
    let mark = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"));
    mark.map_or(0, |kb| kb.trim().parse().unwrap())
}
