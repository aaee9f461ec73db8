//! A whole store: every role at once.

use crate::{
    ApiKeys, HostTurns, JobQueue, Jobs, Results, RobotsRecords, StoreError, Upkeep, Usage,
};

/// The result of a store call.
pub type StoreResult<T> = Result<T, StoreError>;

/// A store of jobs, tasks and documents. A clone is another handle to the same store.
///
/// A call that returns `Ok` has committed its changes.
pub trait Store:
    JobQueue + Jobs + Results + HostTurns + RobotsRecords + ApiKeys + Upkeep + Usage + Clone + 'static
{
}

impl<S> Store for S where
    S: JobQueue
        + Jobs
        + Results
        + HostTurns
        + RobotsRecords
        + ApiKeys
        + Upkeep
        + Usage
        + Clone
        + 'static
{
}
