//! A page as plain text: the words, and line breaks where a reader needs them.
//!
//! Paragraphs are set apart by blank lines, list items start with `- ` or their number, a table's
//! cells are set apart by tabs, preformatted text keeps its blanks. Nothing is escaped.

use crate::markdown::{Flavour, write_page};
use crate::tree::Tree;
use crate::writing::selection::Selection;

/// Writes the selected part of a page as plain text.
pub fn to_text(tree: &Tree, selection: &Selection) -> String {
    let mut text = write_page(tree, selection, &|_| None, Flavour::Text);
    // Preformatted text keeps its blank lines, but for those at the very end.
    let kept = text.trim_end_matches('\n').len();
    text.truncate(text.len().min(kept + 1));
    text
}
