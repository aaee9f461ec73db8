//! The formats at their boundary: reports in, bytes out.
//!
//! Golden files lie in `tests/golden`; `UPDATE_GOLDEN=1` writes them anew, to be read before they are kept.
#![expect(clippy::unwrap_used, reason = "a test's own helpers may stop it")]

mod csv;
mod errors;
mod fixture;
mod golden;
mod html;
mod json;
mod links;
mod map;
mod streaming;
