//! Measures one process: duration, CPU time to the microsecond, and peak memory.
//!
//! The kernel reports CPU time summed over all children a parent waited for, and peak memory as their maximum. So each
//! run gets its own parent: this program again, as `xtask stopwatch FILE PROGRAM ARGUMENTS…`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::time::TimeVal;
use nix::unistd::Pid;

use super::tree::Cost;

const TIMEOUT: Duration = Duration::from_mins(5);

/// Runs a command on the given cores (in `taskset` syntax) and returns its output. One exit code besides 0 may count as
/// success.
pub(crate) fn time(
    command: &Command,
    accepted_exit_code: u64,
    cores: &str,
    folder: &Path,
) -> Result<(Cost, String)> {
    let file = folder.join("stopwatch");
    let mut parent = Command::new(std::env::current_exe()?);
    parent
        .arg("stopwatch")
        .arg(&file)
        .args(["taskset", "--cpu-list", cores])
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => parent.env(name, value),
            None => parent.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        parent.current_dir(folder);
    }
    let output = parent
        .output()
        .with_context(|| format!("cannot start {parent:?}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?} ended with {}: {printed}{error}", output.status);
    }
    let (cost, code) = parse(&std::fs::read_to_string(&file)?)?;
    std::fs::remove_file(file)?;
    if code != 0 && code != accepted_exit_code {
        bail!("{command:?} ended with {code}: {printed}");
    }
    Ok((cost, printed))
}

/// Runs as the parent of one measured process.
pub(crate) fn run_parent(args: &[&str]) -> Result<()> {
    let [file, program, arguments @ ..] = args else {
        bail!("a file and a program are needed");
    };
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let id = Pid::from_raw(child.id().try_into()?);
    std::thread::spawn(move || {
        std::thread::sleep(TIMEOUT);
        // It has exited in the meantime.
        let _ = kill(id, Signal::SIGKILL);
    });
    let status = child.wait()?;
    let time = started.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let processor = duration(usage.user_time()) + duration(usage.system_time());
    // Linux reports it in kilobytes.
    let memory = u64::try_from(usage.max_rss())? << 10;
    let code = status
        .code()
        .with_context(|| format!("{program} ended with {status}"))?;
    let (time, processor) = (time.as_micros(), processor.as_micros());
    std::fs::write(file, format!("{time} {processor} {memory} {code}"))?;
    Ok(())
}

fn duration(value: TimeVal) -> Duration {
    let seconds = u64::try_from(value.tv_sec()).unwrap_or_default();
    let micros = u64::try_from(value.tv_usec()).unwrap_or_default();
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

fn parse(text: &str) -> Result<(Cost, u64)> {
    let numbers: Vec<u64> = text
        .split(' ')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .with_context(|| format!("the stopwatch wrote {text:?}"))?;
    let [time, processor, memory, code] = numbers[..] else {
        bail!("the stopwatch wrote {text:?}");
    };
    let cost = Cost {
        time: Duration::from_micros(time),
        processor: Duration::from_micros(processor),
        memory,
    };
    Ok((cost, code))
}
