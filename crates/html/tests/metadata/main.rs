//! Metadata through the public API: precedence and normalization as tables, real-world JSON-LD, random pages,
//! and linear time.

#![expect(clippy::unwrap_used, reason = "a failing helper may panic in a test")]

mod fields;
mod hostile;
mod json_ld;
mod people_and_dates;
mod random_pages;
#[path = "../hostile/stopwatch.rs"]
mod stopwatch;
mod titles;

use crawler_html::{Metadata, Tree, metadata};

/// A simple resolver for `https://e.x/` that rejects scripts.
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

/// Reads each page and compares the field that `field` picks.
fn table<T: PartialEq<U> + std::fmt::Debug, U: std::fmt::Debug>(
    cases: impl IntoIterator<Item = (&'static str, U)>,
    field: impl Fn(Metadata) -> T,
) {
    for (page, expected) in cases {
        assert_eq!(field(read(page)), expected, "{page}");
    }
}

/// Compares an optional field.
fn optional(
    cases: &[(&'static str, Option<&'static str>)],
    field: impl Fn(Metadata) -> Option<String>,
) {
    let cases = cases
        .iter()
        .map(|(page, expected)| (*page, expected.map(str::to_owned)));
    table(cases, field);
}

/// Compares a list field.
fn list(
    cases: &[(&'static str, &'static [&'static str])],
    field: impl Fn(Metadata) -> Vec<String>,
) {
    table(cases.iter().copied(), field);
}
