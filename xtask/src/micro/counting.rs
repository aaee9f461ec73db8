//! Running the program `hot` under callgrind.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, output_of, run, target_folder};

const PROFILE: &str = "micro";

/// Instructions of one step of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Count {
    pub(super) case: String,
    pub(super) instructions: u64,
}

/// The built program.
pub(super) struct Hot {
    program: PathBuf,
}

impl Hot {
    pub(super) fn build() -> Result<Self> {
        // Compiler flags of the environment would change the counts.
        let mut build = cargo();
        build
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS");
        run(build.args([
            "build",
            "--locked",
            "--quiet",
            "--profile",
            PROFILE,
            "--package",
            "bench",
            "--bin",
            "hot",
        ]))?;
        let program = target_folder()?.join(PROFILE).join("hot");
        Ok(Self { program })
    }

    /// Counts every case, in parallel on all cores.
    pub(super) fn counts(&self) -> Result<Vec<Count>> {
        let cases = self.cases()?;
        let queue = Mutex::new(cases.iter().enumerate());
        let counted = Mutex::new(Vec::new());
        let next = || queue.lock().ok()?.next();
        let work = || {
            while let Some((index, (case, times))) = next() {
                let count = self.count(case, *times);
                if let Ok(mut counted) = counted.lock() {
                    counted.push((index, count));
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        let mut counted = counted.into_inner().unwrap_or_default();
        counted.sort_by_key(|(index, _)| *index);
        counted.into_iter().map(|(_, count)| count).collect()
    }

    /// Writes the profile of a case to a file for `callgrind_annotate`.
    pub(super) fn record(&self, case: &str, file: &Path) -> Result<()> {
        let cases = self.cases()?;
        let Some((case, times)) = cases.iter().find(|(name, _)| name == case) else {
            let names: Vec<&str> = cases.iter().map(|(name, _)| name.as_str()).collect();
            bail!("there is no case {case:?}; there are {}", names.join(", "));
        };
        // The function of `bench/src/case.rs` that runs the steps and nothing else.
        let steps = &["--toggle-collect=*case*repeat*"];
        self.collected(case, *times, file, steps).map(|_| ())
    }

    /// The cases, and how often each one runs.
    fn cases(&self) -> Result<Vec<(String, u64)>> {
        let listed = output_of(&mut Command::new(&self.program))?;
        listed
            .lines()
            .map(|line| {
                let (name, times) = line.split_once('\t').context("hot lists name and times")?;
                Ok((name.to_owned(), times.parse()?))
            })
            .collect()
    }

    fn count(&self, case: &str, times: u64) -> Result<Count> {
        let null = Path::new("/dev/null");
        let once = self.collected(case, times, null, &[])?;
        let twice = self.collected(case, times * 2, null, &[])?;
        let steps = twice
            .checked_sub(once)
            .with_context(|| format!("{case}: twice the work took fewer instructions"))?;
        Ok(Count {
            case: case.to_owned(),
            instructions: (steps + times / 2) / times,
        })
    }

    /// Instructions of one run of the program.
    fn collected(&self, case: &str, times: u64, file: &Path, options: &[&str]) -> Result<u64> {
        let mut command = Command::new("valgrind");
        command
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", file.display()))
            .args(options)
            .arg(&self.program)
            .args([case, &times.to_string()])
            // The environment moves the stack and may tune the allocator.
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let output = command
            .output()
            .with_context(|| format!("cannot start {command:?}"))?;
        let printed = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            bail!("{command:?} ended with {}:\n{printed}", output.status);
        }
        collected(&printed).with_context(|| format!("{command:?} printed no count:\n{printed}"))
    }
}

/// The number in callgrind's `==7== Collected : 12345`.
fn collected(printed: &str) -> Option<u64> {
    printed
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, number)| number.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_in_the_output() {
        let printed = "==7== Events    : Ir\n==7== Collected : 1234567\n==7== \n";
        assert_eq!(collected(printed), Some(1_234_567));
        assert_eq!(collected("==7== Events : Ir\n"), None);
        assert_eq!(collected("==7== Collected : many\n"), None);
    }
}
