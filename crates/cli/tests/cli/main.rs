//! The built program, run as a process against sites of our own. What is checked is what a user or a site sees: stdout,
//! stderr, exit codes, files, and the requests that arrive.
//!
//! One binary for all of them, because each test binary links the whole program's dependencies.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up should fail where it stands"
)]

mod api;
mod contract;
mod endings;
#[path = "../harness/mod.rs"]
mod harness;
mod rendering;
mod resume;
mod run;
mod worlds;
