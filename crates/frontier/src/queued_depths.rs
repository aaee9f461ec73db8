//! The depth of each queued URL, so that it can be moved to a lower one.
//!
//! A page is queued at the depth it was first found at. When a redirect or a late retry finds it at a
//! lower depth before it was started, it is queued again there, and the entry left behind is stale: it is
//! dropped when its turn comes. Only used when depth is limited.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crawler_weburl::UrlKey;

use crate::seen::KeyIsHash;

#[derive(Debug)]
pub(crate) struct QueuedDepths {
    depths: Option<HashMap<u64, u32, BuildHasherDefault<KeyIsHash>>>,
}

impl QueuedDepths {
    pub(crate) fn new(depth_is_limited: bool) -> Self {
        Self {
            depths: depth_is_limited.then(HashMap::default),
        }
    }

    pub(crate) fn set(&mut self, key: UrlKey, depth: u32) {
        if let Some(depths) = &mut self.depths {
            depths.insert(key.0, depth);
        }
    }

    pub(crate) fn clear(&mut self, key: UrlKey) {
        if let Some(depths) = &mut self.depths {
            depths.remove(&key.0);
        }
    }

    /// The depth of a queued URL, if it is deeper than `depth`.
    pub(crate) fn deeper_than(&self, key: UrlKey, depth: u32) -> Option<u32> {
        self.depths
            .as_ref()?
            .get(&key.0)
            .copied()
            .filter(|queued| *queued > depth)
    }

    /// Whether a queue's entry was left behind by a move.
    pub(crate) fn is_stale(&self, key: impl FnOnce() -> UrlKey, depth: u32) -> bool {
        self.depths
            .as_ref()
            .is_some_and(|depths| depths.get(&key().0) != Some(&depth))
    }
}
