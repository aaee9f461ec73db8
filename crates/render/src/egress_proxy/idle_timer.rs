//! Detects idle connections.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// A connection without traffic for this long is closed.
const IDLE_LIMIT: Duration = Duration::from_mins(1);

/// Time of the last traffic on a connection.
#[derive(Debug)]
pub(super) struct IdleTimer {
    started: Instant,
    /// In milliseconds since the start.
    last_activity: AtomicU64,
}

impl IdleTimer {
    pub(super) fn new() -> Self {
        Self {
            started: Instant::now(),
            last_activity: AtomicU64::new(0),
        }
    }

    /// Records traffic.
    pub(super) fn touch(&self) {
        let since = self.started.elapsed().as_millis();
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        self.last_activity.store(since, Ordering::Relaxed);
    }

    /// Waits until the connection has been idle for too long.
    pub(super) async fn expired(&self) {
        loop {
            let last = Duration::from_millis(self.last_activity.load(Ordering::Relaxed));
            let due = self.started + last + IDLE_LIMIT;
            if due <= Instant::now() {
                return;
            }
            sleep_until(due).await;
        }
    }
}
