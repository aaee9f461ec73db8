//! Rendering for a long time, while processes are killed; and what is left of it when ours is.
//!
//! `cargo xtask soak` does the same for longer. Every wait is for a condition, with a deadline; only memory is sampled,
//! at intervals.
#![expect(
    clippy::unwrap_used,
    reason = "a browser that cannot be set up should stop the test where it stands"
)]

mod endurance;
#[path = "../pages/family.rs"]
mod family;
mod left_behind;
mod memory;
mod sabotage;
#[path = "../pages/stage.rs"]
mod stage;
