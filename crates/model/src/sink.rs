//! Where reports go.

use std::fmt;
use std::io;

use crawler_weburl::CrawlUrl;

use crate::{Notice, PageReport, Summary};

/// A sink could not write to its target.
#[derive(Debug)]
pub struct SinkError {
    /// The file's name, or `stdout`.
    pub target: String,
    /// The system's error.
    pub error: io::Error,
}

impl SinkError {
    /// Whether the reader closed the pipe, which is not an error of ours.
    pub fn is_closed_pipe(&self) -> bool {
        self.error.kind() == io::ErrorKind::BrokenPipe
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write to {}: {}", self.target, self.error)
    }
}

// No source: the message contains the system's error already.
impl std::error::Error for SinkError {}

/// Where reports go. Called from one thread, in the order pages finish; may block, and then the crawl waits.
pub trait Sink: Send {
    /// One finished page.
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError>;

    /// A message for the user.
    fn notice(&mut self, _notice: &Notice) -> Result<(), SinkError> {
        Ok(())
    }

    /// A known URL that was not visited because the crawl ended first; only if [`Sink::wants_left`].
    fn left(&mut self, _url: &CrawlUrl) -> Result<(), SinkError> {
        Ok(())
    }

    /// Whether [`Sink::left`] is to be called.
    fn wants_left(&self) -> bool {
        false
    }

    /// Events of the frontier, for a sink that stores them. Everything delivered before is written.
    fn mark(&mut self, _events: &[u8]) -> Result<(), SinkError> {
        Ok(())
    }

    /// Passes everything written so far on to the reader.
    fn flush(&mut self) -> Result<(), SinkError>;

    /// The crawl ended: close brackets, write totals, flush.
    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError>;
}
