//! The parts of a response that affect the pace of its host.

use std::time::Duration;

/// The parts of a response that affect the pace of its host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostResponse {
    /// HTTP status.
    pub status: u16,
    /// The pause that `Retry-After` asks for.
    pub retry_after: Option<Duration>,
    /// Time since the request was sent.
    pub elapsed: Duration,
}

impl HostResponse {
    /// Creates one from the parts of a report; `None` without a status, because then there was no response.
    pub fn new(
        status: Option<u16>,
        retry_after: Option<Duration>,
        elapsed: Duration,
    ) -> Option<Self> {
        Some(Self {
            status: status?,
            retry_after,
            elapsed,
        })
    }
}
