//! Lays the draft out in document order.
//!
//! One pass over the links of the draft. What is not reachable from the document (contents of templates, nodes
//! moved away) is left behind. Adjacent texts become one.

use super::draft::{Draft, DraftKind};
use super::names::number;
use super::{NONE, Tag, Tree};

/// A node of the finished tree. `start` and `length` are a range of the attributes for an element, and of the
/// string for a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlatNode {
    pub(super) parent: u32,
    pub(super) previous: u32,
    /// One past the last descendant.
    pub(super) end: u32,
    /// Number of the element kind; [`NONE`] for text and the document.
    pub(super) kind: u32,
    pub(super) start: u32,
    pub(super) length: u32,
    pub(super) depth: u16,
    pub(super) tag: Tag,
}

impl FlatNode {
    /// Of the nodes without a kind, only the document has no parent.
    pub(super) fn is_text(&self) -> bool {
        self.kind == NONE && self.parent != NONE
    }
}

/// An attribute: the number of its name, and the range of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FlatAttribute {
    pub(super) name: u32,
    pub(super) start: u32,
    pub(super) length: u32,
}

/// A node whose children are being laid out.
struct OpenNode {
    /// Its number in the draft.
    draft: u32,
    /// Its number in the tree.
    id: u32,
    /// The latest child laid out.
    last: u32,
}

pub(super) fn flatten(draft: Draft, truncated: bool) -> Tree {
    let Draft {
        nodes: drafts,
        mut text,
        attributes,
        elements,
        names,
        ..
    } = draft;
    let kinds = elements.kinds;
    let mut nodes: Vec<FlatNode> = Vec::with_capacity(drafts.len());
    let mut open: Vec<OpenNode> = Vec::new();
    let mut at = 0;
    loop {
        let node = drafts[at as usize];
        let (parent, previous) = open
            .last()
            .map_or((NONE, NONE), |open| (open.id, open.last));
        let joined = node.kind == DraftKind::Text
            && nodes
                .get_mut(previous as usize)
                .is_some_and(|previous| previous.join(&mut text, node.start, node.length));
        if !joined {
            let id = number(nodes.len());
            let (kind, tag) = match node.kind {
                DraftKind::Element(kind) => (kind, kinds[kind as usize].tag),
                DraftKind::Holder | DraftKind::Text => (NONE, Tag::Other),
            };
            nodes.push(FlatNode {
                parent,
                previous,
                end: id + 1,
                kind,
                start: node.start,
                length: node.length,
                depth: u16::try_from(open.len()).unwrap_or(u16::MAX),
                tag,
            });
            if let Some(open) = open.last_mut() {
                open.last = id;
            }
            if node.first != NONE {
                open.push(OpenNode {
                    draft: at,
                    id,
                    last: NONE,
                });
                at = node.first;
                continue;
            }
        }
        // Continue with the next sibling of this node or of the nearest open one that has any.
        let mut next = node.next;
        while next == NONE {
            let Some(closed) = open.pop() else {
                return Tree {
                    nodes,
                    kinds,
                    attributes,
                    attribute_names: names.spellings,
                    text,
                    truncated,
                };
            };
            nodes[closed.id as usize].end = number(nodes.len());
            next = drafts[closed.draft as usize].next;
        }
        at = next;
    }
}

impl FlatNode {
    /// Appends a following text to this one; returns false if this is not a text.
    fn join(&mut self, text: &mut String, start: u32, length: u32) -> bool {
        if !self.is_text() {
            return false;
        }
        if self.start + self.length != start {
            // The two are not contiguous: both move to the end, where more may follow at no further cost.
            if (self.start + self.length) as usize != text.len() {
                let moved = number(text.len());
                text.extend_from_within(range(self.start, self.length));
                self.start = moved;
            }
            text.extend_from_within(range(start, length));
        }
        self.length += length;
        true
    }
}

fn range(start: u32, length: u32) -> std::ops::Range<usize> {
    start as usize..(start + length) as usize
}
