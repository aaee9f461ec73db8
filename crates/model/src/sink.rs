//! The trait for outputs of a crawl.

use std::fmt;
use std::io;

use crawler_weburl::CrawlUrl;

use crate::{Notice, PageReport, Summary};

/// A sink could not write to its target.
#[derive(Debug)]
pub struct SinkError {
    /// The file's name, or `stdout`.
    pub target: String,
    /// The I/O error.
    pub error: io::Error,
}

impl SinkError {
    /// Whether the reader closed the pipe, which ends the crawl normally.
    pub fn is_closed_pipe(&self) -> bool {
        self.error.kind() == io::ErrorKind::BrokenPipe
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write to {}: {}", self.target, self.error)
    }
}

// No source, because the message already contains the I/O error.
impl std::error::Error for SinkError {}

/// An output for reports. Called from one thread, in the order in which pages finish. If it blocks, the crawl waits.
pub trait Sink: Send {
    /// Writes a finished page.
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError>;

    /// Writes a message for the user.
    fn notice(&mut self, _notice: &Notice) -> Result<(), SinkError> {
        Ok(())
    }

    /// Writes a known URL that was not visited because the crawl ended first. Called only if [`Sink::wants_unvisited`].
    fn left(&mut self, _url: &CrawlUrl) -> Result<(), SinkError> {
        Ok(())
    }

    /// Whether to call [`Sink::left`].
    fn wants_unvisited(&self) -> bool {
        false
    }

    /// Stores events of the frontier. Everything delivered earlier has been written.
    fn mark(&mut self, _events: &[u8]) -> Result<(), SinkError> {
        Ok(())
    }

    /// Flushes buffered output.
    fn flush(&mut self) -> Result<(), SinkError>;

    /// Completes the output at the end of the crawl: closes brackets, writes totals, flushes.
    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError>;
}
