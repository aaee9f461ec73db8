//! The tree under construction: nodes linked by number and changed in place.
//!
//! The tree builder moves and clones nodes as it repairs a page, so nodes are numbered in order of creation.
//! All texts and attribute values go into one string; nodes hold ranges of it. Nothing is freed before the
//! end: the size of a page is bounded, and so is the unused memory.

use std::collections::HashMap;
use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};

use super::flatten::FlatAttribute;
use super::names::{AttributeNames, ElementNames, number};
use super::{NONE, Tag};

/// Maximum number of attributes an element may collect from repeated `html` and `body` tags.
const MAX_ATTRIBUTES: usize = 256;

/// The kind of a draft node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DraftKind {
    /// The document, or the content of a template: a container for other nodes.
    Holder,
    /// An element, by the number of its kind.
    Element(u32),
    Text,
}

/// A node under construction. `start` and `length` are a range of the attributes for an element, and of the
/// string for a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct DraftNode {
    pub(super) parent: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) start: u32,
    pub(super) length: u32,
    pub(super) kind: DraftKind,
    /// Number of elements and of formatting elements from the root to here, valid while `nesting_version`
    /// equals [`Draft::moves`].
    pub(super) nesting: (u16, u16),
    pub(super) nesting_version: u32,
    /// A MathML `annotation-xml` that holds HTML.
    pub(super) integration_point: bool,
}

/// The nodes of one page under construction.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) nodes: Vec<DraftNode>,
    pub(super) text: String,
    pub(super) attributes: Vec<FlatAttribute>,
    pub(super) elements: ElementNames,
    pub(super) names: AttributeNames,
    /// Number of times something was moved, starting from 1. The nesting stored in nodes is valid until the
    /// next move.
    pub(super) moves: u32,
    template_contents: HashMap<u32, u32>,
}

impl Draft {
    /// An empty document; `size` is the size of the page.
    pub(super) fn new(size: usize) -> Self {
        let mut draft = Self {
            nodes: Vec::with_capacity(size / 24 + 8),
            text: String::with_capacity(size),
            attributes: Vec::with_capacity(size / 48 + 8),
            elements: ElementNames::new(),
            names: AttributeNames::new(),
            moves: 1,
            template_contents: HashMap::new(),
        };
        draft.push(DraftKind::Holder, (0, 0));
        draft
    }

    /// Creates an element that is not yet in the tree.
    pub(super) fn element(
        &mut self,
        name: QualName,
        attributes: (u32, u32),
        integration_point: bool,
    ) -> (u32, Rc<QualName>) {
        let (name, kind) = self.elements.intern(name);
        let id = self.push(DraftKind::Element(kind), attributes);
        self.nodes[id as usize].integration_point = integration_point;
        (id, name)
    }

    /// The tag of an HTML element; [`Tag::Other`] for anything else.
    pub(super) fn html_tag(&self, id: u32) -> Tag {
        let DraftKind::Element(kind) = self.nodes[id as usize].kind else {
            return Tag::Other;
        };
        match &self.elements.kinds[kind as usize] {
            kind if kind.html => kind.tag,
            _ => Tag::Other,
        }
    }

    /// The name of an element; empty for anything else.
    pub(super) fn name(&self, id: u32) -> &str {
        match self.nodes[id as usize].kind {
            DraftKind::Element(kind) => &self.elements.kinds[kind as usize].name,
            DraftKind::Holder | DraftKind::Text => "",
        }
    }

    /// The container for a template's content: its parent is the template, but it is not a child of it, so
    /// that a walk up finds the template and a walk down does not find the content.
    pub(super) fn template_content(&mut self, template: u32) -> u32 {
        if let Some(content) = self.template_contents.get(&template) {
            return *content;
        }
        let content = self.push(DraftKind::Holder, (0, 0));
        self.nodes[content as usize].parent = template;
        self.template_contents.insert(template, content);
        content
    }

    /// Stores attributes and returns their range.
    pub(super) fn store_attributes(&mut self, attributes: &[Attribute]) -> (u32, u32) {
        let start = number(self.attributes.len());
        for attribute in attributes {
            let name = self.names.intern(&attribute.name);
            let value = number(self.text.len());
            self.text.push_str(&attribute.value);
            self.attributes.push(FlatAttribute {
                name,
                start: value,
                length: attribute.value.len32(),
            });
        }
        (start, number(attributes.len()))
    }

    /// Whether two ranges hold the same attributes in the same order.
    pub(super) fn same_attributes(&self, one: (u32, u32), other: (u32, u32)) -> bool {
        let pairs = |(start, length): (u32, u32)| {
            self.attributes[start as usize..][..length as usize]
                .iter()
                .map(|attribute| {
                    let start = attribute.start as usize;
                    let value = &self.text[start..start + attribute.length as usize];
                    (attribute.name, value)
                })
        };
        pairs(one).eq(pairs(other))
    }

