//! A page as a flat tree, parsed once and read by metadata, main content and the writers.
//!
//! The tree is what a browser with scripting disabled would build: html5ever tokenizes and repairs, and writes
//! into our own arena ([`draft`]), which is then laid out in document order ([`flatten`]). A subtree is
//! therefore a range of numbers, a pass over the page is a loop, nothing recurses, and a reader can store
//! per-node data in a plain `Vec` beside the tree.
//!
//! Invariants: time is linear in the page whatever it contains ([`guard`] and [`feed`] ensure that;
//! [`Tree::is_truncated`] reports when they had to intervene), the tree is never changed after it is built, and
//! two text nodes are never adjacent.
//!
//! Not kept: comments, the doctype, and the content of `template`, which a browser does not show.

mod draft;
mod dropped_elements;
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
pub use walk::{TreeWalk, WalkEvent};

use flatten::{FlatAttribute, FlatNode};
use names::ElementKind;

/// Marks the absence of a node, or of an element kind.
const NONE: u32 = u32::MAX;

/// Number of a node. Numbers are in document order: the subtree of a node is the range from its own number to
/// [`Tree::end`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The number as an index below [`Tree::len`], for tables kept beside the tree.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The content of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node<'t> {
    /// The root.
    Document,
    /// An element.
    Element(Tag),
    /// Text, never empty.
    Text(&'t str),
}

/// A parsed page: a flat, read-only arena in document order.
pub struct Tree {
    nodes: Vec<FlatNode>,
    kinds: Vec<ElementKind>,
    attributes: Vec<FlatAttribute>,
    attribute_names: Vec<Box<str>>,
    text: String,
    truncated: bool,
}

impl Tree {
    /// Parses a page that is already decoded.
    pub fn parse(text: &str) -> Self {
        feed::parse(text)
    }

    /// Decides the page's encoding with [`charset`], decodes the page and parses it.
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

    /// Number of nodes, including the document.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: even an empty page has its document, `html`, `head` and `body`.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether a limit for extreme pages (depth, attributes, formatting, number of nodes) caused something to
    /// be dropped.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// The content of a node.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        match (self.tag(id), self.text(id)) {
            (Some(tag), _) => Node::Element(tag),
            (None, Some(text)) => Node::Text(text),
            (None, None) => Node::Document,
        }
    }

    /// The tag of an element; `None` for text and the document. Of the elements in SVG and MathML, only the
    /// roots and links have their own tag; all others are [`Tag::Other`].
    pub fn tag(&self, id: NodeId) -> Option<Tag> {
        let node = self.flat(id);
        (node.kind != NONE).then_some(node.tag)
    }

    /// The local name of an element, in lower case except for a few SVG names; empty for text and the
    /// document.
    pub fn name(&self, id: NodeId) -> &str {
        self.kind(id).map_or("", |kind| &kind.name)
    }

    /// Whether the node is HTML: neither an SVG or MathML element nor the text of one.
    pub fn is_html(&self, id: NodeId) -> bool {
        let element = match self.flat(id) {
            node if node.is_text() => self.kind(NodeId(node.parent)),
            _ => self.kind(id),
        };
        element.is_none_or(|kind| kind.html)
    }

    /// The text of a text node.
    pub fn text(&self, id: NodeId) -> Option<&str> {
        let node = self.flat(id);
        node.is_text().then(|| self.slice(node.start, node.length))
    }

    /// The value of an attribute. Names are in lower case except for a few SVG names; namespaced names are
    /// written with their prefix (`xlink:href`).
    pub fn attr(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attrs(id)
            .find(|(attribute, _)| *attribute == name)
            .map(|(_, value)| value)
    }

    /// The attributes of an element with their values, as written.
    pub fn attrs(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.flat_attributes(id).iter().map(|attribute| {
            let name = &*self.attribute_names[attribute.name as usize];
            (name, self.slice(attribute.start, attribute.length))
        })
    }

    /// The parent of a node; `None` for the document.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        existing_node(self.flat(id).parent)
    }

    /// The first child of a node.
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        (id.0 + 1 < self.flat(id).end).then_some(NodeId(id.0 + 1))
    }

    /// The next sibling of a node.
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        let node = self.flat(id);
        let parent = self.nodes.get(node.parent as usize)?;
        (node.end < parent.end).then_some(NodeId(node.end))
    }

    /// The previous sibling of a node.
    pub fn prev_sibling(&self, id: NodeId) -> Option<NodeId> {
        existing_node(self.flat(id).previous)
    }

    /// The children of a node, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(id), |child| self.next_sibling(*child))
    }

    /// One past the last descendant of a node.
    pub fn end(&self, id: NodeId) -> NodeId {
        NodeId(self.flat(id).end)
    }

    /// A node and all its descendants, in document order.
    pub fn subtree(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0..self.flat(id).end).map(NodeId)
    }

    /// A node and all its descendants, each entered and left.
    pub fn walk(&self, id: NodeId) -> TreeWalk<'_> {
        TreeWalk::new(self, id)
    }

    /// The ancestors of a node, from its parent up to the document.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(id), |ancestor| self.parent(*ancestor))
    }

    /// The number of ancestors: 0 for the document.
    pub fn depth(&self, id: NodeId) -> u32 {
        u32::from(self.flat(id).depth)
    }

    /// Every element with this tag, in document order.
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
            .field("truncated", &self.truncated)
            .finish_non_exhaustive()
    }
}

fn existing_node(number: u32) -> Option<NodeId> {
    (number != NONE).then_some(NodeId(number))
}
