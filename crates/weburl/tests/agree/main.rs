//! Our ways with URLs beside the `url` crate, on very many made-up inputs; any difference is a bug.
//!
//! A short run of it is a test like any other; `cargo xtask fuzz agree` makes it as long as one likes. What was found
//! once is in `known`.

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
