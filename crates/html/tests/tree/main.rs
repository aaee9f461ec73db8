//! The tree, tested from outside: repair as tables, a plain parser as oracle on random pages, the
//! guards, and time that grows with the page and no faster.

#![expect(clippy::unwrap_used, reason = "a test's own helpers may stop it")]

mod guards;
mod hostile;
mod html5lib;
mod oracle;
mod reading;
mod soup;
mod structure;

/// The unit so many times, with its number in place of every `#`.
fn numbered(unit: &str, count: usize) -> String {
    let mut rows = String::new();
    for n in 0..count {
        rows.push_str(&unit.replace('#', &n.to_string()));
    }
    rows
}
