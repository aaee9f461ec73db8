//! A walk over a subtree that reports leaving an element as well as entering it.
//!
//! It allows writing nested output (Markdown, HTML) without recursion, so that the depth of a page never
//! affects the stack of the thread.

use super::{NodeId, Tree};

/// A step of a [`TreeWalk`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkEvent {
    /// A node is entered, before its descendants.
    Enter(NodeId),
    /// A node is left, after its descendants. Text is left immediately.
    Leave(NodeId),
}

/// A walk over one subtree, including its root. See [`Tree::walk`].
#[derive(Debug, Clone)]
pub struct TreeWalk<'t> {
    tree: &'t Tree,
    root: NodeId,
    next: Option<WalkEvent>,
}

impl<'t> TreeWalk<'t> {
    pub(super) fn new(tree: &'t Tree, root: NodeId) -> Self {
        let next = Some(WalkEvent::Enter(root));
        Self { tree, root, next }
    }
}

impl Iterator for TreeWalk<'_> {
    type Item = WalkEvent;

    fn next(&mut self) -> Option<WalkEvent> {
        let event = self.next?;
        self.next = match event {
            WalkEvent::Enter(id) => Some(match self.tree.first_child(id) {
                Some(child) => WalkEvent::Enter(child),
                None => WalkEvent::Leave(id),
            }),
            WalkEvent::Leave(id) if id == self.root => None,
            WalkEvent::Leave(id) => match self.tree.next_sibling(id) {
                Some(sibling) => Some(WalkEvent::Enter(sibling)),
                None => self.tree.parent(id).map(WalkEvent::Leave),
            },
        };
        Some(event)
    }
}
