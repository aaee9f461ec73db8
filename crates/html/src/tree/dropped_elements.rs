//! Tracks elements that were dropped and are still open, so that their end tags are not taken for those of
//! elements that were kept.

use std::collections::HashMap;

use html5ever::LocalName;

/// A stack of names with constant-time membership checks.
#[derive(Debug, Default)]
pub(super) struct DroppedElements {
    open: Vec<LocalName>,
    counts: HashMap<LocalName, u32>,
}

impl DroppedElements {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn push(&mut self, name: LocalName) {
        *self.counts.entry(name.clone()).or_default() += 1;
        self.open.push(name);
    }

    /// Closes the innermost element of that name and everything in it; returns false if there is none.
    pub(super) fn close(&mut self, name: &LocalName) -> bool {
        if self.counts.get(name).is_none_or(|count| *count == 0) {
            return false;
        }
        while let Some(closed) = self.open.pop() {
            if let Some(count) = self.counts.get_mut(&closed) {
                *count -= 1;
            }
            if closed == *name {
                break;
            }
        }
        true
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.counts.clear();
    }
}
