//! Lists and their items.

use crate::tree::{NodeId, Tag, Tree};

use super::Leave;
use super::page_writer::{FlowContext, PageWriter};
use crate::markdown::blocks::ListShape;

impl PageWriter<'_> {
    pub(super) fn enter_list(&mut self, id: NodeId, tag: Tag) -> Leave {
        self.boundary();
        if self.context != FlowContext::Flow {
            let number = (tag == Tag::Ol).then(|| start(self.tree, id).unwrap_or(1));
            self.cell_lists.push(number);
            return Leave::CellList;
        }
        let holds_notes = self
            .tree
            .children(id)
            .find(|&child| self.tree.tag(child) == Some(Tag::Li))
            .is_some_and(|entry| self.survey.note_entry(entry).is_some());
        if !holds_notes && self.blocks.open_list(shape(self.tree, id, tag)) {
            Leave::Frame
        } else {
            Leave::Block
        }
    }

    pub(super) fn enter_entry(&mut self, id: NodeId) -> Leave {
        self.boundary();
        if self.context != FlowContext::Flow {
            if self.context == FlowContext::Cell {
                let marker = match self.cell_lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}.", *number - 1)
                    }
                    _ => "-".to_owned(),
                };
                self.run.push_text(&marker, self.style);
                self.run.push_space(self.style);
            }
            return Leave::Block;
        }
        if let Some(note) = self.survey.note_entry(id) {
            let opened = self.blocks.open_note(note);
            return if opened { Leave::Frame } else { Leave::Block };
        }
        let value = self
            .tree
            .attr(id, "value")
            .and_then(|value| value.trim().parse().ok());
        match self.blocks.open_entry(value) {
            Some(opened) => Leave::Entry(opened),
            None => Leave::Block,
        }
    }

    /// Enters a list of definitions. Directly in another list it is an item of that list.
    pub(super) fn enter_definitions(&mut self) -> Leave {
        self.boundary();
        if self.context == FlowContext::Flow
            && self.blocks.in_bare_list()
            && let Some(opened) = self.blocks.open_entry(None)
        {
            return Leave::Entry(opened);
        }
        Leave::Block
    }

    /// Writes a definition as a list item under its term.
    pub(super) fn enter_definition(&mut self) -> Leave {
        self.boundary();
        if self.context != FlowContext::Flow {
            return Leave::Block;
        }
        match self.blocks.open_entry(None) {
            Some(opened) => Leave::Entry(opened),
            None => Leave::Block,
        }
    }

    /// Writes a checkbox as a task if it is the first thing in a list item.
    pub(super) fn write_checkbox(&mut self, id: NodeId) {
        let is_checkbox = self
            .tree
            .attr(id, "type")
            .is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"));
        if is_checkbox
            && self.context == FlowContext::Flow
            && self.run.is_blank()
            && self.blocks.at_entry_start()
        {
            let is_checked = self.tree.attr(id, "checked").is_some();
            self.run
                .push_verbatim(if is_checked { "[x]" } else { "[ ]" }, self.style);
            self.run.push_space(self.style);
        }
    }
}

fn start(tree: &Tree, id: NodeId) -> Option<i64> {
    tree.attr(id, "start")?.trim().parse().ok()
}

/// Numbering of a list, and whether its items are separated by blank lines. Looks at the items and their
/// direct children only, so that all lists of a page together are visited at most twice.
fn shape(tree: &Tree, id: NodeId, tag: Tag) -> ListShape {
    let mut entries = 0;
    let mut loose = false;
    for entry in tree.children(id) {
        if tree.tag(entry) != Some(Tag::Li) {
            continue;
        }
        entries += 1;
        loose = loose || holds_blocks(tree, entry);
    }
    let ordered = tag == Tag::Ol;
    let reversed = ordered && tree.attr(id, "reversed").is_some();
    ListShape {
        ordered,
        start: start(tree, id).unwrap_or(if reversed { entries } else { 1 }),
        step: if reversed { -1 } else { 1 },
        loose,
    }
}

/// Whether an item consists of several blocks, not counting nested lists.
fn holds_blocks(tree: &Tree, entry: NodeId) -> bool {
    let mut blocks = 0;
    let mut in_words = false;
    for child in tree.children(entry) {
        let is_block = match (tree.tag(child), tree.text(child)) {
            (Some(Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir), _) => {
                in_words = false;
                continue;
            }
            (Some(tag), _) => tag.is_block(),
            (None, Some(text)) if text.bytes().all(|byte| byte.is_ascii_whitespace()) => continue,
            (None, _) => false,
        };
        if is_block || !in_words {
            blocks += 1;
        }
        in_words = !is_block;
        if blocks > 1 {
            return true;
        }
    }
    false
}
