//! A page's content, as it travels in a report.

/// What was read of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageDocument {
    /// The page's title.
    pub title: Option<String>,
    /// The content as Markdown.
    pub markdown: String,
    /// The content as HTML that cannot do anything.
    pub html: String,
    /// Everything else that is known about it: one JSON object.
    pub meta: String,
}

/// Of which pages there are documents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DocumentRules {
    /// Of answers with an error status too.
    pub error_pages: bool,
}
