//! What the words of short texts, and of the headings above longer ones, say for or against.

use super::concept::{word_hash, words_of};
use super::context::Context;
use super::outline::Outline;
use super::page::{Page, block_words};
use super::role::Role;
use super::vocabulary::{Use, Vocabulary, Voice, each_key, key};
use crate::tree::Tree;

/// Texts longer than this are not listened to word by word.
const SHORT: u32 = 40;

/// Headings longer than this are texts.
const HEADING: u32 = 12;

/// No heading above.
pub(crate) const NO_HEADING: u32 = u32::MAX;

/// What words say, per block.
#[derive(Debug)]
pub(crate) struct Voices {
    pub text: Vec<Voice>,
    /// The block of the last heading before, or [`NO_HEADING`].
    pub heading_of: Vec<u32>,
    /// What the heading above says.
    pub heading: Vec<Voice>,
    /// Per node: what all the short texts inside say, as a sum and a count of words.
    pub inside: Vec<(i32, i32)>,
    /// Per block: how much of it the page also says of itself to machines.
    pub echo: Vec<i16>,
    /// Per block: whether it is a name the page gives to machines.
    pub named: Vec<bool>,
    /// The block most like what the page says of itself, or [`NO_HEADING`].
    pub described: u32,
    /// Per block: headings before it.
    pub headings: Vec<u32>,
    /// Per block: likeness to the page's title.
    pub title: Vec<(i16, i16)>,
}

/// Whether a block names what follows it.
pub(crate) fn is_heading(outline: &Outline, place: usize) -> bool {
    let block = &outline.blocks[place];
    let named =
        block.context.has(Context::HEADING) || outline.at(block.owner).role == Role::Summary;
    named && block.measure.words <= HEADING
}

impl Voices {
    pub(crate) fn of(tree: &Tree, outline: &Outline, page: &Page, vocabulary: &Vocabulary) -> Self {
        let count = outline.blocks.len();
        let mut voices = Self {
            text: Vec::with_capacity(count),
            heading_of: Vec::with_capacity(count),
            heading: Vec::with_capacity(count),
            inside: vec![(0, 0); outline.nodes.len()],
            echo: Vec::with_capacity(count),
            named: Vec::with_capacity(count),
            described: NO_HEADING,
            headings: Vec::with_capacity(count),
            title: Vec::with_capacity(count),
        };
        let mut words = Vec::new();
        let mut above = (NO_HEADING, Voice::default());
        // A description shorter than a few words is no landmark.
        let mut likest = 255 * 4;
        let mut headings = 0;
        for place in 0..count {
            voices.heading_of.push(above.0);
            voices.heading.push(above.1);
            let mut voice = Voice::default();
            let block = &outline.blocks[place];
            block_words(tree, outline, place, &mut words);
            let echo = page.echo(&words);
            voices.echo.push(i16::try_from(echo).unwrap_or(-1));
            voices.named.push(page.names(&words));
            let likeness = echo * i32::try_from(words.len()).unwrap_or(0);
            if echo >= 100 && likeness > likest {
                likest = likeness;
                voices.described = u32::try_from(place).unwrap_or(NO_HEADING);
            }
            voices.headings.push(headings);
            headings += u32::from(block.context.has(Context::HEADING));
            let short = block.measure.words <= SHORT;
            voices
                .title
                .push(if short { page.likeness(&words) } else { (0, 0) });
            if short {
                each_key(&words, Use::Text, |key| voice.hear(vocabulary.weight(key)));
                if is_heading(outline, place) {
                    let mut voice = Voice::default();
                    each_key(&words, Use::Heading, |key| {
                        voice.hear(vocabulary.weight(key));
                    });
                    above = (u32::try_from(place).unwrap_or(NO_HEADING), voice);
                }
            }
            voices.text.push(voice);
            let inside = &mut voices.inside[block.owner as usize];
            inside.0 += i32::from(voice.sum);
            inside.1 += i32::from(voice.known);
        }
        for node in (1..outline.nodes.len()).rev() {
            let (sum, known) = voices.inside[node];
            let above = &mut voices.inside[outline.nodes[node].parent as usize];
            above.0 += sum;
            above.1 += known;
        }
        voices
    }
}

impl Voices {
    /// The mean of what the short texts inside a node say.
    pub(crate) fn mean_inside(&self, node: u32) -> i32 {
        let (sum, known) = self.inside[node as usize];
        if known == 0 { 0 } else { sum * 4 / known }
    }
}

/// Every use of a word on a page: its key, and the range of blocks it speaks for.
pub(crate) fn uses(tree: &Tree, outline: &Outline) -> Vec<(u32, usize, usize)> {
    let mut uses = Vec::new();
    for facts in &outline.nodes {
        if facts.totals.words == 0 || facts.context.is_silent() || facts.role == Role::Body {
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
    for place in 0..count {
        if outline.blocks[place].measure.words > SHORT {
            continue;
        }
        block_words(tree, outline, place, &mut words);
        each_key(&words, Use::Text, |key| uses.push((key, place, place + 1)));
        if is_heading(outline, place) {
            let next = (place + 1..count)
                .find(|other| is_heading(outline, *other))
                .unwrap_or(count);
            each_key(&words, Use::Heading, |key| {
                uses.push((key, place + 1, next));
            });
        }
    }
    uses
}
