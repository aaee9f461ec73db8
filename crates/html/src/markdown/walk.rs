//! Walks the tree and decides what every element means for blocks and inline text.
//!
//! Entering an element returns what to do on leaving it; those values are the only stack.

mod list;
mod media;
mod page_writer;
mod phrase;

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::code::{code_text, is_gutter};
use crate::writing::display_attributes::{
    DisplayAttributes, is_closed_dialog, is_copy_control, is_dropped,
};
use crate::writing::formula::Formula;
use crate::writing::image::shows_missing_image;
use crate::writing::selection::{Selection, Step};

use super::blocks::EntryOpened;
use super::inline::TextFormat;
use super::run::Style;
use super::survey::TableUse;
use super::table::CellShape;
use page_writer::{FlowContext, PageWriter};

/// Writes the selected part of a page.
pub(crate) fn write_page(
    tree: &Tree,
    selection: &Selection,
    resolve: &dyn Fn(&str) -> Option<String>,
    format: TextFormat,
) -> String {
    let mut page = PageWriter::new(tree, selection, resolve, format);
    let mut leaves: Vec<Leave> = Vec::new();
    let mut steps = selection.steps(tree);
    while let Some(step) = steps.next() {
        match step {
            Step::Enter(id) => match (tree.tag(id), tree.text(id)) {
                (Some(tag), _) => {
                    let leave = page.enter(id, tag);
                    if leave.is_none() {
                        steps.skip_children();
                    }
                    leaves.push(leave.unwrap_or(Leave::Nothing));
                }
                (None, Some(text)) => page.run.push_text(text, page.style),
                (None, None) => {}
            },
            Step::Leave(id) => {
                if tree.tag(id).is_some()
                    && let Some(leave) = leaves.pop()
                {
                    page.leave(leave);
                    if leaves.is_empty() {
                        page.flush();
                    }
                }
            }
        }
    }
    page.flush();
    page.blocks.out
}

/// What to do when an element is left.
#[derive(Debug, Clone, Copy)]
enum Leave {
    Nothing,
    /// End the block.
    Block,
    /// Restore the style.
    Style(Style),
    /// End the block and restore the style.
    StyledBlock(Style),
    Heading {
        level: u8,
        style: Style,
    },
    /// Close a quote, list or footnote.
    Frame,
    Entry(EntryOpened),
    /// End a list inside a cell.
    CellList,
    Table,
    Cell(CellShape),
    /// Write a space after the element.
    Space,
    /// Write this text after the element.
    Text(&'static str),
}

impl PageWriter<'_> {
    /// Enters an element. Returns `None` to skip everything inside it.
    fn enter(&mut self, id: NodeId, tag: Tag) -> Option<Leave> {
        if is_dropped(tag) {
            self.enter_dropped(id, tag);
            return None;
        }
        let tree = self.tree;
        let display = DisplayAttributes::of(tree, id);
        if display.is_invisible(tag, self.hidden_blocks) || is_page_furniture(&display) {
            return None;
        }
        match tag {
            Tag::Span | Tag::Font => Some(self.enter_span(&display)),
            Tag::Div | Tag::P | Tag::Section | Tag::Article => Some(self.enter_block()),
            Tag::A => self.enter_link(id, &display),
            Tag::Br => {
                self.break_line();
                None
            }
            Tag::Img => {
                self.write_image(id);
                None
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                Some(self.enter_heading(tag.heading_level().unwrap_or(6)))
            }
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => Some(self.enter_list(id, tag)),
            Tag::Li => Some(self.enter_entry(id)),
            Tag::Dl => Some(self.enter_definitions()),
            Tag::Dd => Some(self.enter_definition()),
            Tag::Dt | Tag::Summary => {
                self.boundary();
                Some(Leave::StyledBlock(self.mark_strong()))
            }
            Tag::Blockquote => {
                self.boundary();
                let opened = self.context == FlowContext::Flow && self.blocks.open_quote();
                Some(if opened { Leave::Frame } else { Leave::Block })
            }
            Tag::Pre | Tag::Listing | Tag::Plaintext | Tag::Xmp => self.enter_preformatted(id),
            Tag::Hr => {
                self.write_rule();
                None
            }
            Tag::Table => self.enter_table(id),
            Tag::Tr => Some(self.enter_row(id)),
            Tag::Td | Tag::Th if is_gutter(&display) => None,
            Tag::Td | Tag::Th => Some(self.enter_cell(id, tag, &display)),
            Tag::Dialog if is_closed_dialog(tree, id, self.hidden_blocks) => None,
            Tag::Button if is_copy_control(tree, id, &display) => None,
            Tag::Button => {
                self.run.push_space(self.style);
                Some(Leave::Space)
            }
            Tag::Noscript if !shows_missing_image(tree, id) => None,
            Tag::Noframes | Tag::Noembed | Tag::Frameset => None,
            Tag::Iframe | Tag::Video | Tag::Audio | Tag::Embed | Tag::Object => {
                self.enter_media(id, tag)
            }
            Tag::Math => {
                if let Some(formula) = Formula::of_math(tree, id) {
                    self.write_formula(&formula);
                }
                None
            }
            tag if tag.is_block() => Some(self.enter_block()),
            tag => self.enter_phrase(id, tag, &display),
        }
    }

    fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Nothing => {}
            Leave::Block => self.boundary(),
            Leave::Style(style) => self.restore(style),
            Leave::StyledBlock(style) => {
                self.boundary();
                self.restore(style);
            }
            Leave::Heading { level, style } => self.leave_heading(level, style),
            Leave::Frame => {
                self.boundary();
                self.blocks.close();
            }
            Leave::Entry(opened) => {
                self.boundary();
                self.blocks.close_entry(opened);
            }
            Leave::CellList => {
                self.boundary();
                self.cell_lists.pop();
            }
            Leave::Table => self.leave_table(),
            Leave::Cell(shape) => self.leave_cell(shape),
            Leave::Space => self.run.push_space(self.style),
            Leave::Text(text) => self.run.push_text(text, self.style),
        }
    }

    fn enter_block(&mut self) -> Leave {
        self.boundary();
        Leave::Block
    }

    /// Handles the few elements without text of their own that still mean something.
    fn enter_dropped(&mut self, id: NodeId, tag: Tag) {
        match tag {
            Tag::Script => {
                if let Some(formula) = Formula::of_script(self.tree, id) {
                    self.write_formula(&formula);
                }
            }
            Tag::Input => self.write_checkbox(id),
            _ => {}
        }
    }

    fn enter_preformatted(&mut self, id: NodeId) -> Option<Leave> {
        let code = code_text(self.tree, id);
        if code.trim().is_empty() {
            return Some(self.enter_block());
        }
        self.write_code_block(id, &code);
        None
    }

    fn enter_table(&mut self, id: NodeId) -> Option<Leave> {
        self.boundary();
        match self.survey.table_use(id) {
            TableUse::Code => {
                let code = code_text(self.tree, id);
                self.write_code_block(id, &code);
                None
            }
            TableUse::Grid if self.context == FlowContext::Flow => {
                self.table = Some(super::table::Table::default());
                Some(Leave::Table)
            }
            TableUse::Grid | TableUse::Layout => Some(Leave::Block),
        }
    }
}

/// Whether the element only serves the original page: a link back from a footnote, an edit link, a rendered
/// formula beside its source.
fn is_page_furniture(display: &DisplayAttributes<'_>) -> bool {
    display.role == "doc-backlink"
        || display.any_class(|class| {
            matches!(
                class,
                "footnote-backref"
                    | "footnote-back"
                    | "reversefootnote"
                    | "mw-cite-backlink"
                    | "mw-editsection"
                    | "MathJax_Preview"
                    | "MathJax"
                    | "MathJax_Display"
            )
        })
}
