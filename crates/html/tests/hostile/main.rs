//! Adversarial pages through the whole pipeline: bytes, tree, links, metadata, content, every writer.
//!
//! The other tests cover one part each; these cover their interaction. For every page: no panic; at most 512
//! KiB of stack, including dropping the tree; and time and output proportional to the page, so that nothing
//! grows quadratically.
//!
//! `cargo test --release -p crawler-html --test hostile -- --nocapture --test-threads 1` prints what each page
//! took.

#![expect(clippy::unwrap_used, reason = "a failing helper may panic in a test")]

mod attributes;
mod encodings;
mod formatting;
mod json_ld;
mod length;
mod nesting;
mod pipeline;
mod references;
mod siblings;
mod specials;
mod stopwatch;
mod tables;
mod tokenizer;
mod unclosed;

use pipeline::survives;

/// Repeats the unit, with its number in place of every `#`.
fn numbered(unit: &str, count: usize) -> String {
    let mut rows = String::new();
    for number in 0..count {
        rows.push_str(&unit.replace('#', &number.to_string()));
    }
    rows
}
