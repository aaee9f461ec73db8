//! The `edges` format: one line a link, so that the site's graph can be cut and sorted.

use model::{LinkFilter, PageReport, Sink, SinkError, Summary};

use crate::Target;
use crate::printed_links::printed_links;

/// Writes `[<page>] -> [<link>]` a line.
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
            self.target.relieve()?;
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
