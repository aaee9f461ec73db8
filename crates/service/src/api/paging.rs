//! Pagination: `limit` and `cursor`.

use std::ops::RangeInclusive;

use crawler_store::{Cursor, StoreError};

use super::problem::Problem;

/// Returns the page size, or a problem that names the allowed range.
pub(super) fn limit(
    requested: Option<u32>,
    default: u32,
    allowed: RangeInclusive<u32>,
) -> Result<u32, Problem> {
    let limit = requested.unwrap_or(default);
    if allowed.contains(&limit) {
        return Ok(limit);
    }
    let (min, max) = (allowed.start(), allowed.end());
    let message = format!("limit: {limit} is out of range; allowed: {min} to {max}");
    Err(Problem::invalid("limit", message))
}

pub(super) fn cursor(cursor: Option<String>) -> Option<Cursor> {
    cursor.map(Cursor::new)
}

/// Converts an error of the store; in a listing, a conflict means an invalid cursor.
pub(super) fn problem(error: StoreError) -> Problem {
    match error {
        StoreError::Conflict(_) => Problem::invalid(
            "cursor",
            "cursor: not valid; pass the next_cursor of the previous page, or leave it out",
        ),
        other => other.into(),
    }
}

pub(super) fn next(cursor: Option<Cursor>) -> Option<String> {
    cursor.map(|cursor| cursor.as_str().to_owned())
}
