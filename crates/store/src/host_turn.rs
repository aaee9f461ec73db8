//! One request to a host outside of any job, in the host's turn.

use std::time::Duration;

use crate::{Grants, HostBucket};

/// A slot of a host that somebody holds; given back by its number, or free by itself when its lease is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TurnId(pub i64);

/// The answer to "may I ask this host?".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Yes, after this long.
    Granted {
        /// To be given back.
        id: TurnId,
        /// Before the request.
        delay: Duration,
    },
    /// No: ask again after this long. The next free slot is kept for whoever asks like this, for a moment.
    Later(Duration),
}

/// How long a slot is kept for somebody who was told to ask again; longer than they wait.
pub const WANTED: Duration = Duration::from_secs(1);
/// How soon to ask a host again whose slots are all in use: nobody knows when one is given back.
const FULL: Duration = Duration::from_millis(100);

impl HostBucket {
    /// What one request by itself may have: its place among the starts, or how long to wait.
    pub fn turn(&self, lease: Duration) -> Result<Grants, Duration> {
        let grants = self.grants(1, lease);
        if grants.room > 0 {
            return Ok(grants);
        }
        if self.in_flight >= self.most_in_flight {
            return Err(FULL);
        }
        // The start lies further ahead than anything is handed out.
        let horizon = i64::try_from(lease.min(crate::LOOKAHEAD).as_millis()).unwrap_or(i64::MAX);
        let wait = self.next_start.saturating_sub(horizon).max(1);
        Err(Duration::from_millis(wait.unsigned_abs()))
    }
}
