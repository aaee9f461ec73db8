//! Writes a page as plain text, with line breaks where a reader needs them.
//!
//! Paragraphs are separated by blank lines, list items start with `- ` or their number, table cells are
//! separated by tabs, and preformatted text keeps its white space. Nothing is escaped.

use crate::markdown::{TextFormat, write_page};
use crate::tree::Tree;
use crate::writing::selection::Selection;

/// Writes the selected part of a page as plain text.
pub fn to_text(tree: &Tree, selection: &Selection) -> String {
    let mut text = write_page(tree, selection, &|_| None, TextFormat::Text);
    // Preformatted text keeps its blank lines, except at the very end.
    let kept = text.trim_end_matches('\n').len();
    text.truncate(text.len().min(kept + 1));
    text
}
