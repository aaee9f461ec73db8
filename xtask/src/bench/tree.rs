//! A process and all that descend from it: how long they ran, and the most memory they had.

use std::collections::{HashMap, HashSet};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::machine;

const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Adding up memory costs the kernel something, so it is done every so many looks.
const MEMORY_EVERY: u32 = 5;
const PATIENCE: Duration = Duration::from_mins(15);

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) time: Duration,
    /// Of all processes; of one that ended, as it was last seen.
    pub(crate) processor: Duration,
    /// The most that all held together, what they share counted once.
    pub(crate) memory: u64,
}

/// Runs a command to its end and watches it and its descendants.
pub(crate) fn measure(command: &mut Command) -> Result<Cost> {
    let begun = Instant::now();
    let mut child = Ended(
        command
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?,
    );
    let mut processor: HashMap<u32, Duration> = HashMap::new();
    let (mut memory, mut looks) = (0, 0);
    let status = loop {
        let tree = descendants(child.0.id());
        for id in &tree {
            if let Ok(time) = machine::processor(*id) {
                processor.insert(*id, time);
            }
        }
        if looks % MEMORY_EVERY == 0 {
            memory = memory.max(tree.iter().filter_map(|id| held(*id)).sum());
        }
        looks += 1;
        if let Some(status) = child.0.try_wait()? {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            bail!("{command:?} did not end within {PATIENCE:?}");
        }
        std::thread::sleep(LOOK_EVERY);
    };
    let time = begun.elapsed();
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(Cost {
        time,
        processor: processor.values().sum(),
        memory,
    })
}

/// A child that is ended with us.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It has ended by itself unless something went wrong.
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

/// Bytes that a process holds, with its part of what is shared.
fn held(id: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_childs_child_is_counted() {
        let spin = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let mut command = Command::new("sh");
        command.args(["-c", &format!("sh -c '{spin}'; true")]);
        let cost = measure(&mut command).unwrap();
        assert!(
            cost.processor > Duration::ZERO && cost.memory > 0,
            "{cost:?}"
        );
        assert!(measure(&mut Command::new("false")).is_err());
    }
}
