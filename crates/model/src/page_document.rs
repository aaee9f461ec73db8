//! The content of a page, as included in a report.

use crate::DocumentMeta;

/// The content of a page.
#[derive(Clone, PartialEq, Debug)]
pub struct PageDocument {
    title: Option<String>,
    markdown: String,
    html: String,
    meta: DocumentMeta,
}

impl PageDocument {
    /// Creates a document.
    pub fn new(title: Option<String>, markdown: String, html: String, meta: DocumentMeta) -> Self {
        Self {
            title,
            markdown,
            html,
            meta,
        }
    }

    /// Returns the title of the page.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns the title and the content as Markdown.
    pub fn markdown(&self) -> &str {
        &self.markdown
    }

    /// Returns the content as inert HTML.
    pub fn html(&self) -> &str {
        &self.html
    }

    /// Returns the metadata of the page and of the response.
    pub fn meta(&self) -> &DocumentMeta {
        &self.meta
    }

    /// Returns the length of all texts together.
    pub fn text_len(&self) -> usize {
        let title = self.title.as_ref().map_or(0, String::len);
        title + self.markdown.len() + self.html.len() + self.meta.text_len()
    }
}

/// Which pages are extracted into documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DocumentRules {
    /// Include pages with an error status.
    pub error_pages: bool,
}
