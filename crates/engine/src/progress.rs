//! The numbers a progress display reads while the crawl runs.

use std::sync::Mutex;

use frontier::Glance;

/// The latest numbers. The loop writes, a display reads; neither waits for the other for long.
#[derive(Debug, Default)]
pub struct Progress {
    glance: Mutex<Glance>,
}

impl Progress {
    /// The latest numbers.
    pub fn glance(&self) -> Glance {
        *self
            .glance
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Newer numbers.
    pub fn set(&self, glance: Glance) {
        *self
            .glance
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = glance;
    }
}
