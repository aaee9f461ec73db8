//! What is owed to a host, as arithmetic: how many tasks a claim may hand out, and when each may start.
//!
//! Both stores keep the numbers in a row of their own and ask here, so both are polite in the same way.
//! All times are milliseconds from the claim's now, by the database's clock.

use std::time::Duration;

/// No task is handed out longer than this before it may start: a worker would only hold it.
pub const LOOKAHEAD: Duration = Duration::from_secs(1);

/// What holds for a host that says nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostDefaults {
    /// Tasks with workers at the same time.
    pub in_flight: u32,
    /// Least time between two request starts.
    pub interval: Duration,
}

impl Default for HostDefaults {
    fn default() -> Self {
        Self {
            in_flight: 2,
            interval: Duration::from_millis(500),
        }
    }
}

/// A host as a claim finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostBucket {
    /// When the next request may start; in the past when the host has rested.
    pub next_start: i64,
    /// Least time between two request starts.
    pub interval: i64,
    /// Tasks that may be with workers.
    pub most_in_flight: i64,
    /// Tasks that are, counted from live leases.
    pub in_flight: i64,
}

/// What a claim may take from a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grants {
    /// So many tasks.
    pub room: i64,
    first: i64,
    interval: i64,
}

impl HostBucket {
    /// What a claim of at most `most` tasks may take, none starting later than `lease` or [`LOOKAHEAD`].
    pub fn grants(&self, most: usize, lease: Duration) -> Grants {
        let horizon = i64::try_from(lease.min(LOOKAHEAD).as_millis()).unwrap_or(i64::MAX);
        let first = self.next_start.max(0);
        let slots = (self.most_in_flight - self.in_flight).max(0);
        let starts = if first > horizon {
            0
        } else if self.interval <= 0 {
            i64::MAX
        } else {
            (horizon - first) / self.interval + 1
        };
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        Grants {
            room: slots.min(starts).min(most),
            first,
            interval: self.interval.max(0),
        }
    }
}

impl Grants {
    /// When the task in this place (from 0) may start.
    pub fn delay(&self, place: i64) -> Duration {
        let millis = self
            .first
            .saturating_add(place.saturating_mul(self.interval));
        Duration::from_millis(millis.max(0).unsigned_abs())
    }

    /// The bucket's next start once so many were taken.
    pub fn next_start(&self, taken: i64) -> i64 {
        self.first
            .saturating_add(taken.saturating_mul(self.interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(30);

    fn bucket(next_start: i64, interval: i64, most_in_flight: i64, in_flight: i64) -> HostBucket {
        HostBucket {
            next_start,
            interval,
            most_in_flight,
            in_flight,
        }
    }

    #[test]
    fn room_is_the_least_of_slots_starts_and_what_is_asked_for() {
        for (host, most, room) in [
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
            assert_eq!(host.grants(most, LEASE).room, room, "{host:?} {most}");
        }
    }

    #[test]
    fn a_rest_is_not_saved_up() {
        let grants = bucket(-60_000, 200, 5, 0).grants(5, LEASE);
        assert_eq!(grants.delay(0), Duration::ZERO);
        assert_eq!(grants.delay(3), Duration::from_millis(600));
        assert_eq!(grants.next_start(2), 400);
    }

    #[test]
    fn nothing_starts_beyond_the_lease() {
        let grants = bucket(0, 100, 50, 0).grants(50, Duration::from_millis(250));
        assert_eq!(grants.room, 3);
        assert!(grants.delay(grants.room - 1) <= Duration::from_millis(250));
    }
}
