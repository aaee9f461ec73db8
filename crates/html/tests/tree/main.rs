//! The tree through the public API: repair as tables, html5ever's own tree as oracle on random pages, the
//! limits, and linear time.

#![expect(clippy::unwrap_used, reason = "a failing helper may panic in a test")]

mod guards;
mod hostile;
mod html5lib;
#[path = "../scanner/openers.rs"]
mod openers;
mod oracle;
mod random_pages;
mod reading;
#[path = "../hostile/stopwatch.rs"]
mod stopwatch;
mod structure;

/// Repeats the unit, with its number in place of every `#`.
fn numbered(unit: &str, count: usize) -> String {
    let mut rows = String::new();
    for n in 0..count {
        rows.push_str(&unit.replace('#', &n.to_string()));
    }
    rows
}
