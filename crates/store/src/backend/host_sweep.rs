//! Progress of the search for hosts that are marked idle but have work.

use std::sync::{Arc, Mutex, PoisonError};

/// Progress of the search; shared by all handles to a store.
#[derive(Clone, Default, Debug)]
pub struct HostSweep(Arc<Mutex<String>>);

impl HostSweep {
    /// The last host that was checked; empty at the start of a sweep.
    pub fn position(&self) -> String {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }

    /// Records the last host of a round; `None` starts a new sweep.
    pub fn advance(&self, last: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = last.unwrap_or_default();
    }
}
