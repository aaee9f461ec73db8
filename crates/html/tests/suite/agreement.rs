//! Ours and the oracle's, compared.

use std::collections::BTreeSet;

use crate::oracle::{Fact, in_order, theirs};

/// What we find.
pub(crate) fn ours(page: &str) -> BTreeSet<Fact> {
    in_order(page.as_bytes()).into_iter().collect()
}

/// Asserts that both find the same.
#[track_caller]
pub(crate) fn agree(page: &str) {
    assert_eq!(ours(page), theirs(page), "ours, theirs, on {page:?}");
}
