//! How long a thread worked.
//!
//! Counted in time on a processor where the system tells it (Linux), so that a busy machine does not make
//! a test fail; elsewhere by the clock.

use std::time::{Duration, Instant};

pub(crate) struct Stopwatch {
    started: Instant,
    worked: Option<Duration>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            worked: worked(),
        }
    }

    /// Since the start, on the thread that started it.
    pub(crate) fn elapsed(&self) -> Duration {
        match (self.worked, worked()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.started.elapsed(),
        }
    }
}

/// What this thread has worked in all.
fn worked() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = told.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
