//! Runs the built program as a process against test sites and checks what a user or a site sees: stdout, stderr, exit codes,
//! files, and the requests that arrive.
//!
//! One test binary, because each one links all dependencies of the program.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod api;
mod contract;
mod endings;
mod finished;
#[path = "../harness/mod.rs"]
mod harness;
mod rendering;
mod resume;
mod run;
mod worlds;
