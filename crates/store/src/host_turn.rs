//! One request to a host outside of any job.

use std::time::Duration;

use crate::{HostBucket, MAX_START_DELAY, StartSchedule};

/// A slot of a host. It is given back by its number, or freed when its lease ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TurnId(pub i64);

/// Whether a request to a host may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostTurn {
    /// It may.
    Granted {
        /// The slot to give back.
        id: TurnId,
        /// How long to wait before the request.
        delay: Duration,
    },
    /// Not yet. The next free slot is reserved for the caller for a moment.
    Later {
        /// How long to wait before trying again.
        wait: Duration,
        /// How much longer the pause lasts that the host asked for; zero if it asked for none.
        pause: Duration,
    },
}

/// How long a slot is reserved for a caller that has to try again; longer than the caller waits.
pub const TURN_RESERVATION: Duration = Duration::from_secs(1);
/// How soon to try a host again if all its slots are in use, since it is not known when one is given back.
const FULL_HOST_RETRY: Duration = Duration::from_millis(100);

impl HostBucket {
    /// Schedules a single request, or returns how long to wait before trying again.
    pub fn turn(&self, lease: Duration) -> Result<StartSchedule, Duration> {
        let schedule = self.schedule(1, lease);
        if schedule.count > 0 {
            return Ok(schedule);
        }
        if self.in_flight >= self.max_in_flight {
            return Err(FULL_HOST_RETRY);
        }
        // The next start is further ahead than any that is scheduled.
        let horizon = i64::try_from(lease.min(MAX_START_DELAY).as_millis()).unwrap_or(i64::MAX);
        let wait = self.next_start.saturating_sub(horizon).max(1);
        Err(Duration::from_millis(wait.unsigned_abs()))
    }
}
