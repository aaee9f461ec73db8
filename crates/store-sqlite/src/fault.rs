//! Database errors, sorted by what the caller does next.

use crawler_store::StoreError;
use sqlx::Error;

/// SQLite's result codes, without their extension.
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const NO_MEMORY: i32 = 7;
const INTERRUPTED: i32 = 9;
const READ_ONLY: i32 = 8;
const IO: i32 = 10;
const FULL: i32 = 13;
const CANNOT_OPEN: i32 = 14;
const LOCK_PROTOCOL: i32 = 15;
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
        Some(UNIQUE | PRIMARY_KEY) => StoreError::Conflict("it exists already".to_owned()),
        Some(code)
            if matches!(
                code & 0xff,
                BUSY | LOCKED
                    | NO_MEMORY
                    | READ_ONLY
                    | INTERRUPTED
                    | IO
                    | FULL
                    | CANNOT_OPEN
                    | LOCK_PROTOCOL
            ) =>
        {
            StoreError::Unavailable(message)
        }
        Some(_) => StoreError::Refused(message),
        None => match error {
            // The last two mean a connection in the wrong state. That is no fault of the request: another connection can
            // handle it.
            Error::Io(_)
            | Error::PoolTimedOut
            | Error::PoolClosed
            | Error::WorkerCrashed
            | Error::BeginFailed
            | Error::InvalidSavePointStatement => StoreError::Unavailable(message),
            _ => StoreError::Refused(message),
        },
    }
}
