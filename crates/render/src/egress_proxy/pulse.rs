//! When something last came or went over a connection.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// A connection over which nothing comes or goes for this long is ended.
const IDLE_LIMIT: Duration = Duration::from_secs(60);

/// Beats with every byte.
#[derive(Debug)]
pub(super) struct Pulse {
    started: Instant,
    /// Milliseconds since the start.
    last: AtomicU64,
}

impl Pulse {
    pub(super) fn new() -> Self {
        Self {
            started: Instant::now(),
            last: AtomicU64::new(0),
        }
    }

    /// Something came or went.
    pub(super) fn beat(&self) {
        let since = self.started.elapsed().as_millis();
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        self.last.store(since, Ordering::Relaxed);
    }

    /// Waits until nothing did for too long.
    pub(super) async fn stopped(&self) {
        loop {
            let last = Duration::from_millis(self.last.load(Ordering::Relaxed));
            let due = self.started + last + IDLE_LIMIT;
            if due <= Instant::now() {
                return;
            }
            sleep_until(due).await;
        }
    }
}
