//! Description of the machine that the benchmark ran on, and CPU times of processes.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::shell::output_of;

/// The unit of CPU times in `/proc`: a hundredth of a second on Linux.
const TICK: Duration = Duration::from_millis(10);

/// One line: processor, cores, memory, system, load, versions, date.
pub(crate) fn description() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, name: &str| {
        text.lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| line.split([':', '=']).nth(1))
            .map(|value| value.trim().trim_matches('"').to_owned())
            .unwrap_or_default()
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = after(&read("/proc/meminfo"), "MemTotal");
    let kilobytes: u64 = memory.trim_end_matches(" kB").parse().unwrap_or_default();
    let output = |program: &str, arguments: &[&str]| {
        output_of(Command::new(program).args(arguments))
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    format!(
        "{date}; commit {commit}; {processor}, {cores} cores, {memory} GB; {system}; {rust}; load {load} at the start",
        date = output("date", &["-u", "+%F %H:%M UTC"]),
        commit = output("git", &["describe", "--always", "--dirty"]),
        processor = after(&read("/proc/cpuinfo"), "model name"),
        memory = kilobytes / (1 << 20),
        system = after(&read("/etc/os-release"), "PRETTY_NAME"),
        rust = output("rustc", &["--version"]),
        load = load(),
    )
}

/// Load average of the last minute, ours included.
pub(crate) fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}

/// CPU time of a process so far, user and system.
pub(crate) fn processor(id: u32) -> Result<Duration> {
    ticks(id, [11, 12])
}

/// CPU time of a process's live threads so far, in nanoseconds; threads that have ended are not included.
pub(crate) fn threads(id: u32) -> Result<Duration> {
    let mut sum = Duration::ZERO;
    for thread in std::fs::read_dir(format!("/proc/{id}/task"))? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let ran = text.split(' ').next().context("an empty schedstat")?;
        sum += Duration::from_nanos(ran.parse()?);
    }
    Ok(sum)
}

/// CPU time of a process's children that have ended.
pub(crate) fn children(id: u32) -> Result<Duration> {
    ticks(id, [13, 14])
}

/// The sum of two fields of `/proc/<pid>/stat`, numbered after the name.
fn ticks(id: u32, indexes: [usize; 2]) -> Result<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
    // The name, in parentheses, may contain any character.
    let (_, rest) = text.rsplit_once(')').context("no name in stat")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let mut sum = Duration::ZERO;
    for index in indexes {
        sum += TICK * fields.get(index).context("too few fields")?.parse()?;
    }
    Ok(sum)
}
