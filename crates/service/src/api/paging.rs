//! Lists in pages: `limit` and `cursor`.

use std::ops::RangeInclusive;

use store::{Cursor, StoreError};

use super::problem::Problem;

/// The page's length, or what it may be.
pub(super) fn limit(
    asked: Option<u32>,
    usual: u32,
    allowed: RangeInclusive<u32>,
) -> Result<u32, Problem> {
    let limit = asked.unwrap_or(usual);
    if allowed.contains(&limit) {
        return Ok(limit);
    }
    let (least, most) = (allowed.start(), allowed.end());
    let words = format!("limit: {limit} is out of range; allowed: {least} to {most}");
    Err(Problem::invalid("limit", words))
}

pub(super) fn cursor(asked: Option<String>) -> Option<Cursor> {
    asked.map(Cursor::new)
}

/// A store that cannot accept a listing's request means its cursor.
pub(super) fn problem(error: StoreError) -> Problem {
    match error {
        StoreError::Conflict(_) => Problem::invalid(
            "cursor",
            "cursor: this is none of ours; send the next_cursor of the page before, or none",
        ),
        other => other.into(),
    }
}

pub(super) fn next(cursor: Option<Cursor>) -> Option<String> {
    cursor.map(|cursor| cursor.as_str().to_owned())
}
