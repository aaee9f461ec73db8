//! The page being written: the state of the walk, and the blocks it ends in.

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::code::language;
use crate::writing::looks::Looks;
use crate::writing::selection::{Folded, Selection};

use super::Leave;
use crate::markdown::blocks::{Blocks, Last};
use crate::markdown::inline::{Flavour, InlineWriter, Place, longest_ticks};
use crate::markdown::run::{CODE, Run, STRONG, Style};
use crate::markdown::survey::Survey;
use crate::markdown::table::{Align, CellShape, Table};

/// In how many blocks one link's address is written: a link around a whole page is not written at
/// every paragraph of it.
const LINKED_BLOCKS: u32 = 4;

/// Whether blocks can be written, or only words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Flow,
    Heading,
    Cell,
}

pub(super) struct Page<'a> {
    pub(super) tree: &'a Tree,
    pub(super) resolve: &'a dyn Fn(&str) -> Option<String>,
    pub(super) flavour: Flavour,
    pub(super) folded: Folded,
    pub(super) survey: Survey<'a>,
    pub(super) blocks: Blocks,
    pub(super) run: Run,
    pub(super) style: Style,
    pub(super) context: Context,
    pub(super) table: Option<Table>,
    /// The next number of every list open in a cell; `None` for lists without numbers.
    pub(super) cell_lists: Vec<Option<i64>>,
    /// Addresses of links and images; a span names one by its place, counted from 1.
    pub(super) targets: Vec<String>,
    /// In how many blocks the open link was written.
    pub(super) linked_blocks: u32,
    inline: InlineWriter,
}

impl<'a> Page<'a> {
    pub(super) fn new(
        tree: &'a Tree,
        selection: &Selection,
        resolve: &'a dyn Fn(&str) -> Option<String>,
        flavour: Flavour,
    ) -> Self {
        Self {
            tree,
            resolve,
            flavour,
            folded: selection.folded(),
            survey: Survey::of(tree, selection),
            blocks: Blocks::new(flavour),
            run: Run::default(),
            style: Style::default(),
            context: Context::Flow,
            table: None,
            cell_lists: Vec::new(),
            targets: Vec::new(),
            linked_blocks: 0,
            inline: InlineWriter::new(flavour),
        }
    }

    /// Keeps an address and says its number.
    pub(super) fn add_target(&mut self, target: String) -> u32 {
        self.targets.push(target);
        u32::try_from(self.targets.len()).unwrap_or(0)
    }

    pub(super) fn mark_strong(&mut self) -> Style {
        let before = self.style;
        self.style.marks |= STRONG;
        before
    }

    /// Goes back to the style around an element, but not to a link that was written often enough.
    pub(super) fn restore(&mut self, style: Style) {
        self.style = style;
        if self.linked_blocks >= LINKED_BLOCKS {
            self.style.link = 0;
        }
    }

    /// A block starts or ends here.
    pub(super) fn boundary(&mut self) {
        match self.context {
            Context::Flow => self.flush(),
            Context::Heading => self.run.push_space(self.style),
            Context::Cell => {
                self.run.push_break(self.style);
            }
        }
    }

    pub(super) fn break_line(&mut self) {
        match self.context {
            _ if self.style.marks & CODE != 0 => self.run.push_space(self.style),
            Context::Heading => self.run.push_space(self.style),
            Context::Flow | Context::Cell => {
                // Two breaks are how old pages say that a paragraph ends.
                if self.run.push_break(self.style) && self.context == Context::Flow {
                    self.flush();
                }
            }
        }
    }

    /// Writes the words gathered so far as a paragraph.
    pub(super) fn flush(&mut self) {
        if self.run.is_blank() {
            self.run.clear();
            return;
        }
        self.blocks.begin(Last::Paragraph);
        self.write_run(Place::Paragraph);
        self.blocks.end();
    }

    fn write_run(&mut self, place: Place) {
        let (out, prefix) = self.blocks.out_and_prefix();
        self.inline
            .write(&mut self.run, &self.targets, place, prefix, out);
        self.end_run();
    }

    fn end_run(&mut self) {
        self.run.clear();
        if self.style.link != 0 {
            self.linked_blocks += 1;
            if self.linked_blocks >= LINKED_BLOCKS {
                self.style.link = 0;
            }
        }
    }

    pub(super) fn enter_heading(&mut self, level: u8) -> Leave {
        self.boundary();
        if self.context != Context::Flow {
            return Leave::StyledBlock(self.mark_strong());
        }
        let style = self.style;
        // A heading is strong already.
        self.style.marks &= !STRONG;
        self.context = Context::Heading;
        Leave::Heading { level, style }
    }

