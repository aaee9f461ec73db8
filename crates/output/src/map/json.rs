//! A map as JSON: one array.

use crawler_model::SinkError;

use super::entry::Entry;
use super::writer::{MapWriter, write_object};
use crate::Target;

#[derive(Debug)]
pub(super) struct JsonWriter {
    target: Target,
    any: bool,
}

impl JsonWriter {
    pub(super) fn new(mut target: Target) -> Self {
        target.text("[\n");
        Self { target, any: false }
    }
}

impl MapWriter for JsonWriter {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        if self.any {
            self.target.text(",\n");
        }
        self.any = true;
        write_object(&mut self.target, entry);
        self.target.write_if_full()
    }

    fn close(&mut self) -> Result<(), SinkError> {
        self.target.text(if self.any { "\n]\n" } else { "]\n" });
        self.target.flush()
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.target.flush()
    }
}
