//! Measures the time a thread takes.
//!
//! Uses CPU time where the system provides it (Linux), so that a busy machine does not make a test fail;
//! wall-clock time elsewhere.

use std::time::{Duration, Instant};

pub(crate) struct Stopwatch {
    started: Instant,
    cpu_time: Option<Duration>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            cpu_time: cpu_time(),
        }
    }

    /// The time since the start; call on the thread that started it.
    pub(crate) fn elapsed(&self) -> Duration {
        match (self.cpu_time, cpu_time()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.started.elapsed(),
        }
    }
}

/// The total CPU time of this thread.
fn cpu_time() -> Option<Duration> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = statistics.split_ascii_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
