//! What a tree of processes holds.

use std::fmt;
use std::fs;
use std::time::Duration;

use crate::family::{Process, browsers, family, until};

/// Samples of one measurement, and the time between two.
const SAMPLES: usize = 9;
const BETWEEN: Duration = Duration::from_millis(200);

/// Bytes of this process and of all that descend from it. What processes share is counted once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Memory {
    pub(crate) all: u64,
    ours: u64,
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
        let ours = of("self").unwrap();
        // Where the system does not tell of another user's process what it shares, all that it holds is counted.
        let resident = |process: &Process| process.says("VmRSS:")?.parse::<u64>().ok();
        let held = |process: &Process| {
            of(&process.id.to_string())
                .or_else(|| resident(process).map(|kilobytes| kilobytes << 10))
        };
        Self {
            all: ours + family.iter().filter_map(held).sum::<u64>(),
            ours,
            processes: 1 + family.len(),
        }
    }
}

/// What one process holds, its part of what is shared included.
fn of(process: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let (all, ours) = (megabytes(self.all), megabytes(self.ours));
        let processes = self.processes;
        write!(
            f,
            "{all:.0} MB in {processes} processes, {ours:.1} MB of it in ours"
        )
    }
}
