//! The `edges` format: one line per link.

use crawler_model::{LinkFilter, PageReport, Sink, SinkError, Summary};

use crate::Target;
use crate::printed_links::printed_links;

/// Writes `[<page>] -> [<link>]`, one per line.
#[derive(Debug)]
pub(crate) struct EdgesSink {
    pub(crate) target: Target,
    pub(crate) filter: LinkFilter,
}

impl Sink for EdgesSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        if !report.counts_as_page() {
            return Ok(());
        }
        for (link, _) in printed_links(&report.links, self.filter) {
            self.target
                .text("[")
                .line_text(report.url.as_str())
                .text("] -> [")
                .line_text(link)
                .text("]\n");
            self.target.write_if_full()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.target.flush()
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        self.target.flush()
    }
}
