//! The `json` format: one array, streamed.
//!
//! The bracket is opened when the sink is created and closed when it finishes, so the array is valid without pages and when
//! the crawl is stopped early.

use crawler_model::{LinkFilter, PageReport, Sink, SinkError, Summary};

use crate::Target;
use crate::page_object::write_page_object;

/// Writes one array of page objects, each on its own line.
#[derive(Debug)]
pub(crate) struct JsonSink {
    target: Target,
    filter: LinkFilter,
    any: bool,
    closed: bool,
}

impl JsonSink {
    pub(crate) fn new(mut target: Target, filter: LinkFilter) -> Self {
        target.text("[\n");
        Self {
            target,
            filter,
            any: false,
            closed: false,
        }
    }
}

impl Sink for JsonSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        if self.any {
            self.target.text(",\n");
        }
        self.any = true;
        write_page_object(&mut self.target, "page_url", report, self.filter)
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.target.flush()
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        if !self.closed {
            self.closed = true;
            self.target.text(if self.any { "\n]\n" } else { "]\n" });
        }
        self.target.flush()
    }
}
