//! The features by which blocks and pages are scored.
//!
//! Every feature is a small integer: a count on a logarithmic scale, a share of 255, or a flag. Their order is
//! fixed when the model is trained; [`FeatureNames`] lists them.

use std::sync::LazyLock;

use super::concept::{self, CONCEPTS};
use super::context::REGIONS;
use super::outline::{Block, Outline, Totals};
use super::profile::{self, HINT_COUNT, PageProfile};
use super::structure::{Family, NO_ROW, PageStructure};
use super::vocabulary::WordSignal;
use super::word_signals::{NO_HEADING, WordSignals};

/// Destination of features: a row of numbers, or a list of names.
pub(crate) trait FeatureSink {
    fn put(&mut self, group: &'static str, name: &'static str, value: i32);
}

impl FeatureSink for Vec<i16> {
    fn put(&mut self, _: &'static str, _: &'static str, value: i32) {
        let bound = value.clamp(i32::from(i16::MIN), i32::from(i16::MAX));
        self.push(i16::try_from(bound).unwrap_or(0));
    }
}

/// Collects the names of the features instead of their values.
#[derive(Debug, Default)]
pub(crate) struct FeatureNames(pub Vec<String>);

impl FeatureSink for FeatureNames {
    fn put(&mut self, group: &'static str, name: &'static str, _: i32) {
        self.0.push(format!("{group}.{name}"));
    }
}

/// The analysis of a page from which the features of its blocks are computed.
#[derive(Debug)]
pub(crate) struct PageAnalysis<'p> {
    pub outline: &'p Outline,
    pub page: &'p PageProfile,
    pub structure: &'p PageStructure,
    pub word_signals: &'p WordSignals,
}

/// A count on a scale where doubling adds 32.
pub(crate) fn scale(count: u32) -> i32 {
    match SCALE.get(count as usize) {
        Some(value) => i32::from(*value),
        None => scaled(count),
    }
}

/// Precomputed scale of small counts, which are nearly all.
static SCALE: LazyLock<Vec<i16>> = LazyLock::new(|| {
    let values = (0..4096).map(scaled);
    values
        .map(|value| i16::try_from(value).unwrap_or(0))
        .collect()
});

fn scaled(count: u32) -> i32 {
    let value = (f64::from(count) + 1.0).log2() * 32.0;
    #[expect(clippy::cast_possible_truncation, reason = "at most 32 * 32")]
    let value = value as i32;
    value
}

/// `part / total` as a share of 255; -1 if `total` is zero.
pub(crate) fn share(part: u32, total: u32) -> i32 {
    if total == 0 {
        return -1;
    }
    i32::try_from(u64::from(part) * 255 / u64::from(total)).unwrap_or(i32::MAX)
}

