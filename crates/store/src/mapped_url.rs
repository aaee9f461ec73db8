//! Links of a site's map.

use crate::UnixMillis;

/// A link to store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewMappedUrl {
    /// The page it was found on.
    pub source_url: String,
    /// The URL it points to.
    pub target_url: String,
    /// Depth of the target.
    pub depth: u32,
}

impl NewMappedUrl {
    /// Number of bytes that count as stored.
    pub fn stored_bytes(&self) -> usize {
        self.source_url.len() + self.target_url.len()
    }
}

/// A stored link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MappedUrl {
    /// Its id in the store.
    pub id: i64,
    /// The link.
    pub link: NewMappedUrl,
    /// Time it was stored.
    pub created_at: UnixMillis,
}
