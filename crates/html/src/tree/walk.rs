//! A walk over a subtree that says when an element is left, not only when it is met.
//!
//! The way to write something that nests (Markdown, HTML) without recursing: the depth of a page
//! never reaches the stack of the thread.

use super::{NodeId, Tree};

/// A step of a [`Walk`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The node is met, before all below it.
    Enter(NodeId),
    /// The node is left, behind all below it. Text is left at once.
    Leave(NodeId),
}

/// The walk over one subtree, its root included. See [`Tree::walk`].
#[derive(Debug, Clone)]
pub struct Walk<'t> {
    tree: &'t Tree,
    root: NodeId,
    next: Option<Event>,
}

impl<'t> Walk<'t> {
    pub(super) fn new(tree: &'t Tree, root: NodeId) -> Self {
        let next = Some(Event::Enter(root));
        Self { tree, root, next }
    }

    /// Goes past all below the node just entered: the next event is its [`Event::Leave`].
    pub fn skip_inside(&mut self, entered: NodeId) {
        self.next = Some(Event::Leave(entered));
    }
}

impl Iterator for Walk<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let event = self.next?;
        self.next = match event {
            Event::Enter(id) => Some(match self.tree.first_child(id) {
                Some(child) => Event::Enter(child),
                None => Event::Leave(id),
            }),
            Event::Leave(id) if id == self.root => None,
            Event::Leave(id) => match self.tree.next_sibling(id) {
                Some(sibling) => Some(Event::Enter(sibling)),
                None => self.tree.parent(id).map(Event::Leave),
            },
        };
        Some(event)
    }
}
