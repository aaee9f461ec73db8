//! `cargo xtask chaos`: more rounds of the test that kills, stops and cuts off the service's processes.
//!
//! `cargo xtask test` runs a few rounds; this runs as many as requested, and repeats a run given its seed.

use anyhow::{Context, Result, bail};

use crate::postgres;
use crate::shell::{cargo, run};

const ROUNDS: u64 = 20;

/// Parses the arguments after `chaos` and runs the rounds.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let (rounds, seed) = parse(args)?;
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
        .args(["--", "--nocapture", "--test-threads=1", "rounds_"])
        .env("CHAOS_ROUNDS", rounds.to_string());
    postgres::pass_programs(&mut command);
    if let Some(seed) = seed {
        command.env("CHAOS_SEED", seed.to_string());
    }
    run(&mut command)
}

fn parse(args: &[&str]) -> Result<(u64, Option<u64>)> {
    let (mut rounds, mut seed) = (ROUNDS, None);
    for pair in args.chunks(2) {
        let number = |text: &str| {
            text.parse()
                .with_context(|| format!("{text:?} is not a number"))
        };
        match pair {
            ["--rounds", text] => rounds = number(text)?,
            ["--seed", text] => seed = Some(number(text)?),
            _ => bail!("cargo xtask chaos [--rounds N] [--seed S]"),
        }
    }
    Ok((rounds, seed))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn rounds_and_seed_are_numbers() {
        assert_eq!(parse(&[]).unwrap(), (20, None));
        assert_eq!(
            parse(&["--seed", "7", "--rounds", "3"]).unwrap(),
            (3, Some(7))
        );
        assert!(parse(&["--rounds"]).is_err());
        assert!(parse(&["--rounds", "many"]).is_err());
    }
}
