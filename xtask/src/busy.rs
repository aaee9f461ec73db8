//! `cargo xtask busy`: all tests, several times, while threads keep every core busy. No test may depend on an idle machine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result};

use crate::postgres::Postgres;
use crate::requirements;
use crate::shell::{parse_count, print};
use crate::test;

const RUNS: u64 = 3;

/// Parses the arguments after `busy` and runs the tests that often.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let runs = parse_count(args, "--runs", RUNS, "cargo xtask busy [--runs N]")?;
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
