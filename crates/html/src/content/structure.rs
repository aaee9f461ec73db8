//! Structure of the whole page: repeated shapes, the trunk that holds most of the text, the container that
//! reads most like an article, repeated texts.

use std::collections::HashMap;

use super::outline::Outline;
use super::role::Role;

/// Totals over blocks or elements of the same shape.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Family {
    pub count: u32,
    pub words: u32,
    pub link_words: u32,
    pub stops: u32,
    pub images: u32,
    pub prices: u32,
    pub headings: u32,
    pub first: u32,
    pub last: u32,
}

/// The structure of a page.
#[derive(Debug)]
pub(crate) struct PageStructure {
    /// Families of blocks with the same path of shapes, and the family of each block.
    pub families: Vec<Family>,
    pub family_of: Vec<u32>,
    /// Families of siblings with the same shape; those of three or more are rows of a list or grid.
    pub rows: Vec<Family>,
    /// Per node: the nearest row around it (an index into `rows`) and the element in that row, and the same
    /// for the surrounding row with the most words.
    pub nearest_row: Vec<(u32, u32)>,
    pub largest_row: Vec<(u32, u32)>,
    /// The deepest element that holds most of the page's words, and of its prose.
    pub word_trunk: u32,
    pub prose_trunk: u32,
    /// The element whose own paragraphs hold the most prose.
    pub best_container: u32,
    /// Per block: how often its text occurs on the page, and how often before it.
    pub copies: Vec<(u16, u16)>,
    /// Words before each block, and in total.
    pub before: Vec<u32>,
    pub words: u32,
    /// The words of the row with the most words.
    pub row_words: u32,
    /// The first and last longer block of prose.
    pub first_prose: u32,
    pub last_prose: u32,
}

/// No row.
pub(crate) const NO_ROW: u32 = u32::MAX;

impl PageStructure {
    pub(crate) fn of(outline: &Outline) -> Self {
        let (families, family_of) = families(outline);
        let (rows, nearest_row, largest_row) = rows(outline);
        let (copies, before, words) = copies(outline);
        let long = |block: &super::outline::Block| block.is_prose() && block.measure.words >= 20;
        let as_index = |found: Option<usize>| found.map_or(u32::MAX, as_u32);
        let row_words = rows.iter().filter(|row| row.count >= 3);
        let row_words = row_words.map(|row| row.words).max().unwrap_or(0);
        Self {
            families,
            family_of,
            row_words,
            rows,
            nearest_row,
            largest_row,
            word_trunk: trunk(outline, |node| outline.at(node).totals.words),
            prose_trunk: trunk(outline, |node| outline.at(node).totals.prose),
            best_container: best_container(outline),
            copies,
            before,
            words,
            first_prose: as_index(outline.blocks.iter().position(long)),
            last_prose: as_index(outline.blocks.iter().rposition(long)),
        }
    }
}

fn as_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn families(outline: &Outline) -> (Vec<Family>, Vec<u32>) {
    let mut numbers: HashMap<u32, u32> = HashMap::with_capacity(outline.blocks.len());
    let mut families: Vec<Family> = Vec::new();
    let mut family_of = Vec::with_capacity(outline.blocks.len());
    for (index, block) in outline.blocks.iter().enumerate() {
        let path = outline.at(block.owner).path;
        let number = *numbers.entry(path).or_insert_with(|| {
            families.push(Family {
                first: as_u32(index),
                ..Family::default()
            });
            as_u32(families.len() - 1)
        });
        let family = &mut families[number as usize];
        family.count += 1;
        family.words += block.measure.words;
        family.link_words += block.link_words;
        family.stops += block.measure.stops;
        family.last = as_u32(index);
        family_of.push(number);
    }
    (families, family_of)
}

type Rows = (Vec<Family>, Vec<(u32, u32)>, Vec<(u32, u32)>);

