//! An arbitrary page URL, base and references: our resolver must agree with the `url` crate.

#![no_main]

#[path = "../../crates/weburl/tests/agree/oracle.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod oracle;
#[path = "../../crates/weburl/tests/agree/resolver.rs"]
mod resolver;

libfuzzer_sys::fuzz_target!(|input: &[u8]| assert_eq!(resolver::compare(input), None));
