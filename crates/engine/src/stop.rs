//! Stops a running crawl.

use tokio::sync::watch;

/// How soon a crawl should end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StopLevel {
    /// Not stopped.
    Run,
    /// Start nothing new and finish what is in flight.
    Drain,
    /// Abandon what is in flight.
    AtOnce,
}

/// Stops a crawl; clones share the level.
#[derive(Clone, Debug)]
pub struct Stop {
    level: watch::Sender<StopLevel>,
}

impl Stop {
    /// Creates a stop at level [`StopLevel::Run`].
    pub fn new() -> Self {
        Self {
            level: watch::Sender::new(StopLevel::Run),
        }
    }

    /// Raises the level: the first call drains the crawl, the second stops it at once.
    pub fn request(&self) {
        self.level.send_modify(|level| {
            *level = if *level == StopLevel::Run {
                StopLevel::Drain
            } else {
                StopLevel::AtOnce
            };
        });
    }

    /// Returns the current level.
    pub fn level(&self) -> StopLevel {
        *self.level.borrow()
    }

    /// Waits until the level is at least `least`.
    pub async fn reached(&self, least: StopLevel) {
        let mut changes = self.level.subscribe();
        // The sender lives in `self`, so the wait cannot fail.
        let _ = changes.wait_for(|level| *level >= least).await;
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}
