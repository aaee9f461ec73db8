//! Timing and sizes of a worker.

use std::time::Duration;

use crawler_model::site_rules::HOST_INTERVAL;

/// Timing and sizes of a worker.
#[derive(Clone, Debug)]
pub struct StoreFrontierSettings {
    /// Maximum number of pages in flight.
    pub workers: usize,
    /// Length of a lease.
    pub lease: Duration,
    /// Interval between renewals of leases.
    pub heartbeat: Duration,
    /// Minimum time between two requests of this worker to a host.
    pub host_interval: Duration,
    /// Minimum time between two claims.
    pub min_poll: Duration,
    /// Maximum time between two claims while there is nothing to do.
    pub max_poll: Duration,
    /// Maximum number of settlements in one batch.
    pub max_batch: usize,
    /// How long a settlement waits for others to share its batch.
    pub batch_delay: Duration,
    /// Interval between rescues of expired leases.
    pub housekeeping: Duration,
    /// How long a drain waits for pages in flight.
    pub drain: Duration,
    /// Timeout of store calls.
    pub store_timeout: Duration,
}

impl StoreFrontierSettings {
    /// Time after the end of a drain in which unfinished tasks are handed back to the store.
    pub const GRACE: Duration = Duration::from_secs(4);
}

impl Default for StoreFrontierSettings {
    fn default() -> Self {
        Self {
            workers: 8,
            lease: Duration::from_secs(30),
            heartbeat: Duration::from_secs(10),
            host_interval: HOST_INTERVAL,
            min_poll: Duration::from_millis(20),
            max_poll: Duration::from_secs(1),
            max_batch: 128,
            batch_delay: Duration::from_millis(5),
            housekeeping: Duration::from_secs(5),
            drain: Duration::from_secs(20),
            store_timeout: Duration::from_secs(10),
        }
    }
}
