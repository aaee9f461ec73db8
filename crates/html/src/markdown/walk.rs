//! The walk over the tree: what every element means for the blocks and the words.
//!
//! Entering an element says what is to be done on leaving it; that is all the stack there is.

mod list;
mod media;
mod page;
mod phrase;

use crate::tree::{NodeId, Tag, Tree};
use crate::writing::code::{code_text, is_gutter};
use crate::writing::formula::Formula;
use crate::writing::image::shows_missing_image;
use crate::writing::looks::{Looks, copies, is_closed, is_dropped};
use crate::writing::selection::{Selection, Step};

use super::blocks::EntryOpened;
use super::inline::Flavour;
use super::run::Style;
use super::survey::TableUse;
use super::table::CellShape;
use page::{Context, Page};

/// Writes the selected part of a page.
pub(crate) fn write_page(
    tree: &Tree,
    selection: &Selection,
    resolve: &dyn Fn(&str) -> Option<String>,
    flavour: Flavour,
) -> String {
    let mut page = Page::new(tree, selection, resolve, flavour);
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

/// What is to be done when an element is left.
#[derive(Debug, Clone, Copy)]
enum Leave {
    Nothing,
    /// The block ends.
    Block,
    /// The style ends.
    Style(Style),
    /// Both end.
    StyledBlock(Style),
    Heading {
        level: u8,
        style: Style,
    },
    /// A quote, list or note ends.
    Frame,
    Entry(EntryOpened),
    /// A list inside a cell ends.
    CellList,
    Table,
    Cell(CellShape),
    /// A space stands behind the element.
    Space,
    /// This text stands behind the element.
    Text(&'static str),
}

impl Page<'_> {
    /// Begins an element. `None` leaves out all that is in it.
    fn enter(&mut self, id: NodeId, tag: Tag) -> Option<Leave> {
        if is_dropped(tag) {
            self.enter_dropped(id, tag);
            return None;
        }
        let tree = self.tree;
        let looks = Looks::of(tree, id);
        if looks.is_invisible(tag, self.folded) || is_apparatus(&looks) {
            return None;
        }
        match tag {
            Tag::Span | Tag::Font => Some(self.enter_span(&looks)),
            Tag::Div | Tag::P | Tag::Section | Tag::Article => Some(self.enter_block()),
            Tag::A => self.enter_link(id, &looks),
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
            Tag::Dd => Some(self.enter_definition()),
            Tag::Dt | Tag::Summary => {
                self.boundary();
                Some(Leave::StyledBlock(self.mark_strong()))
            }
            Tag::Blockquote => {
                self.boundary();
                let opened = self.context == Context::Flow && self.blocks.open_quote();
                Some(if opened { Leave::Frame } else { Leave::Block })
            }
            Tag::Pre | Tag::Listing | Tag::Plaintext | Tag::Xmp => self.enter_preformatted(id),
            Tag::Hr => {
                self.write_rule();
                None
            }
            Tag::Table => self.enter_table(id),
            Tag::Tr => Some(self.enter_row(id)),
            Tag::Td | Tag::Th if is_gutter(&looks) => None,
            Tag::Td | Tag::Th => Some(self.enter_cell(id, tag, &looks)),
            Tag::Dialog if is_closed(tree, id, self.folded) => None,
            Tag::Button if copies(tree, id, &looks) => None,
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
            tag => self.enter_phrase(id, tag, &looks),
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

    /// The few elements without content of their own that still mean something.
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
            TableUse::Grid if self.context == Context::Flow => {
                self.table = Some(super::table::Table::default());
                Some(Leave::Table)
            }
            TableUse::Grid | TableUse::Layout => Some(Leave::Block),
        }
    }
}

/// What only serves the page it stands on: the way back from a note, the way to an editor, a formula
/// drawn in boxes beside the one that was written.
fn is_apparatus(looks: &Looks<'_>) -> bool {
    looks.role == "doc-backlink"
        || looks.any_class(|class| {
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
