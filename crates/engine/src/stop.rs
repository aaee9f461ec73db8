//! Asking a crawl to end.

use tokio::sync::watch;

/// How soon a crawl is to end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StopLevel {
    /// Not at all.
    Run,
    /// Start nothing new, finish what is in flight.
    Drain,
    /// At once.
    AtOnce,
}

/// Asks a crawl to end; clones share the request.
#[derive(Clone, Debug)]
pub struct Stop {
    level: watch::Sender<StopLevel>,
}

impl Stop {
    /// A stop that has not been asked for.
    pub fn new() -> Self {
        Self {
            level: watch::Sender::new(StopLevel::Run),
        }
    }

    /// Asks once more: the first time to drain, then to stop at once.
    pub fn ask(&self) {
        self.level.send_modify(|level| {
            *level = if *level == StopLevel::Run {
                StopLevel::Drain
            } else {
                StopLevel::AtOnce
            };
        });
    }

    /// The level asked for so far.
    pub fn level(&self) -> StopLevel {
        *self.level.borrow()
    }

    /// Waits until at least this level is asked for.
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
