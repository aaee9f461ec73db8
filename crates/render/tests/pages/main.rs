//! Pages in a real Chromium.
#![expect(
    clippy::unwrap_used,
    reason = "a browser that cannot be set up should stop the test where it stands"
)]

mod answers;
mod applications;
mod family;
mod processes;
mod stage;
mod visits;
mod wild;
