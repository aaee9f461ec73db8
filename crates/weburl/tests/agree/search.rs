//! Searches for an input on which two implementations differ, and shrinks it.
//!
//! `AGREE_INPUTS` or `AGREE_SECONDS` sets how many inputs are tried, `AGREE_SEED` the first seed. Without them the run is short
//! and the same every time. `cargo xtask fuzz agree` sets them.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::test_rng::TestRng;

/// Default number of inputs.
const INPUTS: u64 = 200_000;
const SEED: u64 = 1;

/// Compares two implementations on an input; returns the difference, if any.
pub(crate) type Difference = Option<String>;

fn env_number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{variable}={text:?} is not a number")))
}

/// Generates inputs and compares; fails the test on the first difference.
pub(crate) fn search(
    what: &str,
    make: impl Fn(&mut TestRng) -> Vec<u8>,
    compare: fn(&[u8]) -> Difference,
) {
    let seed = env_number("AGREE_SEED").unwrap_or(SEED);
    let seconds = env_number("AGREE_SECONDS").map(Duration::from_secs);
    let inputs =
        env_number("AGREE_INPUTS").unwrap_or(if seconds.is_some() { u64::MAX } else { INPUTS });
    let started = Instant::now();
    let (mut run, mut bytes) = (0, 0);
    while run < inputs && seconds.is_none_or(|seconds| started.elapsed() < seconds) {
        let input = make(&mut TestRng::new(seed, run));
        if differs(&input, compare).is_some() {
            let small = minimized(input, compare);
            let difference = differs(&small, compare).unwrap_or_default();
            panic!(
                "{what}: input {run} of seed {seed}, minimized:\n{}\n{difference}",
                small.escape_ascii()
            );
        }
        run += 1;
        bytes += input.len();
    }
    let took = started.elapsed().as_secs_f64();
    println!(
        "{what}: {run} inputs ({bytes} bytes) of seed {seed} compared in {took:.1} s, no difference"
    );
}

/// Runs the comparison; a panic is a difference too.
fn differs(input: &[u8], compare: fn(&[u8]) -> Difference) -> Difference {
    catch_unwind(AssertUnwindSafe(|| compare(input))).unwrap_or_else(|_| Some("a panic".to_owned()))
}

/// Removes parts, large ones first, as long as the difference remains.
fn minimized(mut input: Vec<u8>, compare: fn(&[u8]) -> Difference) -> Vec<u8> {
    let mut part = input.len() / 2;
    while part > 0 {
        let mut at = 0;
        let before = input.len();
        while at + part <= input.len() {
            let mut shorter = input.clone();
            shorter.drain(at..at + part);
            if differs(&shorter, compare).is_some() {
                input = shorter;
            } else {
                at += 1;
            }
        }
        if part > 1 || input.len() == before {
            part /= 2;
        }
    }
    input
}
