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
    /// Its system calls are filtered, by so many filters. What surrounds us may have put some on all of them.
    pub(crate) filters: u64,
    /// It was told to do without its sandbox.
    pub(crate) unboxed: bool,
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

/// Whether those that render pages, of which there must be one, are in their sandbox: not root, and under more filters of
/// system calls than the browser itself. Where the system shows no processes at all there is nothing to be learnt.
pub(crate) fn are_sandboxed(processes: &[Process]) -> bool {
    let others = processes.iter().filter(|process| !process.renders);
    let around = others.map(|process| process.filters).min().unwrap_or(0);
    let mut pages = processes
        .iter()
        .filter(|process| process.renders)
        .peekable();
    let seen = pages.peek().is_some() || processes.is_empty();
    seen && processes.iter().all(|process| !process.unboxed)
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
        unboxed: has_word(&command, b"--no-sandbox"),
        memory: number("VmRSS:").unwrap_or(0_u64) << 10,
        filters: match number("Seccomp:") {
            // How many there are is told by newer kernels.
            Some(2) => number("Seccomp_filters:").unwrap_or(1),
            _ => 0,
        },
        is_root: number("Uid:") == Some(0),
    })
}

/// Whether a word stands in a command line. A process that was not started but split off wrote its own: with blanks between
/// the words.
fn has_word(command: &[u8], word: &[u8]) -> bool {
    command
        .split(|byte| matches!(byte, 0 | b' '))
        .any(|one| one == word)
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
        let renders = |command: &[u8]| has_word(command, b"--type=renderer");
        assert!(renders(b"/usr/lib/chromium\0--type=renderer\0--lang=en\0"));
        assert!(renders(b"/usr/lib/chromium --type=renderer --lang=en\0"));
        assert!(!renders(b"/usr/lib/chromium --type=utility\0"));
    }

    #[test]
    fn a_sandbox_is_one_when_all_page_processes_are_in_it() {
        let page = |filters, is_root| Process {
            id: 7,
            renders: true,
            memory: 0,
            filters,
            unboxed: false,
            is_root,
        };
        let browser = |filters| Process {
            renders: false,
            ..page(filters, false)
        };
        assert!(are_sandboxed(&[]));
        assert!(are_sandboxed(&[browser(0), page(1, false)]));
        // Not yet: nobody renders.
        assert!(!are_sandboxed(&[browser(0)]));
        assert!(!are_sandboxed(&[
            browser(0),
            page(1, false),
            page(0, false)
        ]));
        assert!(!are_sandboxed(&[page(1, true)]));
        // A filter that is on everything we start is no sandbox.
        assert!(!are_sandboxed(&[browser(2), page(2, false)]));
        assert!(are_sandboxed(&[browser(2), page(3, false)]));
        let unboxed = Process {
            unboxed: true,
            ..browser(0)
        };
        assert!(!are_sandboxed(&[unboxed, page(1, false)]));
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
