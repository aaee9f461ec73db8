//! Pages in a real Chromium.
#![expect(
    clippy::unwrap_used,
    reason = "a browser that cannot be set up should stop the test where it stands"
)]

mod answers;
mod applications;
mod family;
mod launcher;
mod processes;
mod secure;
mod stage;
mod starts;
mod visits;
mod wild;
