//! Writes a page as GitHub Flavored Markdown, readable by any CommonMark parser that supports tables and
//! strikethrough.
//!
//! The tree is walked once, without recursion. Text is collected into a [`run`] until a block ends; then the
//! run's styles become delimiters ([`delimiters`]) and its text is escaped ([`escape`]) directly into the output,
//! with the line prefixes of the surrounding quotes and lists ([`blocks`]).
//!
//! Invariants: text of the page is never parsed as markup; the rendered output has the words of the page in
//! the same order; time is linear, and the output is at most a constant factor longer than the page. The only
//! HTML ever written is `<br>` in table cells, and emphasis tags where Markdown's own delimiters would not be
//! recognized.
//!
//! The plain-text writer is the same walk with nothing written around the words.

mod blocks;
mod delimiters;
mod escape;
mod flanking;
mod inline;
mod run;
mod superscript;
mod survey;
mod table;
mod walk;

use crate::tree::Tree;
use crate::writing::selection::Selection;

pub(crate) use inline::TextFormat;
pub(crate) use walk::write_page;

/// Writes the selected part of a page as Markdown.
///
/// `resolve` makes an address absolute; if it returns `None`, only the text of the link is written.
pub fn to_markdown(
    tree: &Tree,
    selection: &Selection,
    resolve: &dyn Fn(&str) -> Option<String>,
) -> String {
    write_page(tree, selection, resolve, TextFormat::Markdown)
}
