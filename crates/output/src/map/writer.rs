//! The interface of the map formats.

use std::fmt;

use crawler_model::SinkError;

use super::entry::Entry;
use super::sitemap;
use crate::Target;
use crate::page_object::write_rendering;

/// A map format. Called as: `open` once, `entry` for each URL in order, `close` once.
pub(super) trait MapWriter: Send + fmt::Debug {
    fn open(&mut self, _totals: Totals, _origin: &str) -> Result<(), SinkError> {
        Ok(())
    }
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError>;
    fn close(&mut self) -> Result<(), SinkError>;
    fn flush(&mut self) -> Result<(), SinkError>;
}

/// Size of the sitemap, which must be known before the first URL is written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Totals {
    pub(super) urls: u64,
    pub(super) bytes: u64,
}

impl Totals {
    pub(super) fn count(&mut self, entry: &Entry<'_>) {
        if sitemap::holds(entry) {
            self.urls += 1;
            self.bytes += sitemap::length(entry.url);
        }
    }
}

/// Writes an entry as the JSON object used by `json` and `ndjson`.
pub(super) fn write_object(target: &mut Target, entry: &Entry<'_>) {
    target
        .text("{\"url\":")
        .json(entry.url)
        .text(",\"status\":");
    match entry.status {
        Some(status) => target.number(status),
        None => target.text("null"),
    };
    target.text(",\"depth\":");
    match entry.depth {
        Some(depth) => target.number(depth),
        None => target.text("null"),
    };
    target.text(",\"found\":").json(entry.found.as_str());
    write_rendering(target, entry.rendering);
    target.text("}");
}
