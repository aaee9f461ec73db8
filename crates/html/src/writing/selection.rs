//! Which nodes of a page are written.

use crate::tree::{NodeId, Tree};

/// How to treat blocks that the page itself hides: inactive tabs, collapsed sections, closed dialogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HiddenBlocks {
    /// Leave them out, as a reader sees the page.
    Omit,
    /// Write them like any other block: the selection was made with them in view and excludes those not
    /// wanted.
    Include,
}

/// The part of a page to write: some subtrees, minus some subtrees inside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    roots: Vec<NodeId>,
    excluded: Vec<NodeId>,
    hidden_blocks: HiddenBlocks,
}

impl Selection {
    /// One whole subtree.
    pub fn whole(root: NodeId) -> Self {
        Self {
            roots: vec![root],
            excluded: Vec::new(),
            hidden_blocks: HiddenBlocks::Omit,
        }
    }

    /// The subtrees under `roots`, in document order, without those under `excluded`. A root inside another
    /// root is written once.
    pub fn of(mut roots: Vec<NodeId>, mut excluded: Vec<NodeId>) -> Self {
        roots.sort_unstable();
        roots.dedup();
        excluded.sort_unstable();
        excluded.dedup();
        Self {
            roots,
            excluded,
            hidden_blocks: HiddenBlocks::Omit,
        }
    }

    /// The same selection, including blocks that the page hides: for a selection made block by block.
    #[must_use]
    pub fn with_hidden(self) -> Self {
        Self {
            hidden_blocks: HiddenBlocks::Include,
            ..self
        }
    }

    /// How hidden blocks are treated.
    pub(crate) fn hidden_blocks(&self) -> HiddenBlocks {
        self.hidden_blocks
    }

    /// The selected subtrees, in document order.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// The excluded subtrees, in document order.
    pub fn excluded(&self) -> &[NodeId] {
        &self.excluded
    }

    /// Walks over every selected node.
    pub(crate) fn steps<'a>(&'a self, tree: &'a Tree) -> Steps<'a> {
        Steps::new(tree, &self.roots, &self.excluded)
    }
}

/// One step of a walk: into or out of a node. Every node entered is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

/// Position of a walk.
#[derive(Debug, Clone, Copy)]
enum Cursor {
    BetweenRoots,
    Entered(NodeId),
    Left(NodeId),
}

/// A walk in document order that can skip the children of the node just entered.
///
/// It needs no stack: the tree's own links lead back up. Because ids grow in document order, excluded nodes
/// are reached in the order they are listed, so recognizing them costs one comparison per node.
#[derive(Debug)]
pub(crate) struct Steps<'a> {
    tree: &'a Tree,
    roots: &'a [NodeId],
    excluded: &'a [NodeId],
    root: Option<NodeId>,
    walked: Option<NodeId>,
    cursor: Cursor,
    skip: bool,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(tree: &'a Tree, roots: &'a [NodeId], excluded: &'a [NodeId]) -> Self {
        Self {
            tree,
            roots,
            excluded,
            root: None,
            walked: None,
            cursor: Cursor::BetweenRoots,
            skip: false,
        }
    }

    /// Skips everything under the node just entered.
    pub(crate) fn skip_children(&mut self) {
        self.skip = true;
    }

    fn next_root(&mut self) -> Option<NodeId> {
        while let Some((&root, rest)) = self.roots.split_first() {
            self.roots = rest;
            if self.walked.is_none_or(|end| root >= end) {
                self.walked = Some(self.tree.end(root));
                self.root = Some(root);
                return Some(root);
            }
        }
        None
    }

    fn is_excluded(&mut self, id: NodeId) -> bool {
        while let Some((&first, rest)) = self.excluded.split_first() {
            if first > id {
                return false;
            }
            self.excluded = rest;
            if first == id {
                return true;
            }
        }
        false
    }
}

impl Iterator for Steps<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        loop {
            let candidate = match self.cursor {
                Cursor::BetweenRoots => self.next_root()?,
                Cursor::Entered(id) => {
                    let skip = std::mem::take(&mut self.skip);
                    let Some(child) = self.tree.first_child(id).filter(|_| !skip) else {
                        self.cursor = Cursor::Left(id);
                        return Some(Step::Leave(id));
                    };
                    child
                }
                Cursor::Left(id) if self.root == Some(id) => {
                    self.cursor = Cursor::BetweenRoots;
                    continue;
                }
                Cursor::Left(id) => {
                    let Some(sibling) = self.tree.next_sibling(id) else {
                        let parent = self.tree.parent(id)?;
                        self.cursor = Cursor::Left(parent);
                        return Some(Step::Leave(parent));
                    };
                    sibling
                }
            };
            if self.is_excluded(candidate) {
                self.cursor = Cursor::Left(candidate);
            } else {
                self.cursor = Cursor::Entered(candidate);
                return Some(Step::Enter(candidate));
            }
        }
    }
}