fn number(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

impl PageAnalysis<'_> {
    /// The features of the page as a whole.
    pub(crate) fn put_page(&self, sink: &mut impl FeatureSink) {
        let (page, structure, outline) = (self.page, self.structure, self.outline);
        let body = outline.at(outline.body).totals;
        let blocks = u32::try_from(outline.blocks.len()).unwrap_or(u32::MAX);
        let mut put = |name, value| sink.put("page", name, value);
        put("words", scale(structure.words));
        put("blocks", scale(blocks));
        put("words_a_block", scale(structure.words / blocks.max(1) * 4));
        put("link_share", share(body.link_words, body.words));
        put("prose_share", share(body.prose, body.words));
        put("stops", share(body.stops * 8, body.words));
        put("images", scale(body.images));
        put("controls", scale(body.controls));
        put("articles", scale(u32::from(page.articles)));
        put("tables", scale(u32::from(page.tables)));
        put("times", scale(u32::from(page.times)));
        put("codes", scale(u32::from(page.codes)));
        put("headings", scale(u32::from(page.headings)));
        put("buttons", scale(u32::from(page.buttons)));
        put("comments", scale(u32::from(page.comments)));
        put("prices", scale(u32::from(page.prices)));
        put("address_depth", i32::from(page.address_depth));
        put("dated", i32::from(page.dated));
        put(
            "trunk_words",
            share(outline.at(structure.word_trunk).totals.words, body.words),
        );
        put(
            "best_words",
            share(
                outline.at(structure.best_container).totals.words,
                body.words,
            ),
        );
        put(
            "best_prose",
            share(
                outline.at(structure.best_container).totals.prose,
                body.prose,
            ),
        );
        let largest = structure.rows.iter().filter(|row| row.count >= 3);
        let largest = largest
            .max_by_key(|row| row.words)
            .copied()
            .unwrap_or_default();
        put("row_words", share(largest.words, body.words));
        put("row_count", scale(largest.count));
        put("row_each", scale(largest.words / largest.count.max(1)));
        put("row_links", share(largest.link_words, largest.words));
        let mut regions = [0u32; 4];
        for block in &outline.blocks {
            for (sum, region) in regions.iter_mut().zip([0, 1, 2, 9]) {
                *sum += block.measure.words * (block.context.0 >> region & 1);
            }
        }
        for (name, words) in ["main", "article", "nav", "table"].into_iter().zip(regions) {
            put(name, share(words, body.words));
        }
        for (bit, name) in profile::hint_names().enumerate().take(HINT_COUNT) {
            sink.put("hint", name, i32::from(page.hints >> bit & 1 == 1));
        }
        for concept in [
            "article", "post", "product", "grid", "message", "question", "tag",
        ] {
            let bit = concept::names()
                .position(|name| name == concept)
                .unwrap_or(0);
            sink.put("frame", concept, i32::from(page.frame.has(bit)));
        }
    }

    /// The features of one block.
    pub(crate) fn put_block(&self, index: usize, sink: &mut impl FeatureSink) {
        let block = &self.outline.blocks[index];
        self.put_text(index, block, sink);
        self.put_position(index, block, sink);
        self.put_containers(block, sink);
        self.put_families(index, block, sink);
        self.put_neighbors(index, block, sink);
        self.put_word_signals(index, block, sink);
        for (name, bit) in REGIONS.iter().take(31) {
            sink.put("in", name, i32::from(block.context.has(*bit)));
        }
        let owner = self.outline.at(block.owner);
        let near = {
            let parent = self.outline.at(owner.parent);
            owner.own.0 | parent.own.0 | self.outline.at(parent.parent).own.0
        };
        for (bit, name) in concept::names().enumerate().take(CONCEPTS) {
            let value = (near >> bit & 1) + (owner.all.0 >> bit & 1);
            sink.put("class", name, i32::try_from(value).unwrap_or(0));
        }
    }

    fn put_text(&self, index: usize, block: &Block, sink: &mut impl FeatureSink) {
        let text = &block.measure;
        let mut put = |name, value| sink.put("text", name, value);
        put("words", scale(text.words));
        put("letters", number(text.letters * 16 / text.words.max(1)));
        put("link_share", share(block.link_words, text.words));
        put("links", scale(u32::from(block.links)));
        put("glue", share(text.glue, text.words));
        put("capitals", share(text.capitals, text.words));
        put("numbers", share(text.numbers, text.words));
        put("commas", share(text.commas * 4, text.words));
        put("stops", share(text.stops * 4, text.words));
        put("bars", number(text.bars));
        put("money", number(text.money));
        put("ends", i32::from(text.ends_sentence));
        put("breaks", i32::from(block.breaks));
        let (copies, earlier) = self.structure.copies[index];
        put("copies", i32::from(copies));
        put("earlier", i32::from(earlier));
        let overlap = self.word_signals.title[index];
        put("in_title", i32::from(overlap.0));
        put("of_title", i32::from(overlap.1));
        put(
            "echo",
            i32::from(self.word_signals.description_overlap[index]),
        );
        put("named", i32::from(self.word_signals.named[index]));
    }

    fn put_position(&self, index: usize, block: &Block, sink: &mut impl FeatureSink) {
        let structure = self.structure;
        let at = u32::try_from(index).unwrap_or(u32::MAX);
        let count = u32::try_from(self.outline.blocks.len()).unwrap_or(u32::MAX);
        let owner = self.outline.at(block.owner);
        let mut put = |name, value| sink.put("place", name, value);
        put("blocks", share(at, count));
        put("words", share(structure.before[index], structure.words));
        put("words_before", scale(structure.before[index]));
        put(
            "words_after",
            scale(structure.words - structure.before[index]),
        );
        put("depth", i32::from(owner.depth));
        put("role", owner.role as i32);
        put("parent_role", self.outline.at(owner.parent).role as i32);
        let signed = |other: u32| {
            if other == u32::MAX {
                return i32::from(i16::MIN);
            }
            let (here, there) = (structure.before[index], structure.before[other as usize]);
            if at >= other {
                scale(here - there)
            } else {
                -scale(there - here)
            }
        };
        put("from_heading", signed(self.page.heading_block));
        put("from_first_prose", signed(structure.first_prose));
        put("from_last_prose", signed(structure.last_prose));
        put("headings", scale(self.word_signals.headings[index]));
        let landmark = |other: u32| {
            let landmark = self.outline.blocks.get(other as usize);
            landmark.map_or(-2, |other| self.distance(block.owner, other.owner))
        };
        put("heading_distance", landmark(self.page.heading_block));
        put("described_distance", landmark(self.word_signals.described));
        put("from_described", signed(self.word_signals.described));
        put(
            "best_distance",
            self.distance(block.owner, structure.best_container),
        );
        put(
            "word_trunk",
            self.distance(block.owner, structure.word_trunk),
        );
        put(
            "prose_trunk",
            self.distance(block.owner, structure.prose_trunk),
        );
    }

    /// How many levels above `from` the common ancestor is; -1 if it is `to` itself.
    fn distance(&self, from: u32, to: u32) -> i32 {
        let end = u32::try_from(self.outline.nodes.len()).unwrap_or(u32::MAX);
        debug_assert!(from < end && to < end, "nodes of this page");
        let (mut a, mut b) = (from, to);
        let mut levels = 0;
        while a != b && levels < 40 {
            // Ids are in document order: the larger of two is never an ancestor of the other.
            if a > b {
                a = self.outline.at(a).parent;
            } else {
                b = self.outline.at(b).parent;
                levels += 1;
            }
        }
        if levels == 0 { -1 } else { levels }
    }

    fn put_containers(&self, block: &Block, sink: &mut impl FeatureSink) {
        const GROUPS: [&str; 4] = ["up0", "up1", "up2", "up4"];
        let body = self.outline.at(self.outline.body).totals;
        for (group, levels) in GROUPS.into_iter().zip([0, 1, 2, 4]) {
            let node = self.outline.above(block.owner, levels);
            put_totals(group, &self.outline.at(node).totals, &body, sink);
        }
        // The branch of the page the block is on: its ancestor directly below the trunk.
        let trunk = self.structure.word_trunk;
        let mut branch = block.owner;
        let mut levels = 0;
        while self.outline.at(branch).parent > trunk && levels < 60 {
            branch = self.outline.at(branch).parent;
            levels += 1;
        }
        put_totals("branch", &self.outline.at(branch).totals, &body, sink);
        sink.put("branch", "levels", levels);
        sink.put("branch", "role", self.outline.at(branch).role as i32);
    }

    fn put_families(&self, index: usize, block: &Block, sink: &mut impl FeatureSink) {
        let structure = self.structure;
        let family = structure.families[structure.family_of[index] as usize];
        put_family("kin", &family, structure.words, sink);
        let at = u32::try_from(index).unwrap_or(u32::MAX);
        sink.put(
            "kin",
            "spread",
            share(family.last - family.first, block_count(self.outline)),
        );
        sink.put(
            "kin",
            "rank",
            share(at - family.first, (family.last - family.first).max(1)),
        );
        for (group, row) in [
            ("row", structure.nearest_row[block.owner as usize]),
            ("big_row", structure.largest_row[block.owner as usize]),
        ] {
            let (number, element) = row;
            let family = if number == NO_ROW {
                Family::default()
            } else {
                structure.rows[number as usize]
            };
            put_family(group, &family, structure.words, sink);
            for (name, things) in [
                ("images", family.images),
                ("prices", family.prices),
                ("headings", family.headings),
            ] {
                sink.put(group, name, scale(things * 4 / family.count.max(1)));
            }
            sink.put(
                group,
                "of_largest",
                share(family.words, structure.row_words),
            );
            let totals = if number == NO_ROW {
                Totals::default()
            } else {
                self.outline.at(element).totals
            };
            let levels = i32::from(self.outline.at(block.owner).depth);
            let levels = levels - i32::from(self.outline.at(element).depth);
            sink.put(group, "levels", if number == NO_ROW { -1 } else { levels });
            sink.put(group, "own_words", scale(totals.words));
            sink.put(
                group,
                "is_first",
                i32::from(number != NO_ROW && family.first == element),
            );
        }
    }

    fn put_word_signals(&self, index: usize, block: &Block, sink: &mut impl FeatureSink) {
        let owner = self.outline.at(block.owner);
        let near = owner
            .own_signal
            .with(self.outline.at(owner.parent).own_signal);
        put_word_signal("own_class", near, sink);
        put_word_signal("all_class", owner.word_signal, sink);
        put_word_signal("said", self.word_signals.text[index], sink);
        let heading = self.word_signals.heading_of[index];
        put_word_signal("heading", self.word_signals.heading[index], sink);
        let (since, level, near) = if heading == NO_HEADING {
            (-1, -1, -1)
        } else {
            let above = &self.outline.blocks[heading as usize];
            (
                scale(self.structure.before[index] - self.structure.before[heading as usize]),
                self.outline.at(above.owner).role as i32,
                self.distance(above.owner, block.owner),
            )
        };
        for (name, levels) in [("up0", 0), ("up1", 1), ("up2", 2), ("up4", 4)] {
            let node = self.outline.above(block.owner, levels);
            sink.put("inside", name, self.word_signals.mean_inside(node));
        }
        let (row, element) = self.structure.largest_row[block.owner as usize];
        let inside = if row == NO_ROW {
            0
        } else {
            self.word_signals.mean_inside(element)
        };
        sink.put("inside", "big_row", inside);
        sink.put("heading", "since", since);
        sink.put("heading", "level", level);
        sink.put("heading", "near", near);
    }

    fn put_neighbors(&self, index: usize, block: &Block, sink: &mut impl FeatureSink) {
        const GROUPS: [&str; 6] = ["prev1", "next1", "prev2", "next2", "prev3", "next3"];
        for (group, offset) in GROUPS.into_iter().zip([-1isize, 1, -2, 2, -3, 3]) {
            let other = index.checked_add_signed(offset);
            let other = other.and_then(|at| self.outline.blocks.get(at));
            let Some(other) = other else {
                for name in ["words", "link_share", "stops", "role", "near"] {
                    sink.put(group, name, -1);
                }
                continue;
            };
            let text = &other.measure;
            sink.put(group, "words", scale(text.words));
            sink.put(group, "link_share", share(other.link_words, text.words));
            sink.put(group, "stops", share(text.stops * 4, text.words));
            sink.put(group, "role", self.outline.at(other.owner).role as i32);
            sink.put(group, "near", self.distance(other.owner, block.owner));
        }
    }
}

