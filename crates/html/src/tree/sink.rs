//! What html5ever's tree builder talks to: its orders, carried out on the draft.
//!
//! Two facts the builder keeps to itself are read off its questions here. Asked for the current
//! node's namespace it first asks the sink for that node's name, so the sink knows the node. And
//! every search in its lists asks once per step, so the sink can count them: [`super::guard`] acts
//! on both.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, local_name, ns};

use super::NONE;
use super::draft::Draft;
use super::names::number;
use super::stash::Stash;

/// The handle of what the tree does not keep: comments.
const NOWHERE: u32 = NONE;

/// An element as the builder holds it: its number, with the name the builder keeps asking for.
#[derive(Debug, Clone)]
pub(super) struct Handle {
    id: u32,
    name: Rc<QualName>,
}

/// Where the builder stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// how many elements the innermost open one is in. Nearly all of them are open too; and of
    /// those open it is in nearly all: of an element moved out of a table, not in the table
    pub(super) depth: u32,
    /// how many formatting elements are open, counted from the nearest cell or its like
    pub(super) formatting: u32,
    /// whether the innermost is of svg or math
    pub(super) foreign: bool,
}

/// The receiver of the builder's orders.
#[derive(Debug)]
pub(super) struct Sink {
    draft: RefCell<Draft>,
    stash: RefCell<Stash>,
    nameless: Rc<QualName>,
    named: Cell<u32>,
    steps: Cell<u64>,
    created: Cell<u32>,
    cut: Cell<bool>,
    /// names of the formatting elements created lately
    formatting: RefCell<Vec<LocalName>>,
    /// room for a way up the tree
    path: RefCell<Vec<u32>>,
}

impl Sink {
    pub(super) fn new(size: usize) -> Self {
        Self {
            draft: RefCell::new(Draft::new(size)),
            stash: RefCell::default(),
            nameless: Rc::new(QualName::new(None, ns!(), local_name!(""))),
            named: Cell::new(0),
            steps: Cell::new(0),
            created: Cell::new(0),
            cut: Cell::new(false),
            formatting: RefCell::default(),
            path: RefCell::default(),
        }
    }

    /// What was built, and whether an attribute was dropped.
    pub(super) fn into_draft(self) -> (Draft, bool) {
        (self.draft.into_inner(), self.cut.get())
    }

    /// Sets the node the builder named last, or reads it.
    pub(super) fn named(&self) -> &Cell<u32> {
        &self.named
    }

    /// How many steps the builder's searches have taken.
    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// How many elements there have been.
    pub(super) fn created(&self) -> u32 {
        self.created.get()
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.draft.borrow().nodes.len()
    }

    /// Puts a formatting element's attributes away; see [`Stash`].
    pub(super) fn stash(&self, attributes: &mut Vec<Attribute>, apart: bool) {
        let mut draft = self.draft.borrow_mut();
        self.stash.borrow_mut().put(&mut draft, attributes, apart);
    }

    /// What it is like at the node. Nodes remember, until something is moved.
    pub(super) fn place(&self, id: u32) -> Place {
        let mut draft = self.draft.borrow_mut();
        let mut path = self.path.borrow_mut();
        path.clear();
        let mut at = id;
        while let Some(node) = draft.nodes.get(at as usize)
            && node.placed != draft.moves
        {
            path.push(at);
            at = node.parent;
        }
        let mut above = draft
            .nodes
            .get(at as usize)
            .map_or((0, 0), |node| node.place);
        self.count(number(path.len()));
        while let Some(at) = path.pop() {
            let tag = draft.html_tag(at);
            let moves = draft.moves;
            let node = &mut draft.nodes[at as usize];
            let formatting = match tag {
                tag if tag.is_formatting_boundary() => 0,
                tag => above.1 + u16::from(tag.is_formatting()),
            };
            above = (above.0.saturating_add(1), formatting);
            node.place = above;
            node.placed = moves;
        }
        Place {
            depth: u32::from(above.0),
            formatting: u32::from(above.1),
            foreign: false,
        }
    }

    /// Whether that is the element's name.
    pub(super) fn is_named(&self, id: u32, name: &LocalName) -> bool {
        self.draft.borrow().name(id) == &**name
    }

    /// The formatting elements created since this was asked last, in order.
    pub(super) fn take_formatting(&self) -> Vec<LocalName> {
        self.formatting.take()
    }

    /// Starts to count them anew.
    pub(super) fn forget_formatting(&self) {
        self.formatting.borrow_mut().clear();
    }

    fn count(&self, steps: u32) {
        self.steps.set(self.steps.get() + u64::from(steps));
    }

    fn nowhere(&self) -> Handle {
        Handle {
            id: NOWHERE,
            name: Rc::clone(&self.nameless),
        }
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle {
            id: 0,
            name: Rc::clone(&self.nameless),
        }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.count(1);
        self.named.set(target.id);
        target.name.expanded()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        self.count(1);
        x.id == y.id
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        self.created.set(self.created.get() + 1);
        let mut draft = self.draft.borrow_mut();
        let range = match self.stash.borrow().get(&attributes) {
            Some(range) => range,
            None => draft.keep(&attributes),
        };
        let integration_point = flags.mathml_annotation_xml_integration_point;
        let (id, name) = draft.element(name, range, integration_point);
        if draft.html_tag(id).is_formatting() {
            self.formatting.borrow_mut().push(name.local.clone());
        }
        Handle { id, name }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.nowhere()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.nowhere()
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let mut draft = self.draft.borrow_mut();
        match child {
            NodeOrText::AppendText(text) => draft.append_text(parent.id, &text),
            NodeOrText::AppendNode(node) if node.id == NOWHERE => {}
            NodeOrText::AppendNode(node) => {
                draft.remove(node.id);
                draft.append(parent.id, node.id);
            }
        }
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let mut draft = self.draft.borrow_mut();
        match child {
            NodeOrText::AppendText(text) => draft.insert_text_before(sibling.id, &text),
            NodeOrText::AppendNode(node) if node.id == NOWHERE => {}
            NodeOrText::AppendNode(node) => {
                draft.remove(node.id);
                draft.insert_before(sibling.id, node.id);
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        prev_element: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let parent = self.draft.borrow().nodes[element.id as usize].parent;
        if parent == NONE {
            self.append(prev_element, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        Handle {
            id: self.draft.borrow_mut().template_content(target.id),
            name: Rc::clone(&self.nameless),
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        if !self.draft.borrow_mut().add_missing(target.id, &attributes) {
            self.cut.set(true);
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.draft.borrow_mut().remove(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.draft
            .borrow_mut()
            .move_children(node.id, new_parent.id);
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        self.draft.borrow().nodes[handle.id as usize].integration_point
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn allow_declarative_shadow_roots(&self, _: &Handle) -> bool {
        false
    }
}
