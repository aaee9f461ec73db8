//! The links of a page of any bytes, as the scanner and as the tree have them.

#![no_main]

#[path = "../../crates/html/tests/fuzz/links.rs"]
mod links;

libfuzzer_sys::fuzz_target!(|page: &[u8]| links::check(page));
