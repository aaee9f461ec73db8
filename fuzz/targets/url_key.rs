//! Two arbitrary URLs: their parts, and whether they have the same URL key.

#![no_main]

#[path = "../../crates/weburl/tests/agree/url_key.rs"]
mod url_key;

libfuzzer_sys::fuzz_target!(|input: &[u8]| assert_eq!(url_key::compare(input), None));
