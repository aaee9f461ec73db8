//! What sqlx says, sorted by what the caller does next.

use sqlx::Error;
use store::StoreError;

/// Codes of a transaction that may simply be run again.
const SERIALIZATION_FAILURE: &str = "40001";
const DEADLOCK: &str = "40P01";

/// Whether running the same transaction again may succeed.
pub(crate) fn is_collision(error: &Error) -> bool {
    matches!(
        code(error).as_deref(),
        Some(SERIALIZATION_FAILURE | DEADLOCK)
    )
}

fn code(error: &Error) -> Option<String> {
    error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .map(std::borrow::Cow::into_owned)
}

/// The store's error.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(crate) fn fault(error: Error) -> StoreError {
    let words = error.to_string();
    let Some(code) = code(&error) else {
        return match error {
            Error::Io(_)
            | Error::Tls(_)
            | Error::PoolTimedOut
            | Error::PoolClosed
            | Error::WorkerCrashed
            | Error::Protocol(_) => StoreError::Unavailable(words),
            _ => StoreError::Refused(words),
        };
    };
    match code.get(..2) {
        // A name is taken.
        _ if code == "23505" => StoreError::Conflict(words),
        // Connection, authentication (in a failover), rolled back, resources (disk full, too many connections), not in
        // the state for it (closed to connections, a lock not to be had), an operator's intervention, the system.
        Some("08" | "28" | "40" | "53" | "55" | "57" | "58") => StoreError::Unavailable(words),
        // Read-only: a standby that is about to be promoted.
        _ if code == "25006" => StoreError::Unavailable(words),
        _ => StoreError::Refused(words),
    }
}
