//! `--unique-links`: every distinct link, sorted, one per line.

use crawler_model::{LinkFilter, PageReport, Sink, SinkError, Summary};

use crate::Target;
use crate::printed_links::printed_links;
use crate::sorted_lines::{BUDGET, SortedLines};

/// Collects the printed links and writes each once, sorted by bytes, when the crawl ends.
#[derive(Debug)]
pub struct UniqueLinks {
    target: Target,
    filter: LinkFilter,
    links: SortedLines,
}

impl UniqueLinks {
    /// Writes the links that `filter` prints to the target.
    pub fn new(target: Target, filter: LinkFilter) -> Self {
        Self {
            target,
            filter,
            links: SortedLines::new(BUDGET),
        }
    }
}

impl Sink for UniqueLinks {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        printed_links(&report.links, self.filter)
            .try_for_each(|(link, _)| self.links.insert(link.as_bytes()))
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        let mut lines = self.links.finish()?;
        while let Some(line) = lines.next_line()? {
            self.target
                .line_text(&String::from_utf8_lossy(line))
                .text("\n");
            self.target.write_if_full()?;
        }
        self.target.flush()
    }
}
