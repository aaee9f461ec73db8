//! The `csv` format: one row per link.
//!
//! The fields of a page are repeated in each of its rows, so that a spreadsheet can filter by them. A page without links has
//! one row with an empty target.

use crawler_model::{
    LinkFilter, ListedLink, Outcome, PageReport, Rendering, Sink, SinkError, Summary,
};

use crate::Target;
use crate::csv_cell::push_cell;
use crate::json_text::push_number;
use crate::printed_links::printed_links;

const HEADER: &str = "source,target,status,depth,outcome,nofollow,download,content_type,bytes,ms,error,rendered,render_reason\n";

/// Writes one row per link.
#[derive(Debug)]
pub(crate) struct CsvSink {
    target: Target,
    filter: LinkFilter,
}

impl CsvSink {
    pub(crate) fn new(mut target: Target, filter: LinkFilter) -> Self {
        target.text(HEADER);
        Self { target, filter }
    }
}

impl Sink for CsvSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        let page = PageCells::of(report);
        let mut has_links = false;
        for (text, link) in printed_links(&report.links, self.filter) {
            has_links = true;
            page.push_row(self.target.buffer(), text, Some(link));
            self.target.write_if_full()?;
        }
        if !has_links {
            page.push_row(self.target.buffer(), "", None);
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

/// The fields that are the same in every row of a page, formatted once.
struct PageCells {
    source: Vec<u8>,
    /// `,status,depth,outcome,`
    middle: Vec<u8>,
    /// `,content_type,bytes,ms,error,rendered,render_reason`
    tail: Vec<u8>,
}

impl PageCells {
    fn of(report: &PageReport) -> Self {
        let mut source = Vec::new();
        push_cell(&mut source, report.url.as_str());
        let mut middle = vec![b','];
        if let Some(status) = report.status {
            push_number(&mut middle, status.into());
        }
        middle.push(b',');
        push_number(&mut middle, report.depth.into());
        middle.push(b',');
        push_cell(&mut middle, report.outcome.as_str());
        middle.push(b',');
        let mut tail = vec![b','];
        push_cell(&mut tail, report.content_type.as_deref().unwrap_or(""));
        tail.push(b',');
        push_number(&mut tail, report.wire_bytes);
        tail.push(b',');
        let ms = u64::try_from(report.took().as_millis()).unwrap_or(u64::MAX);
        push_number(&mut tail, ms);
        tail.push(b',');
        let error = match &report.outcome {
            Outcome::Skipped(reason) => Some(reason.to_string()),
            _ => report.error_text(),
        };
        push_cell(&mut tail, error.as_deref().unwrap_or(""));
        push_rendering(&mut tail, report.rendering);
        tail.push(b'\n');
        Self {
            source,
            middle,
            tail,
        }
    }

    fn push_row(&self, out: &mut Vec<u8>, text: &str, link: Option<ListedLink<'_>>) {
        out.extend_from_slice(&self.source);
        out.push(b',');
        push_cell(out, text);
        out.extend_from_slice(&self.middle);
        if let Some(link) = link {
            out.extend_from_slice(bool_text(link.facts.nofollow));
            out.push(b',');
            out.extend_from_slice(bool_text(link.facts.download));
        } else {
            out.push(b',');
        }
        out.extend_from_slice(&self.tail);
    }
}

/// Appends `,rendered,render_reason`, both empty if rendering was not decided. Also used by the map format.
pub(crate) fn push_rendering(out: &mut Vec<u8>, rendering: Option<Rendering>) {
    out.push(b',');
    if let Some(rendering) = rendering {
        out.extend_from_slice(bool_text(rendering.rendered));
    }
    out.push(b',');
    if let Some(rendering) = rendering {
        push_cell(out, rendering.reason.as_str());
    }
}

fn bool_text(value: bool) -> &'static [u8] {
    if value { b"true" } else { b"false" }
}
