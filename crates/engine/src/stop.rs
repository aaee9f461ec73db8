//! How the outside asks a crawl to end.

use tokio::sync::watch;

/// How soon.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StopLevel {
    /// Go on.
    Run,
    /// Begin nothing new, finish what is in flight.
    Drain,
    /// Now.
    AtOnce,
}

/// Asks a crawl to end; clone it to whoever may ask.
#[derive(Clone, Debug)]
pub struct Stop {
    level: watch::Sender<StopLevel>,
}

impl Stop {
    /// Nobody has asked yet.
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

    /// What was asked so far.
    pub fn level(&self) -> StopLevel {
        *self.level.borrow()
    }

    /// Waits until at least this much is asked.
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
