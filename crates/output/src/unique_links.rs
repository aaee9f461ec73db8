//! `--unique-links`: every distinct link that was found, sorted, one a line.

use model::{LinkFilter, PageReport, Sink, SinkError, Summary};

use crate::Target;
use crate::printed_links::printed_links;
use crate::sorted_lines::{BUDGET, SortedLines};

/// Gathers the printed links and writes each once, sorted bytewise, when the crawl ends.
#[derive(Debug)]
pub struct UniqueLinks {
    target: Target,
    filter: LinkFilter,
    links: SortedLines,
}

impl UniqueLinks {
    /// Links as the filter prints them, into the target.
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
            self.target.relieve()?;
        }
        self.target.flush()
    }
}
