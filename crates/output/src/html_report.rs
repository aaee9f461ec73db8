//! The `html` format: a self-contained report.
//!
//! The viewer comes first, then the pages in chunks, each a small script: the report streams, and a truncated one still opens
//! and shows what it has. Totals, charts and the graph are computed in the browser. The report loads nothing from the network,
//! and its content security policy forbids it.
//!
//! Links are counted as in the summary: all web links, whatever other formats print.
//!
//! Memory is bounded: URLs become numbers in a table of fixed size, and the edges of the graph are capped. The report shows
//! how many edges were left out.

mod chunk;
mod edge_budget;
mod ending;
mod interner;
mod page_row;
mod viewer;

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use crawler_model::{Outcome, PageReport, Sink, SinkError, Summary};

use crate::Target;
use crate::json_text::{push_in_script, push_number};
use chunk::Chunk;
use edge_budget::EdgeBudget;
use interner::Interner;

/// Header of the report.
#[derive(Clone, Debug)]
pub struct ReportHeader {
    /// The seed.
    pub seed: String,
    /// The program's version.
    pub version: &'static str,
    /// Start time of the crawl.
    pub started: SystemTime,
    /// The resolved configuration in one line.
    pub config_line: String,
}

/// Writes the viewer, then chunks of pages, then the end.
#[derive(Debug)]
pub(crate) struct HtmlSink {
    target: Target,
    urls: Interner,
    edges: EdgeBudget,
    chunk: Chunk,
    /// Link targets of the current page, to write each edge once.
    linked: HashSet<u32>,
    closed: bool,
}

impl HtmlSink {
    pub(crate) fn new(mut target: Target, about: &ReportHeader) -> Self {
        let origin =
            crawler_weburl::UrlRef::split(&about.seed).map_or("", |seed| seed.origin_text());
        viewer::push_head(target.buffer(), &about.seed);
        push_about(target.buffer(), about, origin);
        Self {
            target,
            urls: Interner::new(),
            edges: EdgeBudget::default(),
            chunk: Chunk::new(origin),
            linked: HashSet::new(),
            closed: false,
        }
    }

    /// The number of a page's URL; the text is written with its first use.
    fn page_id(&mut self, url: &str) -> u32 {
        let (id, new) = self.urls.page(url);
        if new {
            self.chunk.push_url(url);
        }
        id
    }

    fn push_row(&mut self, report: &PageReport) -> u32 {
        let id = self.page_id(report.url.as_str());
        let via = report.via.as_deref().map(|via| self.page_id(via));
        let redirect = match &report.outcome {
            Outcome::Redirected { to } => Some(self.page_id(to.as_str())),
            _ => None,
        };
        let row = page_row::PageRow {
            id,
            via,
            redirect,
            report,
        };
        self.chunk.push_row(&row);
        if report.outcome.failure().is_some() {
            self.edges.note_broken(id);
        }
        id
    }

    fn push_edges(&mut self, from: u32, report: &PageReport) -> Result<(), SinkError> {
        self.linked.clear();
        for link in report.links.iter().filter(|link| link.facts.in_scope) {
            let Some((to, new)) = self.urls.link(link.page, link.key) else {
                self.edges.leave_out();
                continue;
            };
            if new {
                self.chunk.push_url(link.page);
            }
            if self.linked.insert(to) && self.edges.try_add(to) {
                self.chunk.push_edge(from, to);
            }
            if self.chunk.is_full() {
                self.write_chunk()?;
            }
        }
        Ok(())
    }

    fn write_chunk(&mut self) -> Result<(), SinkError> {
        self.chunk.write_to(self.target.buffer());
        self.target.write_if_full()
    }
}

impl Sink for HtmlSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        let id = self.push_row(report);
        self.push_edges(id, report)?;
        if self.chunk.is_full() {
            self.write_chunk()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.write_chunk()?;
        self.target.flush()
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError> {
        if !self.closed {
            self.closed = true;
            self.write_chunk()?;
            ending::push_ending(self.target.buffer(), summary, self.edges.left_out());
        }
        self.target.flush()
    }
}

fn push_about(out: &mut Vec<u8>, about: &ReportHeader, origin: &str) {
    out.extend_from_slice(b"<script>about({\"seed\":");
    push_in_script(out, &about.seed);
    out.extend_from_slice(b",\"origin\":");
    push_in_script(out, origin);
    out.extend_from_slice(b",\"version\":");
    push_in_script(out, about.version);
    out.extend_from_slice(b",\"config\":");
    push_in_script(out, &about.config_line);
    out.extend_from_slice(b",\"started\":");
    let started = about.started.duration_since(UNIX_EPOCH).unwrap_or_default();
    push_number(out, u64::try_from(started.as_millis()).unwrap_or_default());
    out.extend_from_slice(b"})</script>\n");
}
