//! Processes that are no children of the test: those of a Postgres server, and of the browser of a render process.

use std::fs;

use crate::harness::process::send_signal;
use crate::harness::random::Random;
use crate::harness::wait::{TIMEOUT, wait_until};

/// A process of any parent, recognized after its number has been given to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunningProcess {
    pub(crate) id: u32,
    parent: u32,
    /// Clock ticks from the start of the system to that of the process.
    started: String,
    command: String,
}

impl RunningProcess {
    /// Reads a process; `None` if it has ended, also if its parent has not waited for it yet.
    pub(crate) fn read(id: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name, in parentheses, may contain anything.
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        let [state, parent, ..] = fields.as_slice() else {
            return None;
        };
        let command = fs::read(format!("/proc/{id}/cmdline")).ok()?;
        (!matches!(*state, "Z" | "X")).then(|| Self {
            id,
            parent: parent.parse().unwrap(),
            started: (*fields.get(19).unwrap()).to_owned(),
            command: String::from_utf8_lossy(&command).replace('\0', " "),
        })
    }

    /// Whether its command line contains this text.
    pub(crate) fn has(&self, argument: &str) -> bool {
        self.command.contains(argument)
    }

    /// Kills it without warning. Returns false if it has ended by itself.
    pub(crate) fn kill(&self) -> bool {
        self.is_running() && send_signal(self.id, "KILL")
    }

    pub(crate) fn is_running(&self) -> bool {
        Self::read(self.id).is_some_and(|now| now.started == self.started)
    }
}

/// All descendants of a process, parents first.
pub(crate) fn descendants(root: u32) -> Vec<RunningProcess> {
    let ids = fs::read_dir("/proc").unwrap().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let all: Vec<RunningProcess> = ids.filter_map(RunningProcess::read).collect();
    let mut found: Vec<RunningProcess> = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for process in all.iter().filter(|process| process.parent == parent) {
            parents.push(process.id);
            found.push(process.clone());
        }
    }
    found
}

/// Kills a random one of these processes without warning and returns it; none if all have ended by themselves.
pub(crate) fn kill_one(
    processes: &[RunningProcess],
    random: &mut Random,
) -> Option<RunningProcess> {
    let first = usize::try_from(random.below(processes.len() as u64)).unwrap();
    let (before, after) = processes.split_at(first);
    let mut candidates = after.iter().chain(before);
    candidates.find(|process| process.kill()).cloned()
}

/// Waits until none of the processes is running.
#[track_caller]
pub(crate) fn wait_for_ends(what: &str, processes: &[RunningProcess]) {
    wait_until(what, TIMEOUT, || {
        !processes.iter().any(RunningProcess::is_running)
    });
}