    pub(super) fn leave_heading(&mut self, level: u8, style: Style) {
        self.context = Context::Flow;
        if self.run.is_blank() {
            self.run.clear();
        } else {
            self.blocks.begin(Last::Other);
            if self.flavour == Flavour::Markdown {
                self.blocks
                    .out
                    .push_str(&"######"[..usize::from(level.clamp(1, 6))]);
                self.blocks.out.push(' ');
            }
            self.write_run(Place::Heading);
            self.blocks.end();
        }
        self.restore(style);
    }

    pub(super) fn write_rule(&mut self) {
        self.boundary();
        if self.context != Context::Flow
            || self.flavour == Flavour::Text
            || self.blocks.out.is_empty()
        {
            return;
        }
        self.blocks.begin(Last::Other);
        // In a list, dashes could be taken for the markers of items.
        let rule = if self.blocks.in_list() { "___" } else { "---" };
        self.blocks.out.push_str(rule);
        self.blocks.end();
    }

    pub(super) fn write_code_block(&mut self, id: NodeId, code: &str) {
        self.boundary();
        if self.context != Context::Flow {
            let style = Style {
                marks: self.style.marks | CODE,
                ..self.style
            };
            for line in code.lines() {
                self.run.push_text(line, style);
                self.boundary();
            }
            return;
        }
        self.blocks.begin(Last::Other);
        let is_markdown = self.flavour == Flavour::Markdown;
        let fence = "`".repeat(longest_ticks(code).max(2) + 1);
        let (out, prefix) = self.blocks.out_and_prefix();
        if is_markdown {
            out.push_str(&fence);
            out.push_str(language(self.tree, id).unwrap_or_default());
        }
        for (index, line) in code.split('\n').enumerate() {
            if is_markdown || index > 0 {
                out.push('\n');
                let is_empty = line.is_empty();
                out.push_str(if is_empty { prefix.trim_end() } else { prefix });
            }
            out.push_str(line.trim_end_matches('\r'));
        }
        if is_markdown {
            out.push('\n');
            out.push_str(prefix);
            out.push_str(&fence);
        }
        self.blocks.end();
    }

    pub(super) fn enter_row(&mut self, id: NodeId) -> Leave {
        if self.context == Context::Flow
            && let Some(table) = &mut self.table
        {
            let in_head = self
                .tree
                .parent(id)
                .is_some_and(|parent| self.tree.tag(parent) == Some(Tag::Thead));
            table.open_row(in_head);
            return Leave::Nothing;
        }
        self.boundary();
        Leave::Block
    }

    pub(super) fn enter_cell(&mut self, id: NodeId, tag: Tag, looks: &Looks<'_>) -> Leave {
        if self.context != Context::Flow {
            self.run.push_space(self.style);
            return Leave::Space;
        }
        if self.table.is_none() {
            self.boundary();
            return Leave::Block;
        }
        self.run.clear();
        self.context = Context::Cell;
        let span = |name| {
            self.tree
                .attr(id, name)
                .and_then(|value| value.trim().parse::<usize>().ok())
                .unwrap_or(1)
        };
        Leave::Cell(CellShape {
            columns: span("colspan"),
            rows: span("rowspan"),
            heading: tag == Tag::Th,
            align: align(self.tree, id, looks),
        })
    }

    pub(super) fn leave_cell(&mut self, shape: CellShape) {
        self.context = Context::Flow;
        if let Some(table) = &mut self.table {
            let (run, inline, targets) = (&mut self.run, &mut self.inline, &self.targets);
            table.push_cell(shape, |out| {
                if !run.is_blank() {
                    inline.write(run, targets, Place::Cell, "", out);
                }
            });
        }
        self.end_run();
    }

    pub(super) fn leave_table(&mut self) {
        self.boundary();
        let Some(table) = self.table.take().filter(|table| !table.is_blank()) else {
            return;
        };
        self.blocks.begin(Last::Other);
        let (out, prefix) = self.blocks.out_and_prefix();
        table.write(self.flavour, prefix, out);
        self.blocks.end();
    }
}

fn align(tree: &Tree, id: NodeId, looks: &Looks<'_>) -> Align {
    let said = tree.attr(id, "align").unwrap_or_default();
    let is = |value: &str| said.eq_ignore_ascii_case(value) || looks.declares("text-align", value);
    if is("center") {
        Align::Center
    } else if is("right") {
        Align::Right
    } else if is("left") {
        Align::Left
    } else {
        Align::None
    }
}
