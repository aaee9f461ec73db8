//! `cargo xtask busy`: all tests, several times, while threads keep every core busy. No test may depend on an idle machine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::postgres::Postgres;
use crate::requirements;
use crate::shell::print;
use crate::test;

const RUNS: u64 = 3;

/// Parses the arguments after `busy` and runs the tests that often.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let runs = parse(args)?;
    let missing = requirements::prepare(true)?;
    let postgres = Postgres::from_env_or_start()?;
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..test::cores() {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = (1..=runs).try_for_each(|number| {
            print(&format!("── run {number} of {runs}, every core busy"));
            // A test that passes only on its second attempt has failed.
            test::tests(&missing, Some(&postgres), &["--retries=0"])
                .with_context(|| format!("run {number} of {runs}"))
        });
        ended.store(true, Ordering::Relaxed);
        result
    })
}

fn parse(args: &[&str]) -> Result<u64> {
    match args {
        [] => Ok(RUNS),
        ["--runs", text] => text
            .parse()
            .with_context(|| format!("{text:?} is not a number")),
        _ => bail!("cargo xtask busy [--runs N]"),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_number_of_runs_is_parsed() {
        assert_eq!(parse(&[]).unwrap(), 3);
        assert_eq!(parse(&["--runs", "1"]).unwrap(), 1);
        assert!(parse(&["--runs"]).is_err());
        assert!(parse(&["--runs", "many"]).is_err());
    }
}
