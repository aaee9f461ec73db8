//! Pages in a real Chromium.

mod applications;
mod stage;