fn block_count(outline: &Outline) -> u32 {
    u32::try_from(outline.blocks.len()).unwrap_or(u32::MAX)
}

fn put_totals(group: &'static str, totals: &Totals, body: &Totals, sink: &mut impl FeatureSink) {
    sink.put(group, "words", scale(totals.words));
    sink.put(group, "of_page", share(totals.words, body.words));
    sink.put(group, "link_share", share(totals.link_words, totals.words));
    sink.put(group, "each", scale(totals.words / totals.blocks.max(1)));
    sink.put(group, "stops", share(totals.stops * 8, totals.words));
    sink.put(group, "prose", share(totals.prose, totals.words));
    sink.put(group, "prose_of_page", share(totals.prose, body.prose));
    sink.put(
        group,
        "tags_a_word",
        share(totals.elements, totals.words).min(2000),
    );
    sink.put(group, "images", scale(totals.images));
    sink.put(group, "controls", scale(totals.controls));
    sink.put(group, "prices", scale(totals.prices));
    sink.put(group, "headings", scale(totals.headings));
}

fn put_word_signal(group: &'static str, word_signal: WordSignal, sink: &mut impl FeatureSink) {
    sink.put(group, "low", i32::from(word_signal.low));
    sink.put(group, "high", i32::from(word_signal.high));
    sink.put(group, "sum", i32::from(word_signal.sum));
    sink.put(group, "mean", i32::from(word_signal.mean()));
}

fn put_family(group: &'static str, family: &Family, words: u32, sink: &mut impl FeatureSink) {
    sink.put(group, "count", scale(family.count));
    sink.put(group, "each", scale(family.words / family.count.max(1)));
    sink.put(group, "of_page", share(family.words, words));
    sink.put(group, "link_share", share(family.link_words, family.words));
    sink.put(group, "stops", share(family.stops * 4, family.words));
}
