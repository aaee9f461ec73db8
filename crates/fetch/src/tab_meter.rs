//! Receives how long browser tabs are held for a request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Receives how long a browser tab was held for a request, also if it failed or was cancelled.
#[derive(Clone)]
pub struct TabMeter(Arc<dyn Fn(Duration) + Send + Sync>);

impl TabMeter {
    /// Creates a meter that passes the time of each tab to a function.
    pub fn new(add: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        Self(Arc::new(add))
    }

    /// Counts a tab that was held for this long.
    pub fn add(&self, held: Duration) {
        (self.0)(held);
    }
}

impl fmt::Debug for TabMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TabMeter(…)")
    }
}
