//! `cargo xtask fairness`: 20 jobs of three owners on one host, for minutes, on each store: does each owner get its share in
//! every 30 seconds, and does a small job end in its fair time?
//!
//! `cargo xtask test` runs the tests that count turns instead of seconds.

use anyhow::{Context, Result, bail};

use crate::owner_tests;

const SECONDS: u64 = 90;
/// Enough for several windows of 30 seconds.
const MIN_SECONDS: u64 = 60;
const USAGE: &str = "cargo xtask fairness [--seconds N] [--store sqlite|postgres]";

/// Parses the arguments after `fairness` and runs it.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let Arguments { seconds, filter } = parse(args)?;
    owner_tests::run_tests(filter, &[("FAIRNESS_SECONDS", seconds.to_string())])
}

/// What to run.
#[derive(Debug, PartialEq, Eq)]
struct Arguments {
    /// Length of each run: two sets of weights on each store.
    seconds: u64,
    filter: &'static str,
}

fn parse(args: &[&str]) -> Result<Arguments> {
    let mut arguments = Arguments {
        seconds: SECONDS,
        filter: "fairness_",
    };
    for pair in args.chunks(2) {
        match pair {
            ["--seconds", text] => arguments.seconds = text.parse().context(USAGE)?,
            ["--store", "sqlite"] => arguments.filter = "fairness_on_sqlite",
            ["--store", "postgres"] => arguments.filter = "fairness_of_two_workers_on_postgres",
            _ => bail!(USAGE),
        }
    }
    if arguments.seconds < MIN_SECONDS {
        bail!("--seconds must be at least {MIN_SECONDS}");
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_store_chooses_the_test() {
        let parsed = parse(&["--store", "sqlite", "--seconds", "70"]).unwrap();
        assert_eq!((parsed.seconds, parsed.filter), (70, "fairness_on_sqlite"));
        assert_eq!(parse(&[]).unwrap().filter, "fairness_");
        for wrong in [
            &["--seconds"][..],
            &["--seconds", "30"],
            &["--store", "memory"],
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
