//! Memory of a process tree.

use std::fmt;
use std::fs;
use std::time::Duration;

use crate::process_tree::{Process, browsers, descendants, until};

/// Number of samples per measurement, and their interval.
const SAMPLES: usize = 9;
const SAMPLE_INTERVAL: Duration = Duration::from_millis(200);

/// Memory of this process and all its descendants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Memory {
    /// Private bytes, which could grow. Mapped files are excluded, because their share depends on other processes.
    pub(crate) own: u64,
    /// Proportional set size in bytes, where available.
    all: u64,
    processes: usize,
}

impl Memory {
    /// Returns the median of several samples, once retired browsers have exited.
    pub(crate) async fn at_rest() -> Self {
        until("one browser is left", || browsers(descendants()).len() == 1).await;
        let mut samples = Vec::new();
        for _ in 0..SAMPLES {
            tokio::time::sleep(SAMPLE_INTERVAL).await;
            samples.push(Self::now());
        }
        samples.sort_unstable();
        samples[SAMPLES / 2]
    }

    fn now() -> Self {
        let running = descendants();
        let this_process = Process::read(std::process::id()).unwrap();
        let tree = || running.iter().chain([&this_process]);
        Self {
            own: tree().map(own).sum(),
            all: tree().filter_map(|process| all(process.id)).sum(),
            processes: tree().count(),
        }
    }
}

/// Private memory of one process, without mapped files.
fn own(process: &Process) -> u64 {
    let kilobytes = |field| {
        process
            .status_field(field)
            .map_or(0, |text| text.parse().unwrap())
    };
    (kilobytes("RssAnon:") + kilobytes("RssShmem:")) << 10
}

/// Proportional set size of one process.
fn all(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let (own, all) = (megabytes(self.own), megabytes(self.all));
        let processes = self.processes;
        write!(
            f,
            "{own:.1} MB private in {processes} processes, {all:.0} MB with shared memory"
        )
    }
}
