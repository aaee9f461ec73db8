//! Pages made to hurt, through the whole way: bytes, tree, links, metadata, content, every writer.
//!
//! The other tests of the crate look at one part each; here nothing may go wrong where parts meet. For every
//! page: no panic; no more than 512 KiB of stack, the drop of the tree included; time in proportion to the
//! page; and output in proportion to it, so that nothing grows with the square of anything.
//!
//! `cargo test --release -p html --test hostile -- --nocapture --test-threads 1` shows what each page took.

#![expect(clippy::unwrap_used, reason = "a test's own parts may stop it")]

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

/// The unit so many times, with its number in place of every `#`.
fn numbered(unit: &str, count: usize) -> String {
    let mut rows = String::new();
    for number in 0..count {
        rows.push_str(&unit.replace('#', &number.to_string()));
    }
    rows
}
