//! What pages say about themselves, tested from outside: precedence and clean-up as tables, JSON-LD
//! as it is found in the wild, random pages, and time that grows with the page and no faster.

#![expect(clippy::unwrap_used, reason = "a test's own helpers may stop it")]

mod fields;
mod hostile;
mod json_ld;
mod people_and_dates;
mod soup;
mod titles;

use html::{Metadata, Tree, metadata};

/// Resolves against `https://e.x/` in the simplest way that will do, and refuses scripts.
fn resolve(reference: &str) -> Option<String> {
    if reference.starts_with("javascript:") {
        None
    } else if reference.contains("://") {
        Some(reference.to_owned())
    } else {
        Some(format!("https://e.x/{}", reference.trim_start_matches('/')))
    }
}

fn read(page: &str) -> Metadata {
    metadata(&Tree::parse(page), &resolve)
}

/// Reads each page and compares the one field that `field` picks.
fn table<T: PartialEq<U> + std::fmt::Debug, U: std::fmt::Debug>(
    cases: impl IntoIterator<Item = (&'static str, U)>,
    field: impl Fn(Metadata) -> T,
) {
    for (page, expected) in cases {
        assert_eq!(field(read(page)), expected, "{page}");
    }
}

/// Compares a field that is there or not.
fn optional(
    cases: &[(&'static str, Option<&'static str>)],
    field: impl Fn(Metadata) -> Option<String>,
) {
    let cases = cases
        .iter()
        .map(|(page, expected)| (*page, expected.map(str::to_owned)));
    table(cases, field);
}

/// Compares a field that is a list.
fn list(
    cases: &[(&'static str, &'static [&'static str])],
    field: impl Fn(Metadata) -> Vec<String>,
) {
    table(cases.iter().copied(), field);
}
