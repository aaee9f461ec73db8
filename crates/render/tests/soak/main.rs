//! Long rendering runs while processes are killed, and cleanup after our own process is killed.
//!
//! `cargo xtask soak` runs this for longer. Every wait is for a condition, with a deadline; only memory is sampled at
//! intervals.
#![expect(
    clippy::unwrap_used,
    reason = "a browser that cannot be set up should fail the test"
)]

mod cleanup;
mod endurance;
mod kills;
mod memory;
#[path = "../pages/process_tree.rs"]
mod process_tree;
#[path = "../pages/test_renderer.rs"]
mod test_renderer;
