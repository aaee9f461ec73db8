//! How runs of the built binary begin, go wrong and end: exit codes, stderr, signals, pipes, disks.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

mod bad_input;
mod certificates;
mod disk;
mod failures;
mod messages;
mod pipes;
mod progress;
mod retries;
mod robots;
mod run;
mod scrape;
mod seed_problems;
mod signals;
mod summary;
