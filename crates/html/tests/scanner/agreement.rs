//! Compares our links with the oracle's.

use std::collections::BTreeSet;

use crate::oracle::{LinkFact, in_order, theirs};

/// The links we find.
pub(crate) fn ours(page: &str) -> BTreeSet<LinkFact> {
    in_order(page.as_bytes()).into_iter().collect()
}

/// Asserts that both find the same.
#[track_caller]
pub(crate) fn agree(page: &str) {
    assert_eq!(ours(page), theirs(page), "ours, theirs, on {page:?}");
}
