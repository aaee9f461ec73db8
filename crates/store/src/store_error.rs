//! What can go wrong with a store, sorted by what the caller does next.

/// The store could not do its job.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Try again, for ever: the database is away, busy, full, or took too long.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The caller's request contradicts what is stored: a name taken, a cursor that is none of ours.
    #[error("the store cannot accept this: {0}")]
    Conflict(String),
    /// Trying again will not help: a fault of ours, a foreign schema, or damaged data.
    #[error("the store refused: {0}")]
    Refused(String),
}

impl StoreError {
    /// Whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}
