//! Why the crawl ended.

use std::fmt;

/// Why the crawl ended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StopReason {
    /// All URLs were visited.
    Done,
    /// The maximum number of pages was reached.
    MaxPages,
    /// The maximum duration was reached.
    MaxDuration,
    /// The maximum number of bytes was reached.
    MaxBytes,
    /// Every remaining URL is on a host that asked for a longer pause than we accept.
    HostParked {
        /// The host.
        host: String,
        /// The requested pause.
        message: String,
    },
    /// A signal.
    Signal,
    /// The reader of the output closed it.
    OutputClosed,
}

impl StopReason {
    /// Returns the stable name used in machine-readable formats.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::MaxPages => "max_pages",
            Self::MaxDuration => "max_duration",
            Self::MaxBytes => "max_bytes",
            Self::HostParked { .. } => "host_parked",
            Self::Signal => "signal",
            Self::OutputClosed => "output_closed",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::MaxPages => f.write_str("reached the maximum number of pages"),
            Self::MaxDuration => f.write_str("reached the maximum duration"),
            Self::MaxBytes => f.write_str("reached the maximum number of bytes"),
            Self::HostParked { host, message } => write!(f, "{host} {message}"),
            Self::Signal => f.write_str("stopped by a signal"),
            Self::OutputClosed => f.write_str("output closed"),
        }
    }
}
