//! Links of an arbitrary page: the scanner must agree with the tree.

#![no_main]

#[path = "../../crates/html/tests/fuzz/links.rs"]
mod links;

libfuzzer_sys::fuzz_target!(|page: &[u8]| links::check(page));
