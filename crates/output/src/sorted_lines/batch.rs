//! The lines held in memory: one arena of text, one range per line.
//!
//! Most links of a site repeat on every page. A small table of recent lines drops most duplicates before they take space; it
//! compares the text itself, so it may miss a duplicate but never drops a new line.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// Size of the table of recent lines.
const RECENT: usize = 1 << 16;

/// Lines in memory.
#[derive(Debug)]
pub(crate) struct Batch {
    text: Vec<u8>,
    ranges: Vec<Range<usize>>,
    /// By the low bits of a line's hash: its index in `ranges`, plus one.
    recent: Vec<usize>,
    budget: usize,
}

impl Batch {
    pub(super) fn new(budget: usize) -> Self {
        Self {
            text: Vec::new(),
            ranges: Vec::new(),
            recent: Vec::new(),
            budget,
        }
    }

    pub(super) fn push(&mut self, line: &[u8]) {
        if self.recent.is_empty() {
            self.recent.resize(RECENT, 0);
        }
        #[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
        let slot = xxh3_64(line) as usize % RECENT;
        let known = self.recent[slot].checked_sub(1);
        if known.and_then(|index| self.line(index)) == Some(line) {
            return;
        }
        let start = self.text.len();
        self.text.extend_from_slice(line);
        self.ranges.push(start..self.text.len());
        self.recent[slot] = self.ranges.len();
    }

    pub(super) fn is_full(&self) -> bool {
        self.memory() >= self.budget
    }

    fn memory(&self) -> usize {
        self.text.len() + self.ranges.len() * size_of::<Range<usize>>()
    }

    /// Sorts and removes duplicates. Returns whether half of the budget is free afterward; if not, the batch
    /// should be spilled.
    pub(super) fn sort_and_compact(&mut self) -> bool {
        let text = &self.text;
        self.ranges
            .sort_unstable_by(|a, b| text[a.clone()].cmp(&text[b.clone()]));
        self.ranges
            .dedup_by(|a, b| text[a.clone()] == text[b.clone()]);
        self.recent.fill(0);
        let kept: usize = self.ranges.iter().map(Range::len).sum();
        let half_free = kept + self.ranges.len() * size_of::<Range<usize>>() <= self.budget / 2;
        if half_free && kept < self.text.len() {
            let mut compact = Vec::with_capacity(kept);
            for range in &mut self.ranges {
                let start = compact.len();
                compact.extend_from_slice(&self.text[range.clone()]);
                *range = start..compact.len();
            }
            self.text = compact;
        }
        half_free
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.ranges.iter().map(|range| &self.text[range.clone()])
    }

    pub(super) fn line(&self, index: usize) -> Option<&[u8]> {
        self.ranges
            .get(index)
            .map(|range| &self.text[range.clone()])
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ranges.clear();
        self.recent.fill(0);
    }
}
