//! Measures a process and all its descendants: CPU time and peak memory.

use std::collections::{HashMap, HashSet};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::machine;

const SAMPLE_INTERVAL: Duration = Duration::from_millis(200);
/// Samples between two readings of memory, which are expensive for the kernel.
const SAMPLES_PER_MEMORY_READING: u32 = 5;
const TIMEOUT: Duration = Duration::from_mins(15);

/// Cost of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) time: Duration,
    /// CPU time of all processes; of one that ended, as last sampled.
    pub(crate) processor: Duration,
    /// Peak memory of all together, shared pages counted once.
    pub(crate) memory: u64,
}

/// Runs a command and samples it and its descendants.
pub(crate) fn measure(command: &mut Command) -> Result<Cost> {
    let started = Instant::now();
    let mut child = KilledOnDrop(
        command
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?,
    );
    let mut samples = Samples::default();
    let status = loop {
        samples.take(child.0.id());
        if let Some(status) = child.0.try_wait()? {
            break status;
        }
        if started.elapsed() > TIMEOUT {
            bail!("{command:?} did not end within {TIMEOUT:?}");
        }
        std::thread::sleep(SAMPLE_INTERVAL);
    };
    let time = started.elapsed();
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(Cost {
        time,
        processor: samples.processor.values().sum(),
        memory: samples.memory,
    })
}

/// CPU time and memory of a process tree, as sampled so far.
#[derive(Default)]
struct Samples {
    taken: u32,
    /// CPU time by process, those that have ended included.
    processor: HashMap<u32, Duration>,
    /// Peak memory in bytes.
    memory: u64,
}

impl Samples {
    fn take(&mut self, root: u32) {
        let tree = descendants(root);
        for id in &tree {
            if let Ok(time) = machine::processor(*id) {
                self.processor.insert(*id, time);
            }
        }
        if self.taken.is_multiple_of(SAMPLES_PER_MEMORY_READING) {
            let total = tree.iter().filter_map(|id| proportional_memory(*id)).sum();
            self.memory = self.memory.max(total);
        }
        self.taken += 1;
    }
}

/// A child that is killed when dropped.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // It has already exited unless something went wrong.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn descendants(root: u32) -> HashSet<u32> {
    let mut parents: Vec<(u32, u32)> = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let id = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        if let (Some(id), Some(parent)) = (id, parent) {
            parents.push((id, parent));
        }
    }
    let mut tree = HashSet::from([root]);
    loop {
        let before = tree.len();
        for (id, parent) in &parents {
            if tree.contains(parent) {
                tree.insert(*id);
            }
        }
        if tree.len() == before {
            return tree;
        }
    }
}

/// Memory of a process in bytes, with its proportional share of shared pages.
fn proportional_memory(id: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")] // Measured with `/proc`, as the benchmarks are.
    #[test]
    fn a_grandchild_is_counted() {
        let busy = "while kill -0 $PPID 2>/dev/null; do :; done";
        let mut command = Command::new("sh");
        command.args(["-c", &format!("sh -c '{busy}'; true")]);
        let child = KilledOnDrop(command.spawn().unwrap());
        let root = child.0.id();
        let mut samples = Samples::default();
        let used_by_grandchild = |samples: &Samples| {
            samples
                .processor
                .iter()
                .any(|(id, time)| *id != root && *time > Duration::ZERO)
        };
        let deadline = Instant::now() + Duration::from_mins(1);
        while !used_by_grandchild(&samples) || samples.memory == 0 {
            assert!(Instant::now() < deadline, "{:?}", samples.processor);
            samples.take(root);
        }
    }

    #[test]
    fn a_command_that_fails_is_an_error() {
        assert!(measure(&mut Command::new("false")).is_err());
        assert!(measure(&mut Command::new("true")).is_ok());
    }
}
