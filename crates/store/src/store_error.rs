//! Errors of a store, sorted by what the caller does next.

/// A failed store call.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Retry: the database is unreachable, busy, full, or too slow.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The request contradicts what is stored: a name that exists, an invalid cursor.
    #[error("the store rejected the request: {0}")]
    Conflict(String),
    /// A retry will not help: a bug, an unknown schema, or damaged data.
    #[error("the store failed: {0}")]
    Refused(String),
}

impl StoreError {
    /// Whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}
