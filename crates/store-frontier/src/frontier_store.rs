//! The roles of a store that the frontier needs.

use crawler_store::{HostTurns, JobQueue, RobotsRecords};

/// The roles of a store that the frontier needs.
pub trait FrontierStore: JobQueue + HostTurns + RobotsRecords + Clone + 'static {}

impl<S> FrontierStore for S where S: JobQueue + HostTurns + RobotsRecords + Clone + 'static {}
