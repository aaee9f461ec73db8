//! The page being written: the state of the walk, and the writing of blocks.

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::code::language;
use crate::writing::display_attributes::DisplayAttributes;
use crate::writing::selection::{HiddenBlocks, Selection};

use super::Leave;
use crate::markdown::blocks::{Blocks, LastBlock};
use crate::markdown::inline::{InlineContext, InlineWriter, LinkTarget, TextFormat, longest_ticks};
use crate::markdown::run::{CODE, STRONG, Style, TextRun};
use crate::markdown::survey::Survey;
use crate::markdown::table::{Align, CellShape, Table};

/// A link's address is written in at most this many blocks: a link around a whole page is not repeated at
/// every paragraph.
const MAX_LINKED_BLOCKS: u32 = 4;

/// Whether blocks can be written, or only inline content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlowContext {
    Flow,
    Heading,
    Cell,
}

/// The state of the walk over one page.
pub(super) struct PageWriter<'a> {
    pub(super) tree: &'a Tree,
    pub(super) resolve: &'a dyn Fn(&str) -> Option<String>,
    pub(super) format: TextFormat,
    pub(super) hidden_blocks: HiddenBlocks,
    pub(super) survey: Survey<'a>,
    pub(super) blocks: Blocks,
    pub(super) run: TextRun,
    pub(super) style: Style,
    pub(super) context: FlowContext,
    pub(super) table: Option<Table>,
    /// The next number of every list open in a cell; `None` for unordered lists.
    pub(super) cell_lists: Vec<Option<i64>>,
    /// Addresses of links and images; a span refers to one by its position, counted from 1.
    pub(super) targets: Vec<LinkTarget>,
    /// In how many blocks the open link has been written.
    pub(super) linked_blocks: u32,
    inline: InlineWriter,
}

impl<'a> PageWriter<'a> {
    pub(super) fn new(
        tree: &'a Tree,
        selection: &Selection,
        resolve: &'a dyn Fn(&str) -> Option<String>,
        format: TextFormat,
    ) -> Self {
        Self {
            tree,
            resolve,
            format,
            hidden_blocks: selection.hidden_blocks(),
            survey: Survey::of(tree, selection),
            blocks: Blocks::new(format),
            run: TextRun::default(),
            style: Style::default(),
            context: FlowContext::Flow,
            table: None,
            cell_lists: Vec::new(),
            targets: Vec::new(),
            linked_blocks: 0,
            inline: InlineWriter::new(format),
        }
    }

    /// Stores an address and a title, which may be empty, and returns their number.
    pub(super) fn add_target(&mut self, address: String, title: String) -> u32 {
        self.targets.push(LinkTarget { address, title });
        u32::try_from(self.targets.len()).unwrap_or(0)
    }

    pub(super) fn mark_strong(&mut self) -> Style {
        let before = self.style;
        self.style.marks |= STRONG;
        before
    }

    /// Restores the style around an element, but not a link that was written often enough.
    pub(super) fn restore(&mut self, style: Style) {
        self.style = style;
        if self.linked_blocks >= MAX_LINKED_BLOCKS {
            self.style.link = 0;
        }
    }

    /// Marks the start or end of a block.
    pub(super) fn boundary(&mut self) {
        match self.context {
            FlowContext::Flow => self.flush(),
            FlowContext::Heading => self.run.push_space(self.style),
            FlowContext::Cell => {
                self.run.push_break(self.style);
            }
        }
    }

    pub(super) fn break_line(&mut self) {
        match self.context {
            _ if self.style.marks & CODE != 0 => self.run.push_space(self.style),
            FlowContext::Heading => self.run.push_space(self.style),
            FlowContext::Flow | FlowContext::Cell => {
                // Old pages use two breaks to end a paragraph.
                if self.run.push_break(self.style) && self.context == FlowContext::Flow {
                    self.flush();
                }
            }
        }
    }

    /// Writes the text collected so far as a paragraph.
    pub(super) fn flush(&mut self) {
        if self.run.is_blank() {
            self.run.clear();
            return;
        }
        self.blocks.begin(LastBlock::Paragraph);
        self.write_run(InlineContext::Paragraph);
        self.blocks.end();
    }

    fn write_run(&mut self, context: InlineContext) {
        let (out, prefix) = self.blocks.out_and_prefix();
        self.inline
            .write(&mut self.run, &self.targets, context, prefix, out);
        self.end_run();
    }

    fn end_run(&mut self) {
        self.run.clear();
        if self.style.link != 0 {
            self.linked_blocks += 1;
            if self.linked_blocks >= MAX_LINKED_BLOCKS {
                self.style.link = 0;
            }
        }
    }

    pub(super) fn enter_heading(&mut self, level: u8) -> Leave {
        self.boundary();
        if self.context != FlowContext::Flow {
            return Leave::StyledBlock(self.mark_strong());
        }
        let style = self.style;
        // A heading is already bold.
        self.style.marks &= !STRONG;
        self.context = FlowContext::Heading;
        Leave::Heading { level, style }
    }

    pub(super) fn leave_heading(&mut self, level: u8, style: Style) {
        self.context = FlowContext::Flow;
        if self.run.is_blank() {
            self.run.clear();
        } else {
            self.blocks.begin(LastBlock::Other);
            if self.format == TextFormat::Markdown {
                self.blocks
                    .out
                    .push_str(&"######"[..usize::from(level.clamp(1, 6))]);
                self.blocks.out.push(' ');
            }
            self.write_run(InlineContext::Heading);
            self.blocks.end();
        }
        self.restore(style);
    }

    pub(super) fn write_rule(&mut self) {
        self.boundary();
        if self.context != FlowContext::Flow
            || self.format == TextFormat::Text
            || self.blocks.out.is_empty()
        {
            return;
        }
        self.blocks.begin(LastBlock::Other);
        // Inside a list, dashes could be taken for item markers.
        let rule = if self.blocks.in_list() { "___" } else { "---" };
        self.blocks.out.push_str(rule);
        self.blocks.end();
    }

    pub(super) fn write_code_block(&mut self, id: NodeId, code: &str) {
        self.boundary();
        if self.context != FlowContext::Flow {
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
        self.blocks.begin(LastBlock::Other);
        let is_markdown = self.format == TextFormat::Markdown;
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
        if self.context == FlowContext::Flow
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

    pub(super) fn enter_cell(
        &mut self,
        id: NodeId,
        tag: Tag,
        display: &DisplayAttributes<'_>,
    ) -> Leave {
        if self.context != FlowContext::Flow {
            self.run.push_space(self.style);
            return Leave::Space;
        }
        if self.table.is_none() {
            self.boundary();
            return Leave::Block;
        }
        self.run.clear();
        self.context = FlowContext::Cell;
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
            align: align(self.tree, id, display),
        })
    }

    pub(super) fn leave_cell(&mut self, shape: CellShape) {
        self.context = FlowContext::Flow;
        if let Some(table) = &mut self.table {
            let (run, inline, targets) = (&mut self.run, &mut self.inline, &self.targets);
            table.push_cell(shape, |out| {
                if !run.is_blank() {
                    inline.write(run, targets, InlineContext::Cell, "", out);
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
        self.blocks.begin(LastBlock::Other);
        let (out, prefix) = self.blocks.out_and_prefix();
        table.write(self.format, prefix, out);
        self.blocks.end();
    }
}

fn align(tree: &Tree, id: NodeId, display: &DisplayAttributes<'_>) -> Align {
    let declared = tree.attr(id, "align").unwrap_or_default();
    let is =
        |value: &str| declared.eq_ignore_ascii_case(value) || display.declares("text-align", value);
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
