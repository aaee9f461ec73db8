//! What a tree of processes holds.

use std::fmt;
use std::fs;
use std::time::Duration;

use crate::family::{Process, browsers, family, until};

/// Samples of one measurement, and the time between two.
const SAMPLES: usize = 9;
const BETWEEN: Duration = Duration::from_millis(200);

/// Of this process and of all that descend from it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Memory {
    /// Bytes that are nobody's but theirs: what could grow. Programs are mapped from files, and how much of that is theirs
    /// depends on who else runs the same program.
    pub(crate) own: u64,
    /// Bytes with their part of everything that is shared, where the system tells.
    all: u64,
    processes: usize,
}

impl Memory {
    /// The middle of several samples, once the browsers that are on their way out are gone.
    pub(crate) async fn at_rest() -> Self {
        until("one browser is left", || browsers(family()).len() == 1).await;
        let mut samples = Vec::new();
        for _ in 0..SAMPLES {
            tokio::time::sleep(BETWEEN).await;
            samples.push(Self::now());
        }
        samples.sort_unstable();
        samples[SAMPLES / 2]
    }

    fn now() -> Self {
        let family = family();
        let here = Process::read(std::process::id()).unwrap();
        let tree = || family.iter().chain([&here]);
        Self {
            own: tree().map(own).sum(),
            all: tree().filter_map(|process| all(process.id)).sum(),
            processes: tree().count(),
        }
    }
}

/// What one process holds besides what is mapped from files.
fn own(process: &Process) -> u64 {
    let kilobytes = |field| process.says(field).map_or(0, |text| text.parse().unwrap());
    (kilobytes("RssAnon:") + kilobytes("RssShmem:")) << 10
}

/// What one process holds, its part of what is shared included.
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
            "{own:.1} MB of their own in {processes} processes, {all:.0} MB with what they share"
        )
    }
}
