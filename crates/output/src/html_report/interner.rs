//! Numbers URLs, in a table of bounded size.
//!
//! A link is looked up by its dedupe key first, so that `/a/` on one page and `/a` on another are one node
//! of the graph if the crawl treats them as one page. When the table is full, new pages still get a
//! number but no entry; links to unknown URLs get neither.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crawler_weburl::UrlKey;

/// Maximum number of entries, about two per URL.
const MAX_ENTRIES: usize = 400_000;

/// Assigns numbers to URLs in the order they are first mentioned.
#[derive(Debug)]
pub(super) struct Interner {
    ids: HashMap<u64, u32>,
    hasher: RandomState,
    next: u32,
}

impl Interner {
    pub(super) fn new() -> Self {
        Self {
            ids: HashMap::new(),
            hasher: RandomState::new(),
            next: 0,
        }
    }

    /// A page's number, and whether it is new.
    pub(super) fn page(&mut self, url: &str) -> (u32, bool) {
        let text = self.hasher.hash_one(url);
        if let Some(id) = self.ids.get(&text) {
            return (*id, false);
        }
        let id = self.take_next();
        self.remember(text, id);
        (id, true)
    }

    /// A link's number, and whether it is new; `None` if it is unknown and the table is full.
    pub(super) fn link(&mut self, url: &str, key: UrlKey) -> Option<(u32, bool)> {
        if let Some(id) = self.ids.get(&key.0) {
            return Some((*id, false));
        }
        let text = self.hasher.hash_one(url);
        if let Some(id) = self.ids.get(&text).copied() {
            self.remember(key.0, id);
            return Some((id, false));
        }
        if self.ids.len() >= MAX_ENTRIES {
            return None;
        }
        let id = self.take_next();
        self.remember(text, id);
        self.remember(key.0, id);
        Some((id, true))
    }

    fn take_next(&mut self) -> u32 {
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        id
    }

    fn remember(&mut self, hash: u64, id: u32) {
        if self.ids.len() < MAX_ENTRIES {
            self.ids.insert(hash, id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_with_the_same_key_share_a_number() {
        let mut urls = Interner::new();
        assert_eq!(urls.page("http://a/"), (0, true));
        assert_eq!(urls.link("http://a/", UrlKey(1)), Some((0, false)));
        assert_eq!(urls.link("http://a/x", UrlKey(2)), Some((1, true)));
        assert_eq!(urls.link("http://a/x/", UrlKey(2)), Some((1, false)));
        assert_eq!(urls.page("http://a/x"), (1, false));
    }

    #[test]
    fn the_table_stops_growing_and_pages_still_get_numbers() {
        let mut urls = Interner::new();
        for number in 0..MAX_ENTRIES {
            urls.page(&number.to_string());
        }
        assert_eq!(urls.link("new", UrlKey(7)), None);
        let (first, new) = urls.page("new");
        assert!(new);
        assert_eq!(urls.page("newer"), (first + 1, true));
        assert_eq!(urls.ids.len(), MAX_ENTRIES);
    }
}
