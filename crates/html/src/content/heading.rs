//! Keeps the headings of kept text, so that text does not end up under the wrong heading.

use super::outline::Outline;
use super::profile::is_frame;
use super::role::Role;

/// The heading level of a block: 1 to 4.
fn level(outline: &Outline, index: usize) -> Option<u8> {
    match outline.at(outline.blocks[index].owner).role {
        Role::Heading1 => Some(1),
        Role::Heading2 => Some(2),
        Role::Heading3 => Some(3),
        Role::Heading4 => Some(4),
        _ => None,
    }
}

/// Keeps a heading right above a kept block, unless it is one of several first-level headings.
pub(crate) fn keep_headings(outline: &Outline, kept: &mut [bool]) {
    let titles = (0..kept.len()).filter(|index| level(outline, *index) == Some(1));
    let highest = if titles.count() > 1 { 2 } else { 1 };
    // The level of the kept block below, 5 if it is not a heading, 0 if it was not kept.
    let mut below = 0;
    for index in (0..kept.len()).rev() {
        let level = level(outline, index);
        if let Some(level) = level
            && (highest..below).contains(&level)
            && !is_frame(outline.blocks[index].context)
            && is_above(outline, index)
        {
            kept[index] = true;
        }
        below = if kept[index] { level.unwrap_or(5) } else { 0 };
    }
}

/// Whether the next block is in the same part of the page, at most four levels up.
fn is_above(outline: &Outline, index: usize) -> bool {
    let near = outline.above(outline.blocks[index].owner, 3);
    let next = outline.blocks.get(index + 1);
    next.is_some_and(|next| next.first < outline.at(near).end)
}
