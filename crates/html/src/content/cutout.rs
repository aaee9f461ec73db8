//! Turns kept blocks into parts of the tree: one root around everything kept, and the parts inside it that are
//! not.
//!
//! A single root preserves the structure between the kept parts: a list stays a list, a table a table. A part
//! without text (an image, a rule) stays if the text before or after it stays.

use super::outline::{NO_BLOCK, Outline};
use super::profile::is_frame;
use super::role::Role;
use crate::tree::NodeId;

/// Returns the root around the kept blocks, and the nodes under it to exclude.
pub(crate) fn cut_out(outline: &Outline, kept: &[bool]) -> (Vec<NodeId>, Vec<NodeId>) {
    let Some(root) = common_root(outline, kept) else {
        return (Vec::new(), Vec::new());
    };
    let states = states(outline, kept);
    let texts = next_texts(outline);
    // Whether the next text after a node, within its parent, is kept.
    let before_kept = |node: usize| {
        let facts = &outline.nodes[node];
        let text = texts[facts.end as usize];
        text < end_of(outline, facts.parent) && states[text] == State::Kept
    };
    let mut excluded = Vec::new();
    let mut node = root as usize + 1;
    let end = end_of(outline, root);
    // Whether the last text seen was kept; decides for parts without text.
    let mut after_kept = true;
    while node < end {
        let facts = &outline.nodes[node];
        match states[node] {
            State::Kept if facts.block != NO_BLOCK => after_kept = true,
            State::Kept => {}
            // A picture between kept texts stays, even if its caption is dropped.
            State::Dropped
                if facts.role == Role::Figure
                    && facts.totals.images > 0
                    && after_kept
                    && before_kept(node) => {}
            State::Dropped => {
                excluded.push(node);
                after_kept = false;
                node = end_of(outline, u32::try_from(node).unwrap_or(u32::MAX));
                continue;
            }
            State::Textless => {
                let next = end_of(outline, u32::try_from(node).unwrap_or(u32::MAX));
                let shown = facts.totals.images > 0 || facts.role == Role::Image;
                if shown && !after_kept && !before_kept(node) {
                    excluded.push(node);
                }
                node = next;
                continue;
            }
        }
        node += 1;
    }
    let ids = excluded
        .into_iter()
        .map(|node: usize| outline.nodes[node].id);
    (vec![outline.at(root).id], ids.collect())
}

/// Returns the body, and the nodes under it to exclude: dropped text, and images in a page frame whose text is dropped.
pub(crate) fn cut_out_body(outline: &Outline, kept: &[bool]) -> (NodeId, Vec<NodeId>) {
    let blocks = outline.blocks.iter().zip(kept);
    let drops_frames = blocks
        .into_iter()
        .all(|(block, kept)| *kept != is_frame(block.context));
    let states = states(outline, kept);
    let mut excluded = Vec::new();
    let mut node = outline.body as usize + 1;
    while node < end_of(outline, outline.body) {
        let facts = &outline.nodes[node];
        let is_excluded = match states[node] {
            State::Kept => false,
            State::Dropped => true,
            State::Textless => drops_frames && is_frame(facts.context),
        };
        if is_excluded {
            excluded.push(facts.id);
            node = facts.end as usize;
        } else {
            node += 1;
        }
    }
    (outline.at(outline.body).id, excluded)
}

/// Whether a node holds kept text, only dropped text, or none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Textless,
    Dropped,
    Kept,
}

/// Per node: whether it holds kept text, only dropped text, or none.
fn states(outline: &Outline, kept: &[bool]) -> Vec<State> {
    let mut states = vec![State::Textless; outline.nodes.len()];
    for (node, facts) in outline.nodes.iter().enumerate().rev() {
        if facts.role != Role::Inline || facts.block == NO_BLOCK {
            // The `block` of an element has no meaning; its children have set its state.
        } else if let Some(kept) = kept.get(facts.block as usize) {
            states[node] = if *kept { State::Kept } else { State::Dropped };
        }
        let parent = facts.parent as usize;
        match states[node] {
            State::Kept => states[parent] = State::Kept,
            State::Dropped if states[parent] == State::Textless => states[parent] = State::Dropped,
            _ => {}
        }
    }
    states
}

/// Per node: the first block text at or after it.
fn next_texts(outline: &Outline) -> Vec<usize> {
    let mut texts = vec![outline.nodes.len(); outline.nodes.len() + 1];
    for (node, facts) in outline.nodes.iter().enumerate().rev() {
        let is_text = facts.role == Role::Inline && facts.block != NO_BLOCK;
        texts[node] = if is_text { node } else { texts[node + 1] };
    }
    texts
}

/// The deepest element that holds every kept block; the text itself if there is only one piece.
fn common_root(outline: &Outline, kept: &[bool]) -> Option<u32> {
    let mut root: Option<u32> = None;
    for (block, kept) in outline.blocks.iter().zip(kept) {
        if !kept {
            continue;
        }
        let mut at = block.owner;
        let mut other = root.unwrap_or(at);
        while at != other {
            if at > other {
                at = outline.at(at).parent;
            } else {
                other = outline.at(other).parent;
            }
        }
        root = Some(at);
    }
    // A list item, cell or row on its own loses its meaning: take the list or table around it.
    let mut root = root?;
    while matches!(
        outline.at(root).role,
        Role::ListItem | Role::Cell | Role::HeadCell | Role::Table | Role::Term | Role::Definition
    ) && matches!(
        outline.at(outline.at(root).parent).role,
        Role::List | Role::Table
    ) {
        root = outline.at(root).parent;
    }
    // A heading on its own is the title of something without text, such as pictures.
    if outline.at(root).role.is_heading() {
        root = outline.at(root).parent;
    }
    Some(root)
}

/// The index one past the last descendant of a node.
fn end_of(outline: &Outline, node: u32) -> usize {
    outline.nodes[node as usize].end as usize
}
