//! The tree sink of html5ever: applies the builder's operations to the draft.
//!
//! Two facts that the builder does not expose are inferred from its calls. To find the namespace of the
//! current node it first requests that node's name from the sink, which reveals the node. And every search in its
//! lists calls the sink once per step, so the steps can be counted. [`super::guard`] uses both.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, local_name, ns};

use super::NONE;
use super::draft::Draft;
use super::names::number;
use super::stash::AttributeStash;

/// The handle of nodes that the tree does not keep: comments.
const DISCARDED: u32 = NONE;

/// An element as the builder holds it: its number, with the name that the builder requests repeatedly.
#[derive(Debug, Clone)]
pub(super) struct Handle {
    id: u32,
    name: Rc<QualName>,
}

/// The builder's position in the tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BuilderPosition {
    /// Number of elements around the innermost open one. Nearly all of them are open too, and nearly all
    /// open elements are among them; an element moved out of a table, for example, is not inside the table.
    pub(super) depth: u32,
    /// Number of open formatting elements, counted from the nearest table cell or similar boundary.
    pub(super) formatting: u32,
    /// Whether the innermost element is SVG or MathML.
    pub(super) foreign: bool,
}

/// Receives the builder's operations.
#[derive(Debug)]
pub(super) struct DraftSink {
    draft: RefCell<Draft>,
    stash: RefCell<AttributeStash>,
    nameless: Rc<QualName>,
    last_named: Cell<u32>,
    steps: Cell<u64>,
    created: Cell<u32>,
    truncated: Cell<bool>,
    /// Names of the formatting elements created recently.
    formatting: RefCell<Vec<LocalName>>,
    /// Scratch buffer for a path up the tree.
    path: RefCell<Vec<u32>>,
}

impl DraftSink {
    pub(super) fn new(size: usize) -> Self {
        Self {
            draft: RefCell::new(Draft::new(size)),
            stash: RefCell::default(),
            nameless: Rc::new(QualName::new(None, ns!(), local_name!(""))),
            last_named: Cell::new(0),
            steps: Cell::new(0),
            created: Cell::new(0),
            truncated: Cell::new(false),
            formatting: RefCell::default(),
            path: RefCell::default(),
        }
    }

    /// The finished draft, and whether an attribute was dropped.
    pub(super) fn into_draft(self) -> (Draft, bool) {
        (self.draft.into_inner(), self.truncated.get())
    }

    /// The node whose name the builder requested last.
    pub(super) fn last_named(&self) -> &Cell<u32> {
        &self.last_named
    }

    /// Number of steps the builder's searches have taken.
    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Number of elements created.
    pub(super) fn created(&self) -> u32 {
        self.created.get()
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.draft.borrow().nodes.len()
    }

    /// Stashes the attributes of a formatting element; see [`AttributeStash`].
    pub(super) fn stash(&self, attributes: &mut Vec<Attribute>, apart: bool) {
        let mut draft = self.draft.borrow_mut();
        self.stash.borrow_mut().put(&mut draft, attributes, apart);
    }

    /// The position of a node. Nodes cache it until something is moved.
    pub(super) fn position(&self, id: u32) -> BuilderPosition {
        let mut draft = self.draft.borrow_mut();
        let mut path = self.path.borrow_mut();
        path.clear();
        let mut at = id;
        while let Some(node) = draft.nodes.get(at as usize)
            && node.nesting_version != draft.moves
        {
            path.push(at);
            at = node.parent;
        }
        let mut above = draft
            .nodes
            .get(at as usize)
            .map_or((0, 0), |node| node.nesting);
        self.count_steps(number(path.len()));
        while let Some(at) = path.pop() {
            let tag = draft.html_tag(at);
            let moves = draft.moves;
            let node = &mut draft.nodes[at as usize];
            let formatting = match tag {
                tag if tag.is_formatting_boundary() => 0,
                tag => above.1 + u16::from(tag.is_formatting()),
            };
            above = (above.0.saturating_add(1), formatting);
            node.nesting = above;
            node.nesting_version = moves;
        }
        BuilderPosition {
            depth: u32::from(above.0),
            formatting: u32::from(above.1),
            foreign: false,
        }
    }

    /// Whether the element has that name.
    pub(super) fn is_named(&self, id: u32, name: &LocalName) -> bool {
        self.draft.borrow().name(id) == &**name
    }

    /// Takes the names of the formatting elements created since the last call, in order.
    pub(super) fn take_formatting(&self) -> Vec<LocalName> {
        self.formatting.take()
    }

    /// Clears the list of created formatting elements.
    pub(super) fn forget_formatting(&self) {
        self.formatting.borrow_mut().clear();
    }

    fn count_steps(&self, steps: u32) {
        self.steps.set(self.steps.get() + u64::from(steps));
    }

    fn discarded(&self) -> Handle {
        Handle {
            id: DISCARDED,
            name: Rc::clone(&self.nameless),
        }
    }
}

impl TreeSink for DraftSink {
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
        self.count_steps(1);
        self.last_named.set(target.id);
        target.name.expanded()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        self.count_steps(1);
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
            None => draft.store_attributes(&attributes),
        };
        let integration_point = flags.mathml_annotation_xml_integration_point;
        let (id, name) = draft.element(name, range, integration_point);
        if draft.html_tag(id).is_formatting() {
            self.formatting.borrow_mut().push(name.local.clone());
        }
        Handle { id, name }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.discarded()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.discarded()
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let mut draft = self.draft.borrow_mut();
        match child {
            NodeOrText::AppendText(text) => draft.append_text(parent.id, &text),
            NodeOrText::AppendNode(node) if node.id == DISCARDED => {}
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
            NodeOrText::AppendNode(node) if node.id == DISCARDED => {}
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
            self.truncated.set(true);
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
