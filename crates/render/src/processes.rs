//! The processes of a browser, as the system shows them.

use std::fs;
use std::path::Path;

/// One process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Process {
    pub(crate) id: u32,
    /// It renders pages.
    pub(crate) renders: bool,
    /// Bytes of memory it holds.
    pub(crate) memory: u64,
    /// Its system calls are filtered.
    pub(crate) filtered: bool,
    /// It is nobody's but root's.
    pub(crate) is_root: bool,
}

/// All living processes of a group. Empty where the system shows none. Reads many small files: work for a thread that may
/// be busy.
pub(crate) fn of_group(group: u32) -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|id: u32| process(id, group))
        .collect()
}

/// Whether those that render pages, of which there must be one, are in their sandbox: system calls filtered, and not root.
/// Where the system shows no processes at all there is nothing to be learnt.
pub(crate) fn are_sandboxed(processes: &[Process]) -> bool {
    let mut seen = processes.is_empty();
    for process in processes.iter().filter(|process| process.renders) {
        seen = true;
        if !process.filtered || process.is_root {
            return false;
        }
    }
    seen
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
        renders: renders(&command),
        memory: number("VmRSS:").unwrap_or(0_u64) << 10,
        filtered: number("Seccomp:") == Some(2),
        is_root: number("Uid:") == Some(0),
    })
}

/// Whether a command line is that of a process that renders pages. Such a process was not started but split off, and
/// its command line is one it wrote itself: with blanks between the words.
fn renders(command: &[u8]) -> bool {
    command
        .split(|byte| matches!(byte, 0 | b' '))
        .any(|word| word == b"--type=renderer")
}

/// The group in a line of `stat`: the third field behind the name, which may have blanks and brackets in it. A zombie
/// has none that counts.
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
    fn a_line_of_stat() {
        assert_eq!(group_of("7 (a) b) S 1 42 9 0"), Some(42));
        assert_eq!(group_of("7 (dead) Z 1 42 9 0"), None);
        assert_eq!(group_of("7 (cut"), None);
    }

    #[test]
    fn a_command_line_of_either_kind() {
        assert!(renders(b"/usr/lib/chromium\0--type=renderer\0--lang=en\0"));
        assert!(renders(b"/usr/lib/chromium --type=renderer --lang=en\0"));
        assert!(!renders(b"/usr/lib/chromium --type=utility\0"));
    }

    #[test]
    fn a_sandbox_is_one_when_all_page_processes_are_in_it() {
        let page = |filtered, is_root| Process {
            id: 7,
            renders: true,
            memory: 0,
            filtered,
            is_root,
        };
        let browser = Process {
            renders: false,
            ..page(false, true)
        };
        assert!(are_sandboxed(&[]));
        assert!(are_sandboxed(&[browser.clone(), page(true, false)]));
        // Not yet: nobody renders.
        assert!(!are_sandboxed(std::slice::from_ref(&browser)));
        assert!(!are_sandboxed(&[
            browser,
            page(true, false),
            page(false, false)
        ]));
        assert!(!are_sandboxed(&[page(true, true)]));
    }

    #[test]
    fn our_own_process_is_in_its_group() {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let group = group_of(&stat).unwrap();
        let own = of_group(group);
        let own = own.iter().find(|one| one.id == std::process::id()).unwrap();
        assert!(own.memory > 1 << 20 && !own.renders);
    }
}