fn rows(outline: &Outline) -> Rows {
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let mut families: Vec<Family> = Vec::new();
    let mut row_of = vec![NO_ROW; outline.nodes.len()];
    for (node, facts) in outline.nodes.iter().enumerate().skip(1) {
        let block = facts.role.is_block() && facts.role != Role::Table;
        let row = block || outline.at(facts.parent).role == Role::Table;
        if !row || facts.totals.words == 0 {
            continue;
        }
        let number = *numbers
            .entry((facts.parent, facts.shape))
            .or_insert_with(|| {
                families.push(Family {
                    first: as_u32(node),
                    ..Family::default()
                });
                as_u32(families.len() - 1)
            });
        let family = &mut families[number as usize];
        family.count += 1;
        family.words += facts.totals.words;
        family.link_words += facts.totals.link_words;
        family.stops += facts.totals.stops;
        family.images += facts.totals.images;
        family.prices += facts.totals.prices;
        family.headings += facts.totals.headings;
        family.last = as_u32(node);
        row_of[node] = number;
    }
    let mut nearest = vec![(NO_ROW, 0); outline.nodes.len()];
    let mut largest = vec![(NO_ROW, 0); outline.nodes.len()];
    for node in 1..outline.nodes.len() {
        let parent = outline.nodes[node].parent as usize;
        let (mut near, mut large) = (nearest[parent], largest[parent]);
        let row = row_of[node];
        if row != NO_ROW && families[row as usize].count >= 3 {
            near = (row, as_u32(node));
            let more = large.0 == NO_ROW
                || families[row as usize].words * 4 > families[large.0 as usize].words * 3;
            if more {
                large = near;
            }
        }
        nearest[node] = near;
        largest[node] = large;
    }
    (families, nearest, largest)
}

/// Descends from the body as long as one child has at least three quarters of its parent's amount.
fn trunk(outline: &Outline, amount: impl Fn(u32) -> u32) -> u32 {
    let mut trunk = outline.body;
    let total = amount(trunk);
    if total == 0 {
        return trunk;
    }
    // Ids are in document order, so the next element down the trunk comes later.
    for node in outline.body + 1..as_u32(outline.nodes.len()) {
        if outline.at(node).parent == trunk
            && outline.at(node).role.is_block()
            && u64::from(amount(node)) * 4 >= u64::from(amount(trunk)) * 3
            && u64::from(amount(node)) * 2 >= u64::from(total)
        {
            trunk = node;
        }
    }
    trunk
}

/// The element whose own paragraphs, and to a lesser degree its children's, hold the most prose.
fn best_container(outline: &Outline) -> u32 {
    let mut scores = vec![0u32; outline.nodes.len()];
    for block in &outline.blocks {
        if !block.is_prose() || super::profile::is_frame(block.context) {
            continue;
        }
        let words = block.measure.words;
        let parent = outline.at(block.owner).parent;
        let above = outline.at(parent).parent;
        scores[block.owner as usize] += words;
        scores[parent as usize] += words * 2;
        scores[above as usize] += words;
    }
    let best = scores.iter().enumerate().max_by_key(|(_, score)| **score);
    match best {
        Some((node, score)) if *score > 0 => as_u32(node),
        _ => outline.body,
    }
}

fn copies(outline: &Outline) -> (Vec<(u16, u16)>, Vec<u32>, u32) {
    let mut seen: HashMap<u32, u16> = HashMap::with_capacity(outline.blocks.len());
    let mut copies = Vec::with_capacity(outline.blocks.len());
    let mut before = Vec::with_capacity(outline.blocks.len());
    let mut words = 0u32;
    for block in &outline.blocks {
        let count = seen.entry(block.measure.hash).or_default();
        copies.push((0, *count));
        *count = count.saturating_add(1);
        before.push(words);
        words += block.measure.words;
    }
    for (copy, block) in copies.iter_mut().zip(&outline.blocks) {
        copy.0 = seen.get(&block.measure.hash).copied().unwrap_or(1);
    }
    (copies, before, words)
}
