//! The tree while it is being built: nodes linked by number, changed in place.
//!
//! The tree builder moves and clones nodes as it repairs a page, so order here is order of
//! creation. Texts and attribute values all go into one string, once; nodes hold ranges of it.
//! Nothing is freed before the end: a page is bounded, and so is what one page can leave behind.

use std::collections::HashMap;
use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};

use super::flatten::FlatAttribute;
use super::names::{AttributeNames, ElementNames, number};
use super::{NONE, Tag};

/// How many attributes an element may collect from repeated `html` and `body` tags.
const ATTRIBUTES: usize = 256;

/// What a node of the draft is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The document, or the content of a template: what other nodes are appended to.
    Holder,
    /// An element, by the number of its kind.
    Element(u32),
    Text,
}

/// A node under construction. `start` and `length` are a range of the attributes for an element,
/// and of the string for a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct DraftNode {
    pub(super) parent: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) start: u32,
    pub(super) length: u32,
    pub(super) kind: Kind,
    /// open elements and formatting elements up to here, as of `placed`; see [`Draft::moves`]
    pub(super) place: (u16, u16),
    pub(super) placed: u32,
    /// a math `annotation-xml` that holds HTML
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
    /// counts the times something was moved, from 1: what nodes remember of their place is true
    /// until the next time
    pub(super) moves: u32,
    template_contents: HashMap<u32, u32>,
}

impl Draft {
    /// An empty document; `size` is that of the page.
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
        draft.push(Kind::Holder, (0, 0));
        draft
    }

    /// A new element, not yet anywhere in the tree.
    pub(super) fn element(
        &mut self,
        name: QualName,
        attributes: (u32, u32),
        integration_point: bool,
    ) -> (u32, Rc<QualName>) {
        let (name, kind) = self.elements.intern(name);
        let id = self.push(Kind::Element(kind), attributes);
        self.nodes[id as usize].integration_point = integration_point;
        (id, name)
    }

    /// The tag of an element of HTML; [`Tag::Other`] for anything else.
    pub(super) fn html_tag(&self, id: u32) -> Tag {
        let Kind::Element(kind) = self.nodes[id as usize].kind else {
            return Tag::Other;
        };
        match &self.elements.kinds[kind as usize] {
            kind if kind.html => kind.tag,
            _ => Tag::Other,
        }
    }

    /// An element's name; empty for anything else.
    pub(super) fn name(&self, id: u32) -> &str {
        match self.nodes[id as usize].kind {
            Kind::Element(kind) => &self.elements.kinds[kind as usize].name,
            Kind::Holder | Kind::Text => "",
        }
    }

    /// Where the content of the template goes: a node below it that is no child of it, so that
    /// a walk up finds the template and a walk down does not find the content.
    pub(super) fn template_content(&mut self, template: u32) -> u32 {
        if let Some(content) = self.template_contents.get(&template) {
            return *content;
        }
        let content = self.push(Kind::Holder, (0, 0));
        self.nodes[content as usize].parent = template;
        self.template_contents.insert(template, content);
        content
    }

    /// Keeps attributes; the range they are in.
    pub(super) fn keep(&mut self, attributes: &[Attribute]) -> (u32, u32) {
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
    pub(super) fn same(&self, one: (u32, u32), other: (u32, u32)) -> bool {
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

    /// Gives back the attributes kept last.
    pub(super) fn unkeep(&mut self, (start, _): (u32, u32)) {
        if let Some(first) = self.attributes.get(start as usize) {
            self.text.truncate(first.start as usize);
            self.attributes.truncate(start as usize);
        }
    }

    /// Adds those of the attributes that the element does not have. False when they are too many.
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
            if all.len() >= ATTRIBUTES {
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

    /// Puts a node that is nowhere last into `parent`.
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

    /// Puts a node that is nowhere before `sibling`.
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

    /// Takes a node with all below it out of its parent.
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

    /// Moves all children of one node behind those of another.
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

    /// Writes text last into `parent`.
    pub(super) fn append_text(&mut self, parent: u32, text: &StrTendril) {
        let last = self.nodes[parent as usize].last;
        if let Some(id) = self.write(last, text) {
            self.append(parent, id);
        }
    }

    /// Writes text before `sibling`.
    pub(super) fn insert_text_before(&mut self, sibling: u32, text: &StrTendril) {
        let previous = self.nodes[sibling as usize].previous;
        if let Some(id) = self.write(previous, text) {
            self.insert_before(sibling, id);
        }
    }

    /// Writes text at the end of the node `previous` if that is a text and was written last; else
    /// into a new node. Texts that meet otherwise are joined when the tree is laid out.
    fn write(&mut self, previous: u32, text: &StrTendril) -> Option<u32> {
        let start = number(self.text.len());
        self.text.push_str(text);
        if let Some(node) = self.nodes.get_mut(previous as usize)
            && node.kind == Kind::Text
            && node.start + node.length == start
        {
            node.length += text.len32();
            return None;
        }
        (!text.is_empty()).then(|| self.push(Kind::Text, (start, text.len32())))
    }

    fn push(&mut self, kind: Kind, (start, length): (u32, u32)) -> u32 {
        self.nodes.push(DraftNode {
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            start,
            length,
            kind,
            place: (0, 0),
            placed: 0,
            integration_point: false,
        });
        number(self.nodes.len() - 1)
    }
}
