//! A page's extracted content, as stored and returned.

use crawler_model::DocumentMeta;
use serde_json::Value;

use crate::UnixMillis;

/// A document to store; there is one per job and `final_url`.
#[derive(Clone, PartialEq, Debug)]
pub struct NewDocument {
    /// The URL as first requested.
    pub requested_url: String,
    /// The URL after redirects.
    pub final_url: String,
    /// The page's title.
    pub title: Option<String>,
    /// The content in markdown.
    pub content_md: Option<String>,
    /// The cleaned HTML.
    pub content_raw: Option<String>,
    /// Metadata of the page.
    pub meta: DocumentMeta,
}

impl NewDocument {
    /// Number of bytes that count as stored: all but the metadata.
    pub fn stored_bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        self.requested_url.len()
            + self.final_url.len()
            + text(&self.title)
            + text(&self.content_md)
            + text(&self.content_raw)
    }
}

/// A stored document.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredDocument {
    /// Its id in the store.
    pub id: i64,
    /// The URL as first requested.
    pub requested_url: String,
    /// The URL after redirects.
    pub final_url: String,
    /// The page's title.
    pub title: Option<String>,
    /// The content in markdown.
    pub content_md: Option<String>,
    /// The cleaned HTML.
    pub content_raw: Option<String>,
    /// Metadata of the page: a JSON object with the fields that the version which stored it knew.
    pub meta: Value,
    /// Time it was stored.
    pub created_at: UnixMillis,
}

impl StoredDocument {
    /// Maximum number of bytes of a page of documents; a page above it is cut short.
    pub const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;

    /// Approximate size in memory, in bytes.
    pub fn size(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        text(&self.content_md) + text(&self.content_raw) + text(&self.title) + 4_096
    }
}
