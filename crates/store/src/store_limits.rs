//! The limits that both stores enforce.

use crate::backend::to_millis;
use crate::{DEFAULT_MAX_CRASHES, HostBucket, HostDefaults, Quota};

/// Limits of a store, the same for SQLite and Postgres.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StoreLimits {
    /// Limits of a host that did not ask for others.
    pub hosts: HostDefaults,
    /// `hosts.interval` applies to every host, whatever its robots.txt asked for.
    pub fixed_interval: bool,
    /// A task that crashed its workers this often fails as poisoned.
    pub max_crashes: u32,
    /// Quotas of owners whose keys do not set others.
    pub quota: Quota,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self {
            hosts: HostDefaults::default(),
            fixed_interval: false,
            max_crashes: DEFAULT_MAX_CRASHES,
            quota: Quota::default(),
        }
    }
}

impl From<HostDefaults> for StoreLimits {
    fn from(hosts: HostDefaults) -> Self {
        Self {
            hosts,
            ..Self::default()
        }
    }
}

impl StoreLimits {
    /// The bucket of a host that asked for `interval` milliseconds between requests.
    pub fn bucket(&self, interval: i64, next_start: i64, in_flight: i64) -> HostBucket {
        let requested = if self.fixed_interval { 0 } else { interval };
        HostBucket {
            next_start,
            interval: requested.max(to_millis(self.hosts.interval)),
            max_in_flight: i64::from(self.hosts.in_flight),
            in_flight,
        }
    }
}
