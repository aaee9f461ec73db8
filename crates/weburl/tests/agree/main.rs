//! Compares this crate with the `url` crate on generated inputs; any difference is a bug.
//!
//! The test is a short run; `cargo xtask fuzz agree` runs longer. Differences found so far are in `known`.

#![expect(clippy::unwrap_used, reason = "a test's own parts may stop it")]
#![expect(clippy::print_stdout, reason = "how much was compared is told")]

mod bases;
mod chance;
mod known;
mod maker;
mod oracle;
mod resolver;
mod search;
mod url_key;

use search::search;

#[test]
fn references_resolve_as_url_says() {
    search("resolver and url", maker::references, resolver::compare);
}

#[test]
fn keys_are_equal_where_pages_are() {
    search("keys and url", maker::addresses, url_key::compare);
}
