//! Pages in a real Chromium.

mod answers;
mod applications;
mod family;
mod processes;
mod stage;
mod visits;
mod wild;
