//! Pauses between attempts.

use std::time::Duration;

/// The pauses between attempts at one page: they double, with jitter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// Pause before the second attempt.
    pub first: Duration,
    /// Longest pause.
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
