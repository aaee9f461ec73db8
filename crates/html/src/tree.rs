//! A page as a tree, parsed once and read by all: metadata, main content, the writers.
//!
//! The tree is what a browser with scripting switched off would build: html5ever tokenizes and
//! repairs, and writes into an arena of ours ([`draft`]), which is then laid out flat in document
//! order ([`flatten`]). So a subtree is a range of numbers, a pass over the page is a loop, nothing
//! recurses, and a reader may keep what it finds out in a plain `Vec` beside the tree.
//!
//! Invariants: time is linear in the page whatever the page holds ([`guard`] and [`feed`] see to
//! that; [`Tree::cut`] says when they had to), the tree is never changed after it is built, and a
//! text node never stands next to another.
//!
//! Not kept: comments, the doctype, and the content of `template`, which a browser does not show.

mod draft;
mod dropped;
mod feed;
mod flatten;
mod guard;
mod links;
mod names;
mod sink;
mod stash;
mod tag;
mod walk;

use std::fmt;

use crate::charset::{Charset, charset};

pub(crate) use links::links;
pub use tag::Tag;
pub use walk::{Event, Walk};

use flatten::{FlatAttribute, FlatNode};
use names::ElementKind;

/// No node; also the mark of one that has no element kind.
const NONE: u32 = u32::MAX;

/// A node's number. Numbers run in document order: a node's subtree is the range from its own
/// number to [`Tree::end`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The number as an index, below [`Tree::len`], for tables kept beside the tree.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node<'t> {
    /// The root.
    Document,
    /// An element.
    Element(Tag),
    /// A text, never empty.
    Text(&'t str),
}

/// One page, parsed once: a flat arena in document order, read-only.
pub struct Tree {
    nodes: Vec<FlatNode>,
    kinds: Vec<ElementKind>,
    attributes: Vec<FlatAttribute>,
    attribute_names: Vec<Box<str>>,
    text: String,
    cut: bool,
}

impl Tree {
    /// Parses a page that is decoded already.
    pub fn parse(text: &str) -> Self {
        feed::parse(text)
    }

    /// Decides the page's encoding as [`charset`] does, decodes and parses it.
    pub fn parse_bytes(
        body: &[u8],
        header_label: Option<&str>,
        tld: Option<&str>,
    ) -> (Self, Charset) {
        let charset = charset(body, header_label, tld);
        let (text, _) = charset.encoding.decode_with_bom_removal(body);
        (Self::parse(&text), charset)
    }

    /// The document node.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// How many nodes there are, the document included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: even an empty page has its document, `html`, `head` and `body`.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether a guard against absurd pages (depth, attributes, formatting, number of nodes)
    /// dropped something.
    pub fn cut(&self) -> bool {
        self.cut
    }

    /// What the node is.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        match (self.tag(id), self.text(id)) {
            (Some(tag), _) => Node::Element(tag),
            (None, Some(text)) => Node::Text(text),
            (None, None) => Node::Document,
        }
    }

    /// An element's tag; `None` for text and the document. Of the elements in svg and math only
    /// the roots and the links have one, the others are [`Tag::Other`].
    pub fn tag(&self, id: NodeId) -> Option<Tag> {
        let node = self.flat(id);
        (node.kind != NONE).then_some(node.tag)
    }

    /// An element's local name, in lower case but for a few of svg; empty for text and the
    /// document.
    pub fn name(&self, id: NodeId) -> &str {
        self.kind(id).map_or("", |kind| &kind.name)
    }

    /// Whether the node is HTML: not an element of svg or math, and not the text of one.
    pub fn is_html(&self, id: NodeId) -> bool {
        let element = match self.flat(id) {
            node if node.is_text() => self.kind(NodeId(node.parent)),
            _ => self.kind(id),
        };
        element.is_none_or(|kind| kind.html)
    }

    /// A text node's text.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        let node = self.flat(id);
        node.is_text().then(|| self.slice(node.start, node.length))
    }

    /// The value of an element's attribute. Names are in lower case but for a few of svg; those
    /// with a namespace are written with its prefix (`xlink:href`).
    pub fn attr(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attrs(id)
            .find(|(attribute, _)| *attribute == name)
            .map(|(_, value)| value)
    }

    /// An element's attributes with their values, as written.
    pub fn attrs(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.flat_attributes(id).iter().map(|attribute| {
            let name = &*self.attribute_names[attribute.name as usize];
            (name, self.slice(attribute.start, attribute.length))
        })
    }

    /// The node this one is in; `None` for the document.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        some(self.flat(id).parent)
    }

    /// The first node in this one.
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        (id.0 + 1 < self.flat(id).end).then_some(NodeId(id.0 + 1))
    }

    /// The last node in this one. Costs a look at every level below it.
    pub fn last_child(&self, id: NodeId) -> Option<NodeId> {
        self.first_child(id)?;
        let mut child = self.flat(id).end - 1;
        while self.nodes[child as usize].parent != id.0 {
            child = self.nodes[child as usize].parent;
        }
        Some(NodeId(child))
    }

    /// The next node of the same parent.
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        let node = self.flat(id);
        let parent = self.nodes.get(node.parent as usize)?;
        (node.end < parent.end).then_some(NodeId(node.end))
    }

    /// The node before this one of the same parent.
    pub fn prev_sibling(&self, id: NodeId) -> Option<NodeId> {
        some(self.flat(id).previous)
    }

    /// The nodes directly in this one, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(id), |child| self.next_sibling(*child))
    }

    /// One past the last node below this one.
    pub fn end(&self, id: NodeId) -> NodeId {
        NodeId(self.flat(id).end)
    }

    /// The node and all below it, in document order.
    pub fn subtree(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0..self.flat(id).end).map(NodeId)
    }

    /// The node and all below it, each entered and left.
    pub fn walk(&self, id: NodeId) -> Walk<'_> {
        Walk::new(self, id)
    }

    /// The nodes this one is in, from its parent up to the document.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(id), |ancestor| self.parent(*ancestor))
    }

    /// How many nodes this one is in: 0 for the document.
    pub fn depth(&self, id: NodeId) -> u32 {
        u32::from(self.flat(id).depth)
    }

    /// Every element of that tag, in document order.
    pub fn find(&self, tag: Tag) -> impl Iterator<Item = NodeId> {
        self.subtree(self.root())
            .filter(move |id| self.tag(*id) == Some(tag))
    }

    fn flat(&self, id: NodeId) -> &FlatNode {
        &self.nodes[id.index()]
    }

    fn kind(&self, id: NodeId) -> Option<&ElementKind> {
        self.kinds.get(self.flat(id).kind as usize)
    }

    fn flat_attributes(&self, id: NodeId) -> &[FlatAttribute] {
        let node = self.flat(id);
        if node.kind == NONE {
            return &[];
        }
        &self.attributes[node.start as usize..][..node.length as usize]
    }

    fn slice(&self, start: u32, length: u32) -> &str {
        &self.text[start as usize..][..length as usize]
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree")
            .field("nodes", &self.nodes.len())
            .field("text", &self.text.len())
            .field("cut", &self.cut)
            .finish_non_exhaustive()
    }
}

fn some(number: u32) -> Option<NodeId> {
    (number != NONE).then_some(NodeId(number))
}
