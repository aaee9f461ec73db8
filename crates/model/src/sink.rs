//! Where reports go.

use std::fmt;
use std::io;

use weburl::CrawlUrl;

use crate::{Notice, PageReport, Summary};

/// A sink could not write. Names the file (or stdout), so that the person knows which.
#[derive(Debug)]
pub struct SinkError {
    /// The file's name, or `stdout`.
    pub target: String,
    /// What the system said.
    pub error: io::Error,
}

impl SinkError {
    /// Whether the reader went away, which is no error of ours.
    pub fn is_closed_pipe(&self) -> bool {
        self.error.kind() == io::ErrorKind::BrokenPipe
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.target, self.error)
    }
}

// No source: what the system said stands in the message already.
impl std::error::Error for SinkError {}

/// Where reports go. Called from one thread, in the order pages finish; may block, and then the crawl waits.
pub trait Sink: Send {
    /// One finished page.
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError>;

    /// Something else worth telling.
    fn notice(&mut self, _notice: &Notice) -> Result<(), SinkError> {
        Ok(())
    }

    /// A known URL that was not visited because the crawl ended first; only if [`Sink::wants_left`].
    fn left(&mut self, _url: &CrawlUrl) -> Result<(), SinkError> {
        Ok(())
    }

    /// Whether the URLs left over at the end are wanted.
    fn wants_left(&self) -> bool {
        false
    }

    /// What the frontier wants kept, for a sink that keeps it: all that came before it in the same order is written.
    fn mark(&mut self, _events: &[u8]) -> Result<(), SinkError> {
        Ok(())
    }

    /// Everything written so far reaches the reader.
    fn flush(&mut self) -> Result<(), SinkError>;

    /// The crawl ended: close brackets, write totals, flush.
    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError>;
}
