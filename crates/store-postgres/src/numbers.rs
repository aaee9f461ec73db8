//! Between our numbers and the database's. What does not fit is clamped: no limit is that large.

use std::time::Duration;

pub(crate) fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn to_i32(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

pub(crate) fn to_u64(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub(crate) fn to_u32(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

/// Milliseconds, at most a hundred years.
pub(crate) fn to_millis(time: Duration) -> i64 {
    const MOST: i64 = 100 * 366 * 86_400_000;
    i64::try_from(time.as_millis()).unwrap_or(MOST).min(MOST)
}
