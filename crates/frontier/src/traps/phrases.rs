//! The phrases that the pages of a place have shown so far.

use std::collections::HashSet;

use crawler_model::TextSketch;

use super::page_evidence::Brought;

/// Number of phrases that makes a page new: one sentence.
const MIN_NEW: u64 = 6;
/// Limits on what is remembered; then it is forgotten, and what repeats is found again.
const MAX_REMEMBERED: usize = 8_192;
const MAX_CONTENTS: usize = 2_048;
/// A shorter text says too little: a page that a script fills may look like this.
const MIN_WORDS: u32 = 12;
/// Pages whose text is read in any case.
const FEW_PAGES: u32 = 32;

#[derive(Debug, Default)]
pub(super) struct Phrases {
    remembered: HashSet<u32>,
    contents: HashSet<u64>,
    pages: u32,
}

/// What is new in a page's text.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewText {
    pub(super) brought: Brought,
    /// Number of new phrases.
    pub(super) phrases: u64,
}

impl Phrases {
    /// Remembers a page's text and adds what is new of it to `total`.
    pub(super) fn take_in(&mut self, text: &TextSketch, total: &mut usize) -> NewText {
        if self.remembered.len() > MAX_REMEMBERED {
            self.remembered.clear();
        }
        if self.contents.len() > MAX_CONTENTS {
            self.contents.clear();
        }
        let before = self.remembered.len();
        self.remembered.extend(&text.phrases);
        let new = self.remembered.len() - before;
        *total += new;
        self.pages = self.pages.saturating_add(1);
        // A text without words of the URL has one hash.
        let (all, rest) = (text.content.all, text.content.rest);
        let is_new = !self.contents.contains(&all) && !self.contents.contains(&rest);
        self.contents.extend([all, rest]);
        *total += usize::from(is_new);
        // A long page has a sample of its phrases.
        let sampled = (text.phrases.len() as u64).max(1);
        let phrases = new as u64 * u64::from(text.distinct) / sampled;
        let brought = match (phrases >= MIN_NEW, is_new) {
            // Most of the first page is what all have in common.
            _ if self.pages == 1 => Brought::Unknown,
            (true, _) => Brought::Something,
            (false, true) => Brought::Little,
            (false, false) if text.words < MIN_WORDS => Brought::Shell,
            (false, false) => Brought::Nothing,
        };
        NewText { brought, phrases }
    }

    /// Whether only few pages were read.
    pub(super) fn is_few(&self) -> bool {
        self.pages < FEW_PAGES
    }

    pub(super) fn clear(&mut self) {
        self.remembered = HashSet::new();
        self.contents = HashSet::new();
    }
}
