//! The processes that descend from this one, or from another that may be gone by now.

use std::fmt;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a test waits for what must become true.
const PATIENCE: Duration = Duration::from_secs(20);

/// One process.
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) command: String,
    status: String,
}

impl Process {
    /// As the system shows it now.
    pub(crate) fn read(id: u32) -> Option<Self> {
        let read = |name: &str| fs::read_to_string(format!("/proc/{id}/{name}")).ok();
        Some(Self {
            id,
            status: read("status")?,
            command: read("cmdline")?.replace('\0', " "),
        })
    }

    /// A field of its status.
    pub(crate) fn says(&self, field: &str) -> Option<&str> {
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
        let (state, parent) = (self.says("State:"), self.says("PPid:"));
        write!(f, "{} of {parent:?}, {state:?}: {command}", self.id)
    }
}

/// All processes that descend from this one, and those that were cut off but name a profile of ours.
pub(crate) fn family() -> Vec<Process> {
    family_of(std::process::id())
}

/// The same of any process. It is none of them itself.
pub(crate) fn family_of(root: u32) -> Vec<Process> {
    let profile = format!("crawler-br-{root}-");
    let mut all: Vec<(u32, Process)> = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.parse().ok());
        let Some(process) = id.and_then(Process::read) else {
            continue;
        };
        let parent = process.says("PPid:").unwrap().parse().unwrap();
        // Whoever is dead and waits for a parent of its own is not running.
        if process.says("State:") != Some("Z") || parent == root {
            all.push((parent, process));
        }
    }
    let mut ours = vec![root];
    loop {
        let more: Vec<u32> = all
            .iter()
            .filter(|(parent, process)| ours.contains(parent) && !ours.contains(&process.id))
            .map(|(_, process)| process.id)
            .collect();
        if more.is_empty() {
            break;
        }
        ours.extend(more);
    }
    all.into_iter()
        .map(|(_, process)| process)
        .filter(|process| process.id != root)
        .filter(|process| ours.contains(&process.id) || process.command.contains(&profile))
        .collect()
}

/// The browsers of a family: of each its first process.
pub(crate) fn browsers(mut family: Vec<Process>) -> Vec<Process> {
    family.retain(|process| {
        process.command.contains("--user-data-dir=") && !process.command.contains("--type=")
    });
    family.retain(|process| !process.command.contains("crashpad"));
    family
}

/// Waits for what must become true.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "{what}: {:#?}", family());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Sends a signal, such as `-9`; false: there is nobody of that number any more.
pub(crate) fn signal(signal: &str, process: u32) -> bool {
    let sent = Command::new("kill")
        .args([signal, &process.to_string()])
        .stderr(std::process::Stdio::null())
        .status();
    sent.unwrap().success()
}
