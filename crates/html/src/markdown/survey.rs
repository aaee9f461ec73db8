//! Collects what must be known before the first line is written: which tables hold data, and which list items are
//! footnotes that something refers to.
//!
//! One pass over the elements, so that no table is searched again for every table around it.

use std::collections::HashMap;

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::code::{is_code_line, is_gutter};
use crate::writing::display_attributes::DisplayAttributes;
use crate::writing::selection::{Selection, Step};

/// What a table is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableUse {
    /// Data in rows and columns.
    Grid,
    /// Page layout, or line numbers beside code.
    Layout,
    /// A source file shown line by line.
    Code,
}

/// Facts about a table.
#[derive(Debug)]
struct TableFacts {
    id: NodeId,
    rows: u32,
    cells: u32,
    widest: u32,
    headings: bool,
    nested: bool,
    rich: bool,
    titled: bool,
    layout: bool,
    code: bool,
}

impl TableFacts {
    fn table_use(&self) -> TableUse {
        let bare = !self.headings && !self.titled;
        if self.code {
            TableUse::Code
        } else if self.layout
            || self.cells <= 1
            || (bare && (self.nested || self.widest <= 1 || (self.rich && self.rows == 1)))
        {
            TableUse::Layout
        } else {
            TableUse::Grid
        }
    }
}

/// The results, by node.
#[derive(Debug, Default)]
pub(crate) struct Survey<'t> {
    tables: Vec<(NodeId, TableUse)>,
    notes: HashMap<&'t str, u32>,
    note_entries: Vec<(NodeId, u32)>,
}

impl<'t> Survey<'t> {
    pub(crate) fn of(tree: &'t Tree, selection: &Selection) -> Self {
        let mut pass = SurveyPass::default();
        for step in selection.steps(tree) {
            match step {
                Step::Enter(id) => pass.enter(tree, id),
                Step::Leave(id) => pass.leave(tree, id),
            }
        }
        pass.finish()
    }

    /// The use of a table. Unknown tables count as layout.
    pub(crate) fn table_use(&self, id: NodeId) -> TableUse {
        self.tables
            .binary_search_by_key(&id, |(table, _)| *table)
            .map_or(TableUse::Layout, |found| self.tables[found].1)
    }

    /// The footnote that a link within the page refers to.
    pub(crate) fn note(&self, href: &str) -> Option<u32> {
        if self.notes.is_empty() {
            return None;
        }
        self.notes.get(href.strip_prefix('#')?).copied()
    }

    /// The footnote number of a list item.
    pub(crate) fn note_entry(&self, id: NodeId) -> Option<u32> {
        self.note_entries
            .binary_search_by_key(&id, |(entry, _)| *entry)
            .ok()
            .map(|found| self.note_entries[found].1)
    }
}

/// The state of the pass over the elements.
#[derive(Debug, Default)]
struct SurveyPass<'t> {
    finished: Vec<TableFacts>,
    open: Vec<TableFacts>,
    row_cells: Vec<u32>,
    notes_end: Option<NodeId>,
    note_end: Option<NodeId>,
    references: Vec<&'t str>,
    entries: Vec<(NodeId, &'t str)>,
}

impl<'t> SurveyPass<'t> {
    fn enter(&mut self, tree: &'t Tree, id: NodeId) {
        let Some(tag) = tree.tag(id) else { return };
        match tag {
            Tag::Table => self.enter_table(tree, id),
            Tag::Tr => {
                if let Some(table) = self.open.last_mut() {
                    table.rows += 1;
                    self.row_cells.push(0);
                }
            }
            Tag::Td | Tag::Th => self.enter_cell(tree, id, tag),
            Tag::Caption => {
                if let Some(table) = self.open.last_mut() {
                    table.titled = true;
                }
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                // A heading in a cell means that the table is page layout.
                if let Some(table) = self.open.last_mut()
                    && !table.headings
                {
                    table.layout = true;
                }
            }
            Tag::Ul | Tag::Ol | Tag::Section | Tag::Div | Tag::Aside | Tag::Footer => {
                if let Some(table) = self.open.last_mut() {
                    table.rich |= matches!(tag, Tag::Ul | Tag::Ol);
                } else if self.notes_end.is_none_or(|end| id >= end) && holds_notes(tree, id) {
                    self.notes_end = Some(tree.end(id));
                }
            }
            Tag::P | Tag::Pre | Tag::Blockquote => {
                if let Some(table) = self.open.last_mut() {
                    table.rich = true;
                }
            }
            Tag::A => {
                if let Some(reference) = tree
                    .attr(id, "href")
                    .and_then(|href| href.strip_prefix('#'))
                    && self.notes_end.is_none_or(|end| id >= end)
                {
                    self.references.push(reference);
                }
            }
            Tag::Li => {
                let inside = self.open.is_empty()
                    && self.notes_end.is_some_and(|end| id < end)
                    && self.note_end.is_none_or(|end| id >= end);
                if inside && let Some(name) = tree.attr(id, "id") {
                    self.note_end = Some(tree.end(id));
                    self.entries.push((id, name));
                }
            }
            _ => {}
        }
    }

    fn leave(&mut self, tree: &Tree, id: NodeId) {
        match tree.tag(id) {
            Some(Tag::Table) => {
                if let Some(table) = self.open.pop() {
                    self.finished.push(table);
                }
            }
            Some(Tag::Tr) => {
                if let (Some(table), Some(cells)) = (self.open.last_mut(), self.row_cells.pop()) {
                    table.widest = table.widest.max(cells);
                }
            }
            _ => {}
        }
    }

    fn enter_table(&mut self, tree: &Tree, id: NodeId) {
        if let Some(around) = self.open.last_mut() {
            around.nested = true;
        }
        let display = DisplayAttributes::of(tree, id);
        self.open.push(TableFacts {
            id,
            rows: 0,
            cells: 0,
            widest: 0,
            headings: false,
            nested: false,
            rich: false,
            titled: false,
            layout: matches!(display.role, "presentation" | "none"),
            code: false,
        });
    }

    fn enter_cell(&mut self, tree: &Tree, id: NodeId, tag: Tag) {
        let Some(table) = self.open.last_mut() else {
            return;
        };
        let display = DisplayAttributes::of(tree, id);
        table.cells += 1;
        table.headings |= tag == Tag::Th;
        table.code |= is_code_line(&display);
        table.layout |= is_gutter(&display);
        if let Some(cells) = self.row_cells.last_mut() {
            *cells += 1;
        }
    }

    fn finish(mut self) -> Survey<'t> {
        let mut tables: Vec<_> = self
            .finished
            .iter()
            .map(|table| (table.id, table.table_use()))
            .collect();
        tables.sort_unstable_by_key(|(id, _)| *id);
        let mut survey = Survey {
            tables,
            ..Survey::default()
        };
        if self.entries.is_empty() {
            return survey;
        }
        self.references.sort_unstable();
        for (id, name) in self.entries {
            if self.references.binary_search(&name).is_err() {
                continue;
            }
            let next = u32::try_from(survey.note_entries.len() + 1).unwrap_or(u32::MAX);
            let number = *survey.notes.entry(name).or_insert(next);
            if number == next {
                survey.note_entries.push((id, number));
            }
        }
        survey
    }
}

/// Whether an element is a list of footnotes, judging by its class and role.
fn holds_notes(tree: &Tree, id: NodeId) -> bool {
    let display = DisplayAttributes::of(tree, id);
    display.role == "doc-endnotes"
        || display.any_class(|class| {
            matches!(
                class,
                "footnotes" | "references" | "endnotes" | "footnote-list"
            )
        })
}
