//! Arithmetic of a host's token bucket: how many tasks a claim may take, and when each may start.
//!
//! Both stores keep the numbers in their own rows and compute here, so both are polite in the same way.
//! All times are milliseconds relative to the claim, by the database's clock.

use std::time::Duration;

use crawler_model::site_rules::{HOST_INTERVAL, PER_HOST_CONCURRENCY};

use crate::backend::from_millis;

/// Maximum time between the claim of a task and its start: until then a worker would only hold it.
pub const MAX_START_DELAY: Duration = Duration::from_secs(1);

/// Limits of a host that did not ask for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostDefaults {
    /// Maximum number of tasks held by workers at the same time.
    pub in_flight: u32,
    /// Minimum time between two request starts.
    pub interval: Duration,
}

impl Default for HostDefaults {
    fn default() -> Self {
        Self {
            in_flight: PER_HOST_CONCURRENCY,
            interval: HOST_INTERVAL,
        }
    }
}

/// The state of a host at the time of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostBucket {
    /// When the next request may start; in the past if the host was idle.
    pub next_start: i64,
    /// Minimum time between two request starts.
    pub interval: i64,
    /// Maximum number of tasks held by workers.
    pub max_in_flight: i64,
    /// Tasks held by workers, counted from live leases.
    pub in_flight: i64,
}

/// The tasks that a claim may take from a host, and their starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartSchedule {
    /// Number of tasks.
    pub count: i64,
    first: i64,
    interval: i64,
}

impl HostBucket {
    /// Schedules a claim of at most `max` tasks; none starts later than `lease` or [`MAX_START_DELAY`].
    pub fn schedule(&self, max: usize, lease: Duration) -> StartSchedule {
        let horizon = i64::try_from(lease.min(MAX_START_DELAY).as_millis()).unwrap_or(i64::MAX);
        let first = self.next_start.max(0);
        let slots = (self.max_in_flight - self.in_flight).max(0);
        let starts = if first > horizon {
            0
        } else if self.interval <= 0 {
            i64::MAX
        } else {
            (horizon - first) / self.interval + 1
        };
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        StartSchedule {
            count: slots.min(starts).min(max),
            first,
            interval: self.interval.max(0),
        }
    }
}

impl StartSchedule {
    /// When the task at this position (from 0) may start.
    pub fn delay(&self, position: i64) -> Duration {
        let millis = self
            .first
            .saturating_add(position.saturating_mul(self.interval));
        from_millis(millis)
    }

    /// The bucket's next start after this many were taken.
    pub fn next_start(&self, taken: i64) -> i64 {
        self.first
            .saturating_add(taken.saturating_mul(self.interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(30);

    fn bucket(next_start: i64, interval: i64, max_in_flight: i64, in_flight: i64) -> HostBucket {
        HostBucket {
            next_start,
            interval,
            max_in_flight,
            in_flight,
        }
    }

    #[test]
    fn a_claim_is_limited_by_slots_starts_and_its_own_maximum() {
        for (host, max, count) in [
            (bucket(0, 500, 2, 0), 50, 2),
            (bucket(0, 500, 2, 1), 50, 1),
            (bucket(0, 500, 2, 2), 50, 0),
            (bucket(0, 500, 2, 5), 50, 0),
            (bucket(0, 500, 10, 0), 50, 3),
            (bucket(0, 500, 10, 0), 1, 1),
            (bucket(-9_000, 500, 10, 0), 50, 3),
            (bucket(900, 500, 10, 0), 50, 1),
            (bucket(1_001, 500, 10, 0), 50, 0),
            (bucket(0, 0, 10, 0), 50, 10),
        ] {
            assert_eq!(host.schedule(max, LEASE).count, count, "{host:?} {max}");
        }
    }

    #[test]
    fn idle_time_is_not_saved_up() {
        let schedule = bucket(-60_000, 200, 5, 0).schedule(5, LEASE);
        assert_eq!(schedule.delay(0), Duration::ZERO);
        assert_eq!(schedule.delay(3), Duration::from_millis(600));
        assert_eq!(schedule.next_start(2), 400);
    }

    #[test]
    fn nothing_starts_after_the_lease() {
        let schedule = bucket(0, 100, 50, 0).schedule(50, Duration::from_millis(250));
        assert_eq!(schedule.count, 3);
        assert!(schedule.delay(schedule.count - 1) <= Duration::from_millis(250));
    }
}
