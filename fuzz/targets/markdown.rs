//! An arbitrary page, written in every format.

#![no_main]

#[path = "../../crates/html/tests/fuzz/markdown.rs"]
mod markdown;

libfuzzer_sys::fuzz_target!(|page: &[u8]| markdown::check(page));
