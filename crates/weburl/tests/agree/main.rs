//! Compares this crate with the `url` crate on generated inputs; any difference is a bug.
//!
//! The test is a short run; `cargo xtask fuzz agree` runs longer. Differences found so far are in `known`.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]
#![expect(clippy::print_stdout, reason = "prints how much was compared")]

mod bases;
mod known;
mod maker;
mod oracle;
mod resolver;
mod search;
mod test_rng;
mod url_key;

use search::search;

#[test]
fn references_resolve_like_the_url_crate() {
    search("resolver and url", maker::references, resolver::compare);
}

#[test]
fn keys_are_equal_for_equal_pages() {
    search("keys and url", maker::addresses, url_key::compare);
}
