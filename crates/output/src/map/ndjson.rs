//! A map as ndjson: one object per line.

use crawler_model::SinkError;

use super::entry::Entry;
use super::writer::{MapWriter, write_object};
use crate::Target;

#[derive(Debug)]
pub(super) struct NdjsonWriter(pub(super) Target);

impl MapWriter for NdjsonWriter {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        write_object(&mut self.0, entry);
        self.0.text("\n");
        self.0.write_if_full()
    }

    fn close(&mut self) -> Result<(), SinkError> {
        self.0.flush()
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.0.flush()
    }
}
