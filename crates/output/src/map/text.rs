//! A map as text: one URL per line.

use crawler_model::SinkError;

use super::entry::Entry;
use super::writer::MapWriter;
use crate::Target;

#[derive(Debug)]
pub(super) struct TextWriter(pub(super) Target);

impl MapWriter for TextWriter {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.0.line_text(entry.url).text("\n");
        self.0.write_if_full()
    }

    fn close(&mut self) -> Result<(), SinkError> {
        self.0.flush()
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.0.flush()
    }
}
