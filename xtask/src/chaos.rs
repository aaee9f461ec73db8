//! `cargo xtask chaos`: more rounds of the tests that kill, stop and cut off the service's processes, and fill its disks.
//!
//! `cargo xtask test` runs a few rounds; this runs as many as requested, and repeats a run given its seed.

use anyhow::{Context, Result, bail};

use crate::postgres;
use crate::requirements::SMALL_DISKS;
use crate::shell::{cargo, run};

const ROUNDS: u64 = 20;
/// Part of the names of the tests that fill a disk.
const FULL_DISK: &str = "full_disk";

/// Parses the arguments after `chaos` and runs the rounds.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let Arguments { rounds, seed, only } = parse(args)?;
    if ["", FULL_DISK].contains(&only) {
        SMALL_DISKS
            .ensure()
            .context("no disk can be filled here; --only postgres and --only sqlite need none")?;
    }
    let mut command = cargo();
    command
        .args([
            "test",
            "--package",
            "crawler-cli",
            "--test",
            "chaos",
            "--locked",
        ])
        .args(["--", "--nocapture", "--test-threads=1"])
        .arg(format!("rounds_{only}"))
        .env("CHAOS_ROUNDS", rounds.to_string());
    postgres::pass_programs(&mut command);
    if let Some(seed) = seed {
        command.env("CHAOS_SEED", seed.to_string());
    }
    run(&mut command)
}

/// What to run.
#[derive(Debug, PartialEq, Eq)]
struct Arguments {
    rounds: u64,
    seed: Option<u64>,
    /// The test to run; empty for all.
    only: &'static str,
}

fn parse(args: &[&str]) -> Result<Arguments> {
    let mut arguments = Arguments {
        rounds: ROUNDS,
        seed: None,
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
            ["--only", "postgres"] => arguments.only = "postgres",
            ["--only", "sqlite"] => arguments.only = "sqlite",
            ["--only", "full-disk"] => arguments.only = FULL_DISK,
            _ => bail!(
                "cargo xtask chaos [--rounds N] [--seed S] [--only postgres|sqlite|full-disk]"
            ),
        }
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::{Arguments, parse};

    #[test]
    fn rounds_and_seed_are_numbers() {
        let parsed = |rounds, seed, only| Arguments { rounds, seed, only };
        assert_eq!(parse(&[]).unwrap(), parsed(20, None, ""));
        assert_eq!(
            parse(&["--seed", "7", "--rounds", "3"]).unwrap(),
            parsed(3, Some(7), "")
        );
        assert_eq!(
            parse(&["--only", "full-disk"]).unwrap(),
            parsed(20, None, "full_disk")
        );
        assert!(parse(&["--only", "memory"]).is_err());
        assert!(parse(&["--rounds"]).is_err());
        assert!(parse(&["--rounds", "many"]).is_err());
    }
}
