//! Headings follow the text right below them: what is kept is not to land under another heading.

use super::outline::Outline;
use super::page::is_frame;
use super::role::Role;

/// The heading that a block is, by its depth: 1 to 4.
fn level(outline: &Outline, place: usize) -> Option<u8> {
    match outline.at(outline.blocks[place].owner).role {
        Role::Heading1 => Some(1),
        Role::Heading2 => Some(2),
        Role::Heading3 => Some(3),
        Role::Heading4 => Some(4),
        _ => None,
    }
}

/// A heading right above a chosen block is kept, unless it is one of several first-level ones.
pub(crate) fn raise(outline: &Outline, kept: &mut [bool]) {
    let titles = (0..kept.len()).filter(|place| level(outline, *place) == Some(1));
    let highest = if titles.count() > 1 { 2 } else { 1 };
    // The block below, if chosen: its depth as a heading, or 5.
    let mut below = 0;
    for place in (0..kept.len()).rev() {
        let level = level(outline, place);
        if let Some(level) = level
            && (highest..below).contains(&level)
            && !is_frame(outline.blocks[place].context)
            && is_above(outline, place)
        {
            kept[place] = true;
        }
        below = if kept[place] { level.unwrap_or(5) } else { 0 };
    }
}

/// Whether the next block is in the same part of the page, four levels up at most.
fn is_above(outline: &Outline, place: usize) -> bool {
    let near = outline.above(outline.blocks[place].owner, 3);
    let next = outline.blocks.get(place + 1);
    next.is_some_and(|next| next.first < outline.at(near).end)
}
