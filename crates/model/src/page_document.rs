//! A page's content, as it travels in a report.

use crate::DocumentMeta;

/// The content of a page.
#[derive(Clone, PartialEq, Debug)]
pub struct PageDocument {
    /// The page's title.
    pub title: Option<String>,
    /// The content as Markdown.
    pub markdown: String,
    /// The content as inert HTML.
    pub html: String,
    /// Everything else that is known about it.
    pub meta: DocumentMeta,
}

/// Which pages become documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DocumentRules {
    /// Those with an error status too.
    pub error_pages: bool,
}
