//! The counts that a progress display shows while the crawl runs.

use std::sync::Mutex;

use crawler_frontier::ProgressCounts;

/// The latest counts, written by the loop and read by a display.
#[derive(Debug, Default)]
pub struct Progress {
    counts: Mutex<ProgressCounts>,
}

impl Progress {
    /// Returns the latest counts.
    pub fn progress_counts(&self) -> ProgressCounts {
        *self
            .counts
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Replaces the counts.
    pub fn set(&self, counts: ProgressCounts) {
        *self
            .counts
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = counts;
    }
}
