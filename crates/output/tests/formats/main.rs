//! The formats through the public API: reports in, bytes out.
//!
//! Golden files are in `tests/golden`; `UPDATE_GOLDEN=1` rewrites them; review the difference.
#![expect(clippy::unwrap_used, reason = "a failing helper may panic in a test")]

mod csv;
mod errors;
mod fixture;
mod golden;
mod html;
mod json;
mod links;
mod map;
mod streaming;
