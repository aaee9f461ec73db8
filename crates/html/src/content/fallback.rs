//! Fallback rules for when no block was selected as main content, so that a page with text never has an empty
//! result: the container with the most prose, then `main` and `article`, then the body without its page frame,
//! then the whole body.

use super::context::Context;
use super::outline::{Block, Outline};
use super::profile::is_frame;
use super::structure::PageStructure;

/// The blocks of the first rule that yields enough text.
pub(crate) fn fall_back(outline: &Outline, structure: &PageStructure) -> Vec<bool> {
    let total = structure.words;
    let enough = |kept: &[bool]| {
        let words: u32 = words_of(outline, kept);
        words >= 20.min(total) && words * 20 >= total.min(2000)
    };
    let best = |block: &Block| {
        outline.at(outline.body).totals.prose > 0
            && !is_frame(block.context)
            && holds(outline, structure.best_container, block)
    };
    let named = |block: &Block| {
        block.context.has(Context::MAIN | Context::ARTICLE) && !is_frame(block.context)
    };
    let unframed = |block: &Block| !is_frame(block.context);
    let rules: [&dyn Fn(&Block) -> bool; 3] = [&best, &named, &unframed];
    for rule in rules {
        let kept: Vec<bool> = outline.blocks.iter().map(rule).collect();
        if enough(&kept) {
            return kept;
        }
    }
    body(outline, structure)
}

/// All blocks a reader can see; all blocks if there are none.
pub(crate) fn body(outline: &Outline, structure: &PageStructure) -> Vec<bool> {
    let unframed: Vec<bool> = outline
        .blocks
        .iter()
        .map(|block| !is_frame(block.context))
        .collect();
    if words_of(outline, &unframed) * 10 >= structure.words {
        return unframed;
    }
    let visible: Vec<bool> = outline
        .blocks
        .iter()
        .map(|block| !block.context.has(Context::HIDDEN))
        .collect();
    if words_of(outline, &visible) > 0 {
        return visible;
    }
    vec![true; outline.blocks.len()]
}

/// Whether nearly all of the kept words are hidden until a script has run.
pub(crate) fn is_mostly_hidden(outline: &Outline, kept: &[bool]) -> bool {
    let visible: Vec<bool> = outline
        .blocks
        .iter()
        .zip(kept)
        .map(|(block, kept)| *kept && !block.context.has(Context::HIDDEN))
        .collect();
    words_of(outline, &visible) * 10 < words_of(outline, kept)
}

/// The number of words in the kept blocks.
pub(crate) fn words_of(outline: &Outline, kept: &[bool]) -> u32 {
    let blocks = outline.blocks.iter().zip(kept);
    blocks
        .map(|(block, kept)| if *kept { block.measure.words } else { 0 })
        .sum()
}

fn holds(outline: &Outline, container: u32, block: &Block) -> bool {
    let mut at = block.owner;
    while at > container {
        at = outline.at(at).parent;
    }
    at == container
}
