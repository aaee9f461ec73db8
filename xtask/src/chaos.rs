//! `cargo xtask chaos`: more rounds of the tests that kill, stop and cut off the service's processes, and fill its disks.
//!
//! `cargo xtask test` runs a few rounds; this runs as many as requested, and repeats a run given its seed. Rounds mostly wait, so
//! several processes can run side by side.

mod round_totals;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::postgres;
use crate::requirements::CHROMIUM;
use crate::shell::{cargo, output_of, print, root, target_folder};
use round_totals::RoundTotals;

const ROUNDS: u64 = 20;
const USAGE: &str = "cargo xtask chaos [--rounds N] [--seed S] [--jobs N] [--only postgres|sqlite|full-disk|render]";

/// Parses the arguments after `chaos` and runs the rounds.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let arguments = parse(args)?;
    if matches!(arguments.only, "" | "render") {
        CHROMIUM.ensure()?;
    }
    let program = build()?;
    let seed = arguments.seed.unwrap_or_else(any_seed);
    let folder = target_folder()?.join("chaos");
    std::fs::create_dir_all(&folder)?;
    let parts = parts(arguments.rounds, seed, arguments.jobs);
    let processes = parts
        .iter()
        .map(|part| Process::start(&program, &folder, part, arguments.only));
    let processes: Vec<Process> = processes.collect::<Result<_>>()?;
    let mut totals = RoundTotals::default();
    let mut failed = Vec::new();
    for process in processes {
        let (log, text, succeeded) = process.finish()?;
        totals.add_lines(&text);
        if !succeeded {
            failed.push(log.display().to_string());
        }
    }
    print(&totals.to_string());
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    ensure!(
        totals.are_clean(),
        "results were lost, doubled, overwritten or blamed, or no round was run"
    );
    Ok(())
}

/// Compiles the tests and returns their program.
fn build() -> Result<PathBuf> {
    let mut command = cargo();
    command.args([
        "test",
        "--package",
        "crawler-cli",
        "--test",
        "chaos",
        "--locked",
    ]);
    let messages =
        output_of(command.args(["--no-run", "--message-format=json-render-diagnostics"]))?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "chaos")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo does not name the program of the tests")
}

/// The rounds of one process.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    rounds: u64,
    seed: u64,
}

/// Divides the rounds; the seeds continue from one process to the next, so that together they run the same rounds as one.
fn parts(rounds: u64, seed: u64, jobs: u64) -> Vec<Part> {
    let jobs = jobs.clamp(1, rounds.max(1));
    let first = |job: u64| rounds * job / jobs;
    (0..jobs)
        .map(|job| Part {
            rounds: first(job + 1) - first(job),
            seed: seed + first(job),
        })
        .collect()
}

/// A process that runs rounds, and the file with its output.
struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    fn start(program: &Path, folder: &Path, part: &Part, only: &str) -> Result<Self> {
        let Part { rounds, seed } = part;
        let kind = if only.is_empty() { "all" } else { only };
        let log = folder.join(format!("{kind}-{seed}.log"));
        let output = File::create(&log)?;
        let mut command = Command::new(program);
        command
            // As cargo does.
            .current_dir(root().join("crates/cli"))
            .args(["--nocapture", "--test-threads=1"])
            .arg(format!("rounds_{only}"))
            .env("CHAOS_ROUNDS", rounds.to_string())
            .env("CHAOS_SEED", seed.to_string())
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        postgres::pass_programs(&mut command);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {command:?}"))?;
        print(&format!(
            "rounds of each kind: {rounds}, seed {seed}, output: {}",
            log.display()
        ));
        Ok(Self { child, log })
    }

    /// Waits for the end. Returns the file, its text, and whether all checks passed.
    fn finish(mut self) -> Result<(PathBuf, String, bool)> {
        let status = self.child.wait()?;
        let text = std::fs::read_to_string(&self.log)?;
        Ok((self.log, text, status.success()))
    }
}

fn any_seed() -> u64 {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    now.as_secs() % 1_000_000
}

/// What to run.
#[derive(Debug, PartialEq, Eq)]
struct Arguments {
    /// Of each kind, in all processes together.
    rounds: u64,
    seed: Option<u64>,
    /// Number of processes.
    jobs: u64,
    /// The test to run; empty for all.
    only: &'static str,
}

fn parse(args: &[&str]) -> Result<Arguments> {
    let mut arguments = Arguments {
        rounds: ROUNDS,
        seed: None,
        jobs: 1,
        only: "",
    };
    for pair in args.chunks(2) {
        let number = |text: &str| {
            text.parse()
                .with_context(|| format!("{text:?} is not a number"))
        };
        match pair {
            ["--rounds", text] => arguments.rounds = number(text)?,
            ["--seed", text] => arguments.seed = Some(number(text)?),
            ["--jobs", text] => arguments.jobs = number(text)?,
            ["--only", "postgres"] => arguments.only = "postgres",
            ["--only", "sqlite"] => arguments.only = "sqlite",
            ["--only", "full-disk"] => arguments.only = "full_disk",
            ["--only", "render"] => arguments.only = "render",
            _ => bail!("{USAGE}"),
        }
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Part, parse, parts};

    #[test]
    fn rounds_seed_and_jobs_are_numbers() {
        let parsed = |rounds, seed, jobs, only| Arguments {
            rounds,
            seed,
            jobs,
            only,
        };
        assert_eq!(parse(&[]).unwrap(), parsed(20, None, 1, ""));
        assert_eq!(
            parse(&["--seed", "7", "--rounds", "3", "--jobs", "2"]).unwrap(),
            parsed(3, Some(7), 2, "")
        );
        assert_eq!(
            parse(&["--only", "full-disk"]).unwrap(),
            parsed(20, None, 1, "full_disk")
        );
        assert!(parse(&["--only", "memory"]).is_err());
        assert!(parse(&["--rounds"]).is_err());
        assert!(parse(&["--rounds", "many"]).is_err());
    }

    #[test]
    fn several_processes_run_the_rounds_of_one() {
        let part = |rounds, seed| Part { rounds, seed };
        assert_eq!(parts(7, 100, 1), [part(7, 100)]);
        assert_eq!(parts(7, 100, 3), [part(2, 100), part(2, 102), part(3, 104)]);
        // No process without rounds.
        assert_eq!(parts(2, 100, 5), [part(1, 100), part(1, 101)]);
    }
}
