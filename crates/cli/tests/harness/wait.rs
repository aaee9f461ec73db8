//! Waiting for a condition. No test sleeps for a result.

use std::time::{Duration, Instant};

/// Longest wait for anything, on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(2);

const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Waits until the condition holds, and returns how long that took; `what` names it for the failure.
#[track_caller]
pub(crate) fn wait_until(
    what: &str,
    timeout: Duration,
    mut condition: impl FnMut() -> bool,
) -> Duration {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < timeout, "not within {timeout:?}: {what}");
        std::thread::sleep(POLL_INTERVAL);
    }
    start.elapsed()
}
