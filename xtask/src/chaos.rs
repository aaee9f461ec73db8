//! `cargo xtask chaos`: more rounds of the test that kills, stops and cuts off the service's processes.
//!
//! `cargo xtask test` plays a few; this plays as many as it is told, and repeats a run by its seed.

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, run};

const ROUNDS: u64 = 20;

/// The words after `chaos`: how many rounds, and which.
pub(crate) fn start(words: &[&str]) -> Result<()> {
    let (rounds, seed) = asked(words)?;
    let mut command = cargo();
    command
        .args([
            "test",
            "--package",
            "crawler",
            "--test",
            "chaos",
            "--locked",
        ])
        .args(["--", "--nocapture", "--test-threads=1", "rounds_"])
        .env("CHAOS_ROUNDS", rounds.to_string());
    if let Some(seed) = seed {
        command.env("CHAOS_SEED", seed.to_string());
    }
    run(&mut command)
}

fn asked(words: &[&str]) -> Result<(u64, Option<u64>)> {
    let (mut rounds, mut seed) = (ROUNDS, None);
    for pair in words.chunks(2) {
        let number = |text: &str| {
            text.parse()
                .with_context(|| format!("{text:?} is no number"))
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
    use super::asked;

    #[test]
    fn rounds_and_seed_are_numbers() {
        assert_eq!(asked(&[]).unwrap(), (20, None));
        assert_eq!(
            asked(&["--seed", "7", "--rounds", "3"]).unwrap(),
            (3, Some(7))
        );
        assert!(asked(&["--rounds"]).is_err());
        assert!(asked(&["--rounds", "many"]).is_err());
    }
}
