//! A page's extracted content, as stored and returned.

use serde_json::Value;

use crate::UnixMillis;

/// A document to be stored; there is one per job and `final_url`.
#[derive(Clone, PartialEq, Debug)]
pub struct NewDocument {
    /// The URL as first asked for.
    pub requested_url: String,
    /// Where it was found in the end.
    pub final_url: String,
    /// The page's title.
    pub title: Option<String>,
    /// The content in markdown.
    pub content_md: Option<String>,
    /// The cleaned html.
    pub content_raw: Option<String>,
    /// Everything else that is known about it.
    pub meta: Value,
}

/// A stored document.
#[derive(Clone, PartialEq, Debug)]
pub struct Document {
    /// Its number in the store.
    pub id: i64,
    /// What was stored.
    pub content: NewDocument,
    /// When.
    pub created_at: UnixMillis,
}

impl Document {
    /// A page of documents that weigh more than this together is cut short.
    pub const HEAVY: usize = 8 * 1024 * 1024;

    /// About the bytes it takes in memory.
    pub fn weight(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let content = &self.content;
        text(&content.content_md) + text(&content.content_raw) + text(&content.title) + 4_096
    }
}
