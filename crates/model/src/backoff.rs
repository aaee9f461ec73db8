//! Pauses between attempts.

use std::time::Duration;

/// Exponential backoff with jitter between attempts at one page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// Pause before the second attempt.
    pub first: Duration,
    /// Maximum pause.
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
