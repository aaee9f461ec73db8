//! Receives how long browser tabs are held for a request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Receives when a browser tab is taken for a request, and how long it was held, also if the request failed or was cancelled.
#[derive(Clone)]
pub struct TabMeter {
    add: Arc<dyn Fn(Duration) + Send + Sync>,
    taken: Arc<dyn Fn() + Send + Sync>,
}

impl TabMeter {
    /// Creates a meter that passes the time of each tab to a function.
    pub fn new(add: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self {
            add: Arc::new(add),
            taken: Arc::new(|| ()),
        }
    }

    /// Also calls a function when a tab is taken.
    #[must_use]
    pub fn on_taken(self, taken: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            taken: Arc::new(taken),
            ..self
        }
    }

    /// Records that a tab is taken.
    pub fn note_taken(&self) {
        (self.taken)();
    }

    /// Counts a tab that was held for this long.
    pub fn add(&self, held: Duration) {
        (self.add)(held);
    }
}

impl fmt::Debug for TabMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TabMeter(…)")
    }
}
