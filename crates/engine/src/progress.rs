//! The numbers a progress display reads while the crawl runs.

use std::sync::Mutex;

use crawler_frontier::ProgressCounts;

/// The latest numbers. The loop writes, a display reads; neither waits for the other for long.
#[derive(Debug, Default)]
pub struct Progress {
    glance: Mutex<ProgressCounts>,
}

impl Progress {
    /// The latest numbers.
    pub fn progress_counts(&self) -> ProgressCounts {
        *self
            .glance
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Replaces the numbers.
    pub fn set(&self, glance: ProgressCounts) {
        *self
            .glance
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = glance;
    }
}
