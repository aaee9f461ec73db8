//! Pages in a real Chromium.

mod answers;
mod applications;
mod processes;
mod stage;
mod visits;
mod wild;
