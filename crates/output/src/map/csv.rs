//! A map as CSV: one row per URL.

use crawler_model::SinkError;

use super::entry::Entry;
use super::writer::MapWriter;
use crate::Target;
use crate::csv::push_rendering;
use crate::csv_cell::push_cell;

#[derive(Debug)]
pub(super) struct CsvWriter {
    target: Target,
}

impl CsvWriter {
    pub(super) fn new(mut target: Target) -> Self {
        target.text("url,status,depth,found,rendered,render_reason\n");
        Self { target }
    }
}

impl MapWriter for CsvWriter {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        push_cell(self.target.buffer(), entry.url);
        self.target.text(",");
        if let Some(status) = entry.status {
            self.target.number(status);
        }
        self.target.text(",");
        if let Some(depth) = entry.depth {
            self.target.number(depth);
        }
        self.target.text(",").text(entry.found.as_str());
        push_rendering(self.target.buffer(), entry.rendering);
        self.target.text("\n");
        self.target.write_if_full()
    }

    fn close(&mut self) -> Result<(), SinkError> {
        self.target.flush()
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.target.flush()
    }
}
