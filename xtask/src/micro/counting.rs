//! Running the program `hot` under callgrind.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::shell::{cargo, output_of, run};

const PROFILE: &str = "micro";

/// What one step of a case costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Count {
    pub(super) case: String,
    pub(super) instructions: u64,
}

/// The program, built.
pub(super) struct Hot {
    program: PathBuf,
}

impl Hot {
    pub(super) fn build() -> Result<Self> {
        // Flags of who runs it would be counted too.
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
        let metadata = output_of(cargo().args(["metadata", "--no-deps", "--format-version=1"]))?;
        let metadata: Value = serde_json::from_str(&metadata)?;
        let target = metadata["target_directory"].as_str();
        let program = Path::new(target.context("no target_directory")?)
            .join(PROFILE)
            .join("hot");
        Ok(Self { program })
    }

    /// Every case, counted; as many at a time as there are cores.
    pub(super) fn counts(&self) -> Result<Vec<Count>> {
        let cases = self.cases()?;
        let waiting = Mutex::new(cases.iter().enumerate());
        let counted = Mutex::new(Vec::new());
        let next = || waiting.lock().ok()?.next();
        let work = || {
            while let Some((place, (case, times))) = next() {
                let count = self.count(case, *times);
                if let Ok(mut counted) = counted.lock() {
                    counted.push((place, count));
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        let mut counted = counted.into_inner().unwrap_or_default();
        counted.sort_by_key(|(place, _)| *place);
        counted.into_iter().map(|(_, count)| count).collect()
    }

    /// Writes where a case spends to a file for `callgrind_annotate`.
    pub(super) fn record(&self, case: &str, file: &Path) -> Result<()> {
        let cases = self.cases()?;
        let Some((case, times)) = cases.iter().find(|(name, _)| name == case) else {
            let names: Vec<&str> = cases.iter().map(|(name, _)| name.as_str()).collect();
            bail!("there is no case {case:?}; there are {}", names.join(", "));
        };
        // The function of `bench/src/case.rs` that does the steps and nothing else.
        let steps = &["--toggle-collect=*case*repeat*"];
        self.collected(case, *times, file, steps).map(|_| ())
    }

    /// The cases and how often each is done.
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
        let nowhere = Path::new("/dev/null");
        let once = self.collected(case, times, nowhere, &[])?;
        let twice = self.collected(case, times * 2, nowhere, &[])?;
        let steps = twice
            .checked_sub(once)
            .with_context(|| format!("{case}: twice the work cost less"))?;
        Ok(Count {
            case: case.to_owned(),
            instructions: (steps + times / 2) / times,
        })
    }

    /// Instructions of a whole run.
    fn collected(&self, case: &str, times: u64, file: &Path, options: &[&str]) -> Result<u64> {
        let mut command = Command::new("valgrind");
        command
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", file.display()))
            .args(options)
            .arg(&self.program)
            .args([case, &times.to_string()])
            // What stands in the environment moves the stack, and may tune the allocator.
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let output = command
            .output()
            .with_context(|| format!("cannot start {command:?}"))?;
        let told = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            bail!("{command:?} ended with {}:\n{told}", output.status);
        }
        collected(&told).with_context(|| format!("{command:?} told no count:\n{told}"))
    }
}

/// The number in callgrind's `==7== Collected : 12345`.
fn collected(told: &str) -> Option<u64> {
    told.lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, number)| number.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_among_the_words() {
        let told = "==7== Events    : Ir\n==7== Collected : 1234567\n==7== \n";
        assert_eq!(collected(told), Some(1_234_567));
        assert_eq!(collected("==7== Events : Ir\n"), None);
        assert_eq!(collected("==7== Collected : many\n"), None);
    }
}
