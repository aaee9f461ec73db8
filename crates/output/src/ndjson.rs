//! The `ndjson` format: one object per line.

use crawler_model::{LinkFilter, PageReport, Sink, SinkError, Summary};

use crate::Target;
use crate::page_object::write_page_object;

/// Writes one JSON object per line.
#[derive(Debug)]
pub(crate) struct NdjsonSink {
    pub(crate) target: Target,
    pub(crate) filter: LinkFilter,
}

impl Sink for NdjsonSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        write_page_object(&mut self.target, "url", report, self.filter)?;
        self.target.text("\n");
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.target.flush()
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        self.target.flush()
    }
}
