//! The content of a page, as included in a report.

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
    /// Metadata.
    pub meta: DocumentMeta,
}

/// Which pages are extracted into documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DocumentRules {
    /// Include pages with an error status.
    pub error_pages: bool,
}
