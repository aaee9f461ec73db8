//! Learned signals per block, from the words of short texts and of the headings above longer ones.

use super::concept::{word_hash, words_of};
use super::context::Context;
use super::outline::Outline;
use super::profile::{PageProfile, block_words};
use super::role::Role;
use super::vocabulary::{Use, Vocabulary, WordSignal, each_key, key};
use crate::tree::Tree;

/// Texts with more words than this are not looked up word by word.
const MAX_SHORT_TEXT: u32 = 40;

/// A heading with more words than this is treated as text.
const MAX_HEADING: u32 = 12;

/// Marks the absence of a heading above.
pub(crate) const NO_HEADING: u32 = u32::MAX;

/// Word signals per block.
#[derive(Debug)]
pub(crate) struct WordSignals {
    pub text: Vec<WordSignal>,
    /// The block of the preceding heading, or [`NO_HEADING`].
    pub heading_of: Vec<u32>,
    /// The signal of that heading.
    pub heading: Vec<WordSignal>,
    /// Per node: the sum and count of known words in all short texts inside.
    pub inside: Vec<(i32, i32)>,
    /// Per block: how much of it also occurs in the page's own descriptions.
    pub description_overlap: Vec<i16>,
    /// Per block: whether it is a name in the page's JSON-LD.
    pub named: Vec<bool>,
    /// The block most similar to the page's description, or [`NO_HEADING`].
    pub described: u32,
    /// Per block: number of headings before it.
    pub headings: Vec<u32>,
    /// Per block: similarity to the page's title.
    pub title: Vec<(i16, i16)>,
}

/// Whether a block is a heading of what follows it.
pub(crate) fn is_heading(outline: &Outline, index: usize) -> bool {
    let block = &outline.blocks[index];
    let named =
        block.context.has(Context::HEADING) || outline.at(block.owner).role == Role::Summary;
    named && block.measure.words <= MAX_HEADING
}

impl WordSignals {
    pub(crate) fn of(
        tree: &Tree,
        outline: &Outline,
        page: &PageProfile,
        vocabulary: &Vocabulary,
    ) -> Self {
        let count = outline.blocks.len();
        let mut word_signals = Self {
            text: Vec::with_capacity(count),
            heading_of: Vec::with_capacity(count),
            heading: Vec::with_capacity(count),
            inside: vec![(0, 0); outline.nodes.len()],
            description_overlap: Vec::with_capacity(count),
            named: Vec::with_capacity(count),
            described: NO_HEADING,
            headings: Vec::with_capacity(count),
            title: Vec::with_capacity(count),
        };
        let mut words = Vec::new();
        let mut above = (NO_HEADING, WordSignal::default());
        // A description of only a few words does not count.
        let mut best_similarity = 255 * 4;
        let mut headings = 0;
        for index in 0..count {
            word_signals.heading_of.push(above.0);
            word_signals.heading.push(above.1);
            let mut word_signal = WordSignal::default();
            let block = &outline.blocks[index];
            block_words(tree, outline, index, &mut words);
            let overlap = page.description_overlap(&words);
            word_signals
                .description_overlap
                .push(i16::try_from(overlap).unwrap_or(-1));
            word_signals.named.push(page.has_name(&words));
            let similarity = overlap * i32::try_from(words.len()).unwrap_or(0);
            if overlap >= 100 && similarity > best_similarity {
                best_similarity = similarity;
                word_signals.described = u32::try_from(index).unwrap_or(NO_HEADING);
            }
            word_signals.headings.push(headings);
            headings += u32::from(block.context.has(Context::HEADING));
            let short = block.measure.words <= MAX_SHORT_TEXT;
            word_signals.title.push(if short {
                page.title_overlap(&words)
            } else {
                (0, 0)
            });
            if short {
                each_key(&words, Use::Text, |key| {
                    word_signal.add(vocabulary.weight(key));
                });
                if is_heading(outline, index) {
                    let mut word_signal = WordSignal::default();
                    each_key(&words, Use::Heading, |key| {
                        word_signal.add(vocabulary.weight(key));
                    });
                    above = (u32::try_from(index).unwrap_or(NO_HEADING), word_signal);
                }
            }
            word_signals.text.push(word_signal);
            let inside = &mut word_signals.inside[block.owner as usize];
            inside.0 += i32::from(word_signal.sum);
            inside.1 += i32::from(word_signal.known);
        }
        for node in (1..outline.nodes.len()).rev() {
            let (sum, known) = word_signals.inside[node];
            let above = &mut word_signals.inside[outline.nodes[node].parent as usize];
            above.0 += sum;
            above.1 += known;
        }
        word_signals
    }
}

impl WordSignals {
    /// The mean signal of the short texts inside a node.
    pub(crate) fn mean_inside(&self, node: u32) -> i32 {
        let (sum, known) = self.inside[node as usize];
        if known == 0 { 0 } else { sum * 4 / known }
    }
}

/// Every use of a word on a page: its key, and the range of blocks it applies to.
pub(crate) fn uses(tree: &Tree, outline: &Outline) -> Vec<(u32, usize, usize)> {
    let mut uses = Vec::new();
    for facts in &outline.nodes {
        if facts.totals.words == 0 || facts.context.is_non_text() || facts.role == Role::Body {
            continue;
        }
        let node = facts.id.index();
        let start = outline
            .blocks
            .partition_point(|block| (block.first as usize) < node);
        let end = outline
            .blocks
            .partition_point(|block| block.first < facts.end);
        for name in ["class", "id"] {
            words_of(tree.attr(facts.id, name).unwrap_or_default(), |word| {
                uses.push((key(word_hash(word), Use::Class), start, end));
            });
        }
    }
    let mut words = Vec::new();
    let count = outline.blocks.len();
    for index in 0..count {
        if outline.blocks[index].measure.words > MAX_SHORT_TEXT {
            continue;
        }
        block_words(tree, outline, index, &mut words);
        each_key(&words, Use::Text, |key| uses.push((key, index, index + 1)));
        if is_heading(outline, index) {
            let next = (index + 1..count)
                .find(|other| is_heading(outline, *other))
                .unwrap_or(count);
            each_key(&words, Use::Heading, |key| {
                uses.push((key, index + 1, next));
            });
        }
    }
    uses
}
