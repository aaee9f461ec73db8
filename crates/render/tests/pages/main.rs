//! Pages in a real Chromium.
#![expect(
    clippy::unwrap_used,
    reason = "a browser that cannot be set up should fail the test"
)]

mod applications;
mod budgets;
mod launcher;
mod process_tree;
mod processes;
mod remote;
mod responses;
mod runaway;
mod seccomp;
mod secure;
mod starts;
mod test_renderer;
mod visits;
