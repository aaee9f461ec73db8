//! Inputs on which this crate and `url` once differed.

use crate::{oracle, resolver, url_key};

/// Page, base element, references.
const REFERENCES: &[&str] = &[
    // a segment that looks like a drive: the `url` crate does not go above it
    "http://example.org/c|/\n\n../b\n../../b",
    "http://example.org/x/c:/y/\n\n../../b\n../b",
];

/// Two addresses.
const ADDRESSES: &[&str] = &["http://example.org/a\nhttp://example.org/a/"];

#[test]
fn references_that_differed() {
    for input in REFERENCES {
        assert_eq!(resolver::compare(input.as_bytes()), None, "{input:?}");
    }
}

#[test]
fn addresses_that_differed() {
    for input in ADDRESSES {
        assert_eq!(url_key::compare(input.as_bytes()), None, "{input:?}");
    }
}

#[test]
fn the_oracle_resolves_a_reference() {
    let web = oracle::oracle("http://example.org/a/b", "../c#d");
    assert_eq!(web, ("http://example.org/c#d".to_owned(), Some(20)));
    assert_eq!(web, oracle::ours("http://example.org/a/b", "../c#d"));
}
