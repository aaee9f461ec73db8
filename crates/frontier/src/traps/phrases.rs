//! The phrases that the pages of a place have shown so far.

use std::collections::HashSet;

use crawler_model::TextSketch;

/// Number of phrases that makes a page new: one sentence.
const MIN_NEW: u64 = 6;
/// Limit on the phrases remembered; then they are forgotten, and what repeats is found again.
const MAX_REMEMBERED: usize = 8_192;

/// Pages whose text is read in any case.
const FEW_PAGES: u32 = 32;

#[derive(Debug, Default)]
pub(super) struct Phrases {
    remembered: HashSet<u32>,
    pages: u32,
}

impl Phrases {
    /// Remembers a page's phrases and adds their number to `total`. Returns whether enough of them are new.
    pub(super) fn take_in(&mut self, text: &TextSketch, total: &mut usize) -> bool {
        if self.remembered.len() > MAX_REMEMBERED {
            self.remembered.clear();
        }
        let before = self.remembered.len();
        self.remembered.extend(&text.phrases);
        let new = self.remembered.len() - before;
        *total += new;
        self.pages = self.pages.saturating_add(1);
        // A long page has a sample of its phrases.
        let sampled = (text.phrases.len() as u64).max(1);
        new as u64 * u64::from(text.distinct) / sampled >= MIN_NEW
    }

    /// Whether only few pages were read.
    pub(super) fn is_few(&self) -> bool {
        self.pages < FEW_PAGES
    }

    pub(super) fn clear(&mut self) {
        self.remembered = HashSet::new();
    }
}
