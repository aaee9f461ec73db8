//! A page as Markdown: GitHub's kind, read the same by any CommonMark reader that knows tables and
//! strikethrough.
//!
//! The tree is walked once without recursion. Words are gathered into a [`run`] until a block ends,
//! then the run's marks become brackets ([`marks`]) and its text is escaped ([`escape`]) straight into
//! the output, whose lines know the quotes and lists they stand in ([`blocks`]).
//!
//! Invariants: text of the page is never read as markup, by anybody; what Markdown makes of the
//! output has the words of the page in the same order; time is linear and the output no longer than
//! a constant times the page. The only HTML ever written is `<br>` in table cells, and the tags for
//! emphasis where Markdown's own marks would not be read.
//!
//! The text writer is the same walk with nothing put around the words.

mod blocks;
mod escape;
mod flank;
mod inline;
mod marks;
mod run;
mod scripts;
mod survey;
mod table;
mod walk;

use crate::tree::Tree;
use crate::writing::selection::Selection;

pub(crate) use inline::Flavour;
pub(crate) use walk::write_page;

/// Writes the selected part of a page as Markdown.
///
/// `resolve` makes an address on the page absolute; where it answers `None`, the link's text stands
/// without a link.
pub fn to_markdown(
    tree: &Tree,
    selection: &Selection,
    resolve: &dyn Fn(&str) -> Option<String>,
) -> String {
    write_page(tree, selection, resolve, Flavour::Markdown)
}
