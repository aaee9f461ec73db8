//! Database errors, sorted by what the caller does next.

use crawler_store::StoreError;
use sqlx::Error;

/// Codes of transactions that can be retried as they are.
const SERIALIZATION_FAILURE: &str = "40001";
const DEADLOCK: &str = "40P01";

/// Whether a retry of the same transaction may succeed.
pub(crate) fn is_collision(error: &Error) -> bool {
    matches!(
        code(error).as_deref(),
        Some(SERIALIZATION_FAILURE | DEADLOCK)
    )
}

/// Whether the server lacks something: space, memory, connections.
pub(crate) fn is_out_of_resources(error: &Error) -> bool {
    code(error).is_some_and(|code| code.starts_with("53"))
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
    let message = error.to_string();
    let Some(code) = code(&error) else {
        return match error {
            Error::Io(_)
            | Error::Tls(_)
            | Error::PoolTimedOut
            | Error::PoolClosed
            | Error::WorkerCrashed
            | Error::BeginFailed
            | Error::InvalidSavePointStatement
            | Error::Protocol(_) => StoreError::Unavailable(message),
            _ => StoreError::Refused(message),
        };
    };
    match code.get(..2) {
        // A unique key exists.
        _ if code == "23505" => StoreError::Conflict("it exists already".to_owned()),
        // An internal error, such as a page that could not be written when the disk was full, but not corrupt data. And a
        // standby that is about to be promoted is read-only.
        _ if code == "XX000" || code == "25006" => StoreError::Unavailable(message),
        // Connection, authentication (in a failover), rollback, resources (disk full, too many connections), object not
        // in the required state (not accepting connections, lock not available), operator intervention, system error.
        Some("08" | "28" | "40" | "53" | "55" | "57" | "58") => StoreError::Unavailable(message),
        _ => StoreError::Refused(message),
    }
}
