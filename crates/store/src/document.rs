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
    /// About how many bytes it takes to hold.
    pub fn bytes(&self) -> usize {
        let content = &self.content;
        let texts = [&content.title, &content.content_md, &content.content_raw];
        let texts = texts.into_iter().flatten().map(String::len);
        texts.sum::<usize>() + content.final_url.len() + content.requested_url.len()
    }
}
