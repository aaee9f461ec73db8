//! Content of a document in the requested format.

use crawler_html::{Selection, Tree};

use crate::job_params::OutputFormat;

/// Returns the stored Markdown or cleaned HTML, or plain text extracted from the HTML.
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
    crawler_html::to_text(&tree, &Selection::whole(tree.root()))
}
