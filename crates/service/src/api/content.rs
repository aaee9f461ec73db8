//! A document's content in the format that was asked for.

use html::{Selection, Tree};

use crate::job_params::OutputFormat;

/// From what is stored: markdown and cleaned html as they are, text read from the html.
pub(super) fn content(
    format: OutputFormat,
    markdown: Option<String>,
    html: Option<String>,
) -> String {
    match format {
        OutputFormat::Markdown => markdown.unwrap_or_default(),
        OutputFormat::Html => html.unwrap_or_default(),
        OutputFormat::Text => html.map(|html| text_of(&html)).unwrap_or_default(),
    }
}

fn text_of(html: &str) -> String {
    let tree = Tree::parse(html);
    html::to_text(&tree, &Selection::whole(tree.root()))
}
