//! The `tree` format: each page, its links indented below it.

use crawler_model::{LinkFilter, PageReport, Sink, SinkError, Summary};

use crate::Target;
use crate::printed_links::printed_links;

/// Writes the page's URL, then `  - <link>`, one per line.
#[derive(Debug)]
pub(crate) struct TreeSink {
    pub(crate) target: Target,
    pub(crate) filter: LinkFilter,
}

impl Sink for TreeSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        if !report.counts_as_page() {
            return Ok(());
        }
        self.target.line_text(report.url.as_str()).text("\n");
        for (link, _) in printed_links(&report.links, self.filter) {
            self.target.text("  - ").line_text(link).text("\n");
            self.target.write_if_full()?;
        }
        self.target.write_if_full()
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.target.flush()
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        self.target.flush()
    }
}
