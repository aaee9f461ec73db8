//! A page of any bytes, written in every form.

#![no_main]

#[path = "../../crates/html/tests/fuzz/markdown.rs"]
mod markdown;

libfuzzer_sys::fuzz_target!(|page: &[u8]| markdown::check(page));
