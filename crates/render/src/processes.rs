//! The processes of a browser, read from `/proc`.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// Unit of CPU times in `/proc`: 100 per second on every architecture (`USER_HZ`).
const CLOCK_TICK: Duration = Duration::from_millis(10);

/// A process.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Process {
    pub(crate) id: u32,
    /// Whether it renders pages.
    pub(crate) renders: bool,
    /// Resident memory in bytes.
    pub(crate) memory: u64,
    /// CPU time of all its threads since its start.
    pub(crate) cpu: Duration,
    /// Number of seccomp filters. A container may have added some to every process.
    pub(crate) filters: u64,
    /// Whether it was started with `--no-sandbox`.
    pub(crate) sandbox_disabled: bool,
    /// Whether it runs as root.
    pub(crate) is_root: bool,
}

/// Where the system lists its processes.
pub(crate) const FOLDER: &str = "/proc";

/// Returns all live processes of a group. Reads many small files: call it on a blocking
/// thread.
pub(crate) fn of_group(group: u32) -> Vec<Process> {
    let Ok(entries) = fs::read_dir(FOLDER) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|id: u32| process(id, group))
        .collect()
}

/// Whether all page processes, of which there must be at least one, are sandboxed: not root, and with more seccomp filters
/// than the browser process.
pub(crate) fn are_sandboxed(processes: &[Process]) -> bool {
    let others = processes.iter().filter(|process| !process.renders);
    let around = others.map(|process| process.filters).min().unwrap_or(0);
    let mut pages = processes
        .iter()
        .filter(|process| process.renders)
        .peekable();
    pages.peek().is_some()
        && processes.iter().all(|process| !process.sandbox_disabled)
        && pages.all(|page| page.filters > around && !page.is_root)
}

fn process(id: u32, group: u32) -> Option<Process> {
    let folder = format!("/proc/{id}");
    let folder = Path::new(&folder);
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    if group_of(&stat)? != group {
        return None;
    }
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let command = fs::read(folder.join("cmdline")).ok()?;
    let number = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line[name.len()..]
            .split_ascii_whitespace()
            .next()?
            .parse()
            .ok()
    };
    Some(Process {
        id,
        renders: has_word(&command, b"--type=renderer"),
        sandbox_disabled: has_word(&command, b"--no-sandbox"),
        memory: number("VmRSS:").unwrap_or(0_u64) << 10,
        cpu: cpu_of(&stat).unwrap_or_default(),
        filters: match number("Seccomp:") {
            // Only newer kernels report the number.
            Some(2) => number("Seccomp_filters:").unwrap_or(1),
            _ => 0,
        },
        is_root: number("Uid:") == Some(0),
    })
}

/// Whether a command line contains an argument. Forked processes rewrite theirs with spaces between the arguments.
fn has_word(command: &[u8], word: &[u8]) -> bool {
    command
        .split(|byte| matches!(byte, 0 | b' '))
        .any(|one| one == word)
}

/// Returns the CPU time of a process; `None` if it does not exist.
pub(crate) fn cpu_time(id: u32) -> Option<Duration> {
    cpu_of(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// Parses the CPU time from `stat`: the fields 14 and 15, counted from the start, in user and in kernel mode.
fn cpu_of(stat: &str) -> Option<Duration> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(CLOCK_TICK * user.saturating_add(system))
}

/// Parses the group from `stat`: the third field after the name, which may contain spaces and parentheses. `None` for a
/// zombie.
fn group_of(stat: &str) -> Option<u32> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_parsed_from_stat() {
        assert_eq!(group_of("7 (a) b) S 1 42 9 0"), Some(42));
        assert_eq!(group_of("7 (dead) Z 1 42 9 0"), None);
        assert_eq!(group_of("7 (cut"), None);
    }

    #[test]
    fn the_cpu_time_is_parsed_from_stat() {
        let stat = "7 (a b) S 1 42 42 0 -1 4194560 90 0 0 0 150 25 0 0 20 0 1 0 100";
        assert_eq!(cpu_of(stat), Some(Duration::from_millis(1_750)));
        assert_eq!(cpu_of("7 (cut) S 1 42"), None);
        assert_eq!(cpu_time(u32::MAX), None);
    }

    #[test]
    fn arguments_are_found_in_both_kinds_of_command_lines() {
        let renders = |command: &[u8]| has_word(command, b"--type=renderer");
        assert!(renders(b"/usr/lib/chromium\0--type=renderer\0--lang=en\0"));
        assert!(renders(b"/usr/lib/chromium --type=renderer --lang=en\0"));
        assert!(!renders(b"/usr/lib/chromium --type=utility\0"));
    }

    #[test]
    fn all_page_processes_must_be_sandboxed() {
        let page = |filters, is_root| Process {
            id: 7,
            renders: true,
            filters,
            is_root,
            ..Process::default()
        };
        let browser = |filters| Process {
            renders: false,
            ..page(filters, false)
        };
        assert!(are_sandboxed(&[browser(0), page(1, false)]));
        // No page process yet, or none that can be seen.
        assert!(!are_sandboxed(&[]));
        assert!(!are_sandboxed(&[browser(0)]));
        assert!(!are_sandboxed(&[
            browser(0),
            page(1, false),
            page(0, false)
        ]));
        assert!(!are_sandboxed(&[page(1, true)]));
        // A filter on every process is not a sandbox.
        assert!(!are_sandboxed(&[browser(2), page(2, false)]));
        assert!(are_sandboxed(&[browser(2), page(3, false)]));
        let sandbox_disabled = Process {
            sandbox_disabled: true,
            ..browser(0)
        };
        assert!(!are_sandboxed(&[sandbox_disabled, page(1, false)]));
    }

    #[cfg(target_os = "linux")] // Other systems have no `/proc`, and pages are not rendered there.
    #[test]
    fn our_own_process_is_in_its_group() {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let group = group_of(&stat).unwrap();
        let own = of_group(group);
        let own = own.iter().find(|one| one.id == std::process::id()).unwrap();
        assert!(own.memory > 1 << 20 && !own.renders);
    }
}
