//! An edge of a site's map.

use crate::UnixMillis;

/// A link that was found, to be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewMappedUrl {
    /// The page it was found on.
    pub source_url: String,
    /// Where it leads.
    pub target_url: String,
    /// The target's distance from the seed.
    pub depth: u32,
}

/// A stored link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MappedUrl {
    /// Its number in the store.
    pub id: i64,
    /// What was stored.
    pub link: NewMappedUrl,
    /// When.
    pub created_at: UnixMillis,
}
