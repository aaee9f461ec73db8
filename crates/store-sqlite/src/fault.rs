//! Database errors, sorted by what the caller does next.

use crawler_store::StoreError;
use sqlx::Error;

/// SQLite's result codes, without their extension.
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const INTERRUPTED: i32 = 9;
const READ_ONLY: i32 = 8;
const IO: i32 = 10;
const FULL: i32 = 13;
const CANNOT_OPEN: i32 = 14;
const UNIQUE: i32 = 2067;
const PRIMARY_KEY: i32 = 1555;

/// Whether another process has locked the file.
pub(crate) fn is_busy(error: &Error) -> bool {
    code(error).is_some_and(|code| code & 0xff == BUSY)
}

fn code(error: &Error) -> Option<i32> {
    let code = error.as_database_error()?.code()?;
    code.parse().ok()
}

/// The store's error.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(crate) fn fault(error: Error) -> StoreError {
    let message = error.to_string();
    match code(&error) {
        Some(UNIQUE | PRIMARY_KEY) => StoreError::Conflict(message),
        Some(code)
            if [BUSY, LOCKED, INTERRUPTED, READ_ONLY, IO, FULL, CANNOT_OPEN]
                .contains(&(code & 0xff)) =>
        {
            StoreError::Unavailable(message)
        }
        Some(_) => StoreError::Refused(message),
        None => match error {
            Error::Io(_) | Error::PoolTimedOut | Error::PoolClosed | Error::WorkerCrashed => {
                StoreError::Unavailable(message)
            }
            _ => StoreError::Refused(message),
        },
    }
}
