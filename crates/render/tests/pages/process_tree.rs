//! The descendants of this process, or of another that may have exited.

use std::fmt;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// Time limit for a condition to become true.
const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

/// A process.
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) command: String,
    status: String,
}

impl Process {
    /// Reads its current state.
    pub(crate) fn read(id: u32) -> Option<Self> {
        let read = |name: &str| fs::read_to_string(format!("/proc/{id}/{name}")).ok();
        Some(Self {
            id,
            status: read("status")?,
            command: read("cmdline")?.replace('\0', " "),
        })
    }

    /// Returns a field of its status.
    pub(crate) fn status_field(&self, field: &str) -> Option<&str> {
        let line = self.status.lines().find(|line| line.starts_with(field))?;
        line[field.len()..].split_ascii_whitespace().next()
    }

    /// Whether it renders pages.
    pub(crate) fn renders(&self) -> bool {
        self.command.contains("--type=renderer")
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command: String = self.command.chars().take(100).collect();
        let (state, parent) = (self.status_field("State:"), self.status_field("PPid:"));
        write!(f, "{} of {parent:?}, {state:?}: {command}", self.id)
    }
}

/// Returns all descendants of this process, and orphaned processes that use one of its profiles.
pub(crate) fn descendants() -> Vec<Process> {
    descendants_of(std::process::id())
}

/// Returns all descendants of a process, and orphaned processes that use one of its profiles.
pub(crate) fn descendants_of(root: u32) -> Vec<Process> {
    let profile = format!("crawler-br-{root}-");
    let mut all: Vec<(u32, Process)> = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.parse().ok());
        let Some(process) = id.and_then(Process::read) else {
            continue;
        };
        let parent = process.status_field("PPid:").unwrap().parse().unwrap();
        // A zombie of another parent is not running.
        if process.status_field("State:") != Some("Z") || parent == root {
            all.push((parent, process));
        }
    }
    let mut tree = vec![root];
    loop {
        let more: Vec<u32> = all
            .iter()
            .filter(|(parent, process)| tree.contains(parent) && !tree.contains(&process.id))
            .map(|(_, process)| process.id)
            .collect();
        if more.is_empty() {
            break;
        }
        tree.extend(more);
    }
    all.into_iter()
        .map(|(_, process)| process)
        .filter(|process| process.id != root)
        .filter(|process| tree.contains(&process.id) || process.command.contains(&profile))
        .collect()
}

/// Returns the main processes of the browsers among these.
pub(crate) fn browsers(mut processes: Vec<Process>) -> Vec<Process> {
    processes.retain(|process| {
        process.command.contains("--user-data-dir=") && !process.command.contains("--type=")
    });
    processes.retain(|process| !process.command.contains("crashpad"));
    processes
}

/// Waits until a condition is true.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < WAIT_TIMEOUT,
            "{what}: {:#?}",
            descendants()
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Sends a signal such as `-9`. Returns false if the process does not exist.
pub(crate) fn signal(signal: &str, process: u32) -> bool {
    let sent = Command::new("kill")
        .args([signal, &process.to_string()])
        .stderr(std::process::Stdio::null())
        .status();
    sent.unwrap().success()
}
