//! The counts that a progress display shows while the crawl runs.

use std::sync::Mutex;

use crawler_model::lock;

use crawler_frontier::ProgressCounts;

/// The latest counts, written by the loop and read by a display.
#[derive(Debug, Default)]
pub struct Progress {
    counts: Mutex<ProgressCounts>,
}

impl Progress {
    /// Returns the latest counts.
    pub fn progress_counts(&self) -> ProgressCounts {
        *lock(&self.counts)
    }

    /// Replaces the counts.
    pub fn set(&self, counts: ProgressCounts) {
        *lock(&self.counts) = counts;
    }
}
