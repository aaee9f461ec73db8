//! The times and sizes a worker keeps to.

use std::time::Duration;

/// The times and sizes a worker keeps to.
#[derive(Clone, Debug)]
pub struct StoreFrontierSettings {
    /// Pages in flight at once.
    pub workers: usize,
    /// How long a lease lasts.
    pub lease: Duration,
    /// How often leases are renewed.
    pub heartbeat: Duration,
    /// Least time between two requests of this worker to a host.
    pub host_interval: Duration,
    /// What robots.txt says about delays is not kept: `host_interval` says it all.
    pub own_crawl_delay: bool,
    /// Least time between two claims.
    pub poll_least: Duration,
    /// Longest time between two claims while there is nothing to do.
    pub poll_most: Duration,
    /// Settlements written together.
    pub settle_most: usize,
    /// How long a settlement waits for company.
    pub settle_wait: Duration,
    /// How often lost leases are looked for and the rules repeated.
    pub housekeeping: Duration,
    /// How long a drain waits for what is in flight.
    pub drain: Duration,
    /// How long the store may take for an answer.
    pub patience: Duration,
}

impl StoreFrontierSettings {
    /// How long past the drain's end the store has to take back what was not finished.
    pub const GRACE: Duration = Duration::from_secs(4);
}

impl Default for StoreFrontierSettings {
    fn default() -> Self {
        Self {
            workers: 8,
            lease: Duration::from_secs(30),
            heartbeat: Duration::from_secs(10),
            host_interval: Duration::from_millis(500),
            own_crawl_delay: false,
            poll_least: Duration::from_millis(20),
            poll_most: Duration::from_secs(1),
            settle_most: 64,
            settle_wait: Duration::from_millis(5),
            housekeeping: Duration::from_secs(5),
            drain: Duration::from_secs(20),
            patience: Duration::from_secs(10),
        }
    }
}
