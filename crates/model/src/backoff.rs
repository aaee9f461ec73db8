//! How long another attempt waits.

use std::time::Duration;

/// The pauses between attempts at one page: they double, with jitter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// Before the second attempt.
    pub first: Duration,
    /// However many attempts there were.
    pub longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(500),
            longest: Duration::from_secs(10),
        }
    }
}
