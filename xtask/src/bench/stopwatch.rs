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

const PATIENCE: Duration = Duration::from_mins(5);

/// Runs a command on the given cores (in `taskset` syntax) and returns its output. One exit code besides 0 may count as
/// success.
pub(crate) fn time(
    command: &Command,
    good: u64,
    cores: &str,
    folder: &Path,
) -> Result<(Cost, String)> {
    let told = folder.join("stopwatch");
    let mut watch = Command::new(std::env::current_exe()?);
    watch
        .arg("stopwatch")
        .arg(&told)
        .args(["taskset", "--cpu-list", cores])
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => watch.env(name, value),
            None => watch.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        watch.current_dir(folder);
    }
    let output = watch
        .output()
        .with_context(|| format!("cannot start {watch:?}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?} ended with {}: {printed}{error}", output.status);
    }
    let (cost, code) = read(&std::fs::read_to_string(&told)?)?;
    std::fs::remove_file(told)?;
    if code != 0 && code != good {
        bail!("{command:?} ended with {code}: {printed}");
    }
    Ok((cost, printed))
}

/// Runs as the parent of one measured process.
pub(crate) fn hold(words: &[&str]) -> Result<()> {
    let [told, program, arguments @ ..] = words else {
        bail!("a file and a program are needed");
    };
    let begun = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let id = Pid::from_raw(child.id().try_into()?);
    std::thread::spawn(move || {
        std::thread::sleep(PATIENCE);
        // It has exited in the meantime.
        let _ = kill(id, Signal::SIGKILL);
    });
    let status = child.wait()?;
    let time = begun.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let processor = duration(usage.user_time()) + duration(usage.system_time());
    // Linux reports it in kilobytes.
    let memory = u64::try_from(usage.max_rss())? << 10;
    let code = status
        .code()
        .with_context(|| format!("{program} ended with {status}"))?;
    let (time, processor) = (time.as_micros(), processor.as_micros());
    std::fs::write(told, format!("{time} {processor} {memory} {code}"))?;
    Ok(())
}

fn duration(value: TimeVal) -> Duration {
    let seconds = u64::try_from(value.tv_sec()).unwrap_or_default();
    let micros = u64::try_from(value.tv_usec()).unwrap_or_default();
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

fn read(told: &str) -> Result<(Cost, u64)> {
    let numbers: Vec<u64> = told
        .split(' ')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .with_context(|| format!("the stopwatch wrote {told:?}"))?;
    let [time, processor, memory, code] = numbers[..] else {
        bail!("the stopwatch wrote {told:?}");
    };
    let cost = Cost {
        time: Duration::from_micros(time),
        processor: Duration::from_micros(processor),
        memory,
    };
    Ok((cost, code))
}
