//! Progress of the search for queued tasks whose lane is missing.

use std::sync::{Arc, Mutex};

use crawler_model::lock;

use uuid::Uuid;

use crate::JobId;

/// Progress of the search; shared by all handles to a store.
#[derive(Clone, Default, Debug)]
pub struct LaneSweep(Arc<Mutex<Option<(JobId, String)>>>);

impl LaneSweep {
    /// The job and host that were checked last; the smallest ones at the start of a sweep.
    pub fn position(&self) -> (JobId, String) {
        let last = lock(&self.0);
        last.clone()
            .unwrap_or_else(|| (JobId(Uuid::nil()), String::new()))
    }

    /// Records the last lane of a round; `None` starts a new sweep.
    pub fn advance(&self, last: Option<(JobId, String)>) {
        *lock(&self.0) = last;
    }
}
