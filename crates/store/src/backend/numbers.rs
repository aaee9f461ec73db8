//! Conversions between our numbers and the database's. Values that do not fit are clamped: no limit is that large.

use std::time::Duration;

/// To a wide integer.
pub fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// To a narrow integer.
pub fn to_i32(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// From a wide integer.
pub fn to_u64(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// From a wide integer to a count that fits in 32 bits.
pub(super) fn to_u32(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

/// Number of crashes after which a task is tried alone. After the first crash, all tasks of the worker are suspects, and a
/// worker holds one suspect at a time, together with other tasks; a suspect that is held again when its worker dies is tried
/// alone.
pub const ALONE_AFTER: i32 = 2;

/// The number of crashes at which a task is poisoned: only crashes while it was tried alone count against it.
pub fn poison_limit(max_crashes: u32) -> i32 {
    to_i32(max_crashes).saturating_add(ALONE_AFTER)
}

/// The number of expired leases at which a task is given up. A page may stall its worker for longer than a lease without
/// killing it; that is no crash, and its worker takes the blame for it back. But neither is such a page ever finished. The
/// number is generous, because leases also expire when workers are suspended or cut off from the database.
pub const MAX_LOST_LEASES: i32 = 20;

/// With more expired leases than this, a task stays suspected when its blame is taken back, so that it is tried alone: tasks
/// that were held beside one that stalls its workers are then finished before they are given up.
pub const ALONE_AFTER_LOST_LEASES: i32 = 10;

/// A time in milliseconds; zero if it has passed.
pub fn from_millis(millis: i64) -> Duration {
    Duration::from_millis(millis.max(0).unsigned_abs())
}

/// Milliseconds, at most a hundred years.
pub fn to_millis(time: Duration) -> i64 {
    const MAX: i64 = 100 * 366 * 86_400_000;
    i64::try_from(time.as_millis()).unwrap_or(MAX).min(MAX)
}
