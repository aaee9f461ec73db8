//! Keeps the parts of a text that are siblings of its paragraphs: a table, a list, code, a heading, a link on a line of its
//! own.
//!
//! Each block is scored by itself, and a short one gives the model little to go by: on a page with one paragraph, the
//! table below it was dropped. But what an author put between or after the paragraphs of a text, in the same container
//! and without a class or id that says otherwise, is part of the text. Menus, teasers and footers have their own containers,
//! class names or many links.

use super::outline::Outline;
use super::profile::is_frame;
use super::role::Role;

/// Maximum number of words of a paragraph that consists of links. A longer one is a list of links.
const MAX_LINK_WORDS: u32 = 8;

/// The paragraphs of a text that are direct children of one container.
#[derive(Debug, Clone, Copy, Default)]
struct Prose {
    /// Words of kept paragraphs.
    kept: u32,
    /// Words of parts that may be added.
    added: u32,
}

/// Keeps such parts beside kept paragraphs, if they are the smaller part of their container.
pub(crate) fn keep_siblings(outline: &Outline, kept: &mut [bool]) {
    let mut containers: Vec<Prose> = vec![Prose::default(); outline.nodes.len()];
    for (block, kept) in outline.blocks.iter().zip(&*kept) {
        let owner = outline.at(block.owner);
        if *kept && owner.role == Role::Paragraph && block.is_prose() {
            containers[owner.parent as usize].kept += block.measure.words;
        }
    }
    let parts = parts(outline, &containers, kept);
    for (node, _) in &parts {
        let facts = outline.at(*node);
        containers[facts.parent as usize].added += facts.totals.words;
    }
    for (node, blocks) in parts {
        let prose = containers[outline.at(node).parent as usize];
        if prose.added * 2 <= prose.kept {
            kept[blocks].fill(true);
        }
    }
}

/// The parts beside kept paragraphs that are not completely kept, with their blocks.
fn parts(
    outline: &Outline,
    containers: &[Prose],
    kept: &[bool],
) -> Vec<(u32, std::ops::Range<usize>)> {
    // Per node: the innermost element at or around it that is a child of such a container.
    let mut children: Vec<Option<u32>> = Vec::with_capacity(outline.nodes.len());
    for (node, facts) in (0..).zip(&outline.nodes) {
        let parent = facts.parent as usize;
        let above = children.get(parent).copied().flatten();
        let is_child = containers[parent].kept > 0;
        children.push(if is_child { Some(node) } else { above });
    }
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(block) = outline.blocks.get(at) {
        let from = at;
        at += 1;
        let Some(node) = children[block.owner as usize] else {
            continue;
        };
        let end = outline.at(node).end;
        while outline
            .blocks
            .get(at)
            .is_some_and(|block| block.first < end)
        {
            at += 1;
        }
        if kept[from..at].contains(&false) && belongs_to_text(outline, node) {
            parts.push((node, from..at));
        }
    }
    parts
}

/// Whether an element is a part that belongs to the text around it, and nothing in it has a class or id that says otherwise.
fn belongs_to_text(outline: &Outline, node: u32) -> bool {
    let facts = outline.at(node);
    let totals = &facts.totals;
    let fits = match facts.role {
        Role::Paragraph => totals.link_words == totals.words && totals.words <= MAX_LINK_WORDS,
        Role::Table | Role::List | Role::Code | Role::Quote => {
            totals.link_words * 2 < totals.words && totals.controls == 0
        }
        role => role.is_heading(),
    };
    let inside = &outline.nodes[node as usize..facts.end as usize];
    fits && !is_frame(facts.context) && inside.iter().all(|facts| facts.own.0 == 0)
}