    /// Discards the attributes stored last.
    pub(super) fn discard_attributes(&mut self, (start, _): (u32, u32)) {
        if let Some(first) = self.attributes.get(start as usize) {
            self.text.truncate(first.start as usize);
            self.attributes.truncate(start as usize);
        }
    }

    /// Adds the attributes that the element does not have yet. Returns false if there are too many.
    pub(super) fn add_missing(&mut self, id: u32, attributes: &[Attribute]) -> bool {
        let node = self.nodes[id as usize];
        let mut all: Vec<FlatAttribute> =
            self.attributes[node.start as usize..][..node.length as usize].to_vec();
        let had = all.len();
        for attribute in attributes {
            let name = self.names.intern(&attribute.name);
            if all.iter().any(|known| known.name == name) {
                continue;
            }
            if all.len() >= MAX_ATTRIBUTES {
                return false;
            }
            let start = number(self.text.len());
            self.text.push_str(&attribute.value);
            let length = attribute.value.len32();
            all.push(FlatAttribute {
                name,
                start,
                length,
            });
        }
        if all.len() > had {
            let node = &mut self.nodes[id as usize];
            node.start = number(self.attributes.len());
            node.length = number(all.len());
            self.attributes.extend(all);
        }
        true
    }

    /// Appends a detached node to `parent`.
    pub(super) fn append(&mut self, parent: u32, id: u32) {
        let last = self.nodes[parent as usize].last;
        let node = &mut self.nodes[id as usize];
        node.parent = parent;
        node.previous = last;
        node.next = NONE;
        self.nodes[parent as usize].last = id;
        match last {
            NONE => self.nodes[parent as usize].first = id,
            _ => self.nodes[last as usize].next = id,
        }
    }

    /// Inserts a detached node before `sibling`.
    pub(super) fn insert_before(&mut self, sibling: u32, id: u32) {
        let DraftNode {
            parent, previous, ..
        } = self.nodes[sibling as usize];
        let node = &mut self.nodes[id as usize];
        node.parent = parent;
        node.previous = previous;
        node.next = sibling;
        self.nodes[sibling as usize].previous = id;
        match previous {
            NONE => self.nodes[parent as usize].first = id,
            _ => self.nodes[previous as usize].next = id,
        }
    }

    /// Detaches a node with all its descendants from its parent.
    pub(super) fn remove(&mut self, id: u32) {
        let DraftNode {
            parent,
            previous,
            next,
            ..
        } = self.nodes[id as usize];
        if parent == NONE {
            return;
        }
        self.moves += 1;
        match previous {
            NONE => self.nodes[parent as usize].first = next,
            _ => self.nodes[previous as usize].next = next,
        }
        match next {
            NONE => self.nodes[parent as usize].last = previous,
            _ => self.nodes[next as usize].previous = previous,
        }
        let node = &mut self.nodes[id as usize];
        node.parent = NONE;
        node.previous = NONE;
        node.next = NONE;
    }

    /// Moves all children of one node to the end of another.
    pub(super) fn move_children(&mut self, from: u32, to: u32) {
        self.moves += 1;
        let mut child = self.nodes[from as usize].first;
        while child != NONE {
            let next = self.nodes[child as usize].next;
            self.append(to, child);
            child = next;
        }
        let node = &mut self.nodes[from as usize];
        node.first = NONE;
        node.last = NONE;
    }

    /// Appends text to `parent`.
    pub(super) fn append_text(&mut self, parent: u32, text: &StrTendril) {
        let last = self.nodes[parent as usize].last;
        if let Some(id) = self.write(last, text) {
            self.append(parent, id);
        }
    }

    /// Inserts text before `sibling`.
    pub(super) fn insert_text_before(&mut self, sibling: u32, text: &StrTendril) {
        let previous = self.nodes[sibling as usize].previous;
        if let Some(id) = self.write(previous, text) {
            self.insert_before(sibling, id);
        }
    }

    /// Extends the node `previous` if it is a text and was written last; otherwise creates a node. Texts that
    /// become adjacent in other ways are joined when the tree is laid out.
    fn write(&mut self, previous: u32, text: &StrTendril) -> Option<u32> {
        let start = number(self.text.len());
        self.text.push_str(text);
        if let Some(node) = self.nodes.get_mut(previous as usize)
            && node.kind == DraftKind::Text
            && node.start + node.length == start
        {
            node.length += text.len32();
            return None;
        }
        (!text.is_empty()).then(|| self.push(DraftKind::Text, (start, text.len32())))
    }

    fn push(&mut self, kind: DraftKind, (start, length): (u32, u32)) -> u32 {
        self.nodes.push(DraftNode {
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            start,
            length,
            kind,
            nesting: (0, 0),
            nesting_version: 0,
            integration_point: false,
        });
        number(self.nodes.len() - 1)
    }
}
