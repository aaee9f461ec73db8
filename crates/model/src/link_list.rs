//! The links of one page: one text buffer, and a small entry per link.
//!
//! A link is a range in the buffer, so a page with a thousand links takes two allocations, not a thousand.

use crawler_weburl::{UrlKey, UrlRef};

use crate::RefuseReason;

/// Number of links on a typical page.
const TYPICAL_LINKS: usize = 32;
/// Length of a typical link in bytes.
const TYPICAL_LINK_BYTES: usize = 48;

/// Facts about a link besides its URL.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkFacts {
    /// `rel` contains `nofollow`.
    pub nofollow: bool,
    /// It has a `download` attribute.
    pub download: bool,
    /// An `http` or `https` URL.
    pub web: bool,
    /// It is in the crawl's scope.
    pub in_scope: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    start: u32,
    page_end: u32,
    end: u32,
    facts: LinkFacts,
    key: UrlKey,
}

/// A page's links in document order, with duplicates.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LinkList {
    text: String,
    entries: Vec<Entry>,
    /// Links that the frontier refused: their index and the reason.
    refused: Vec<(u32, RefuseReason)>,
    web: u64,
    omitted: u64,
    incomplete: bool,
}

/// One link of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedLink<'a> {
    /// The absolute URL as found, with its fragment.
    pub full: &'a str,
    /// The URL without its fragment.
    pub page: &'a str,
    /// The dedupe key; meaningful for web links only.
    pub key: UrlKey,
    /// Other facts.
    pub facts: LinkFacts,
}

impl<'a> ListedLink<'a> {
    /// Returns the parts of a web URL; `None` for other schemes.
    pub fn parts(&self) -> Option<UrlRef<'a>> {
        if self.facts.web {
            UrlRef::split(self.page)
        } else {
            None
        }
    }
}

impl LinkList {
    /// Creates an empty list with capacity for the links of a typical page, because growing costs as much as finding them.
    pub fn with_typical_capacity() -> Self {
        Self {
            text: String::with_capacity(TYPICAL_LINKS * TYPICAL_LINK_BYTES),
            entries: Vec::with_capacity(TYPICAL_LINKS),
            ..Self::default()
        }
    }

    /// Records that links of the page may be missing or wrong.
    pub fn set_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// Whether links of the page may be missing or wrong.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// Returns the buffer, for a resolver to append the next link. Call [`LinkList::keep`] or [`LinkList::drop_unkept`] next.
    pub fn buffer(&mut self) -> &mut String {
        &mut self.text
    }

    /// Adds the text appended to the buffer since the last link as a link. `page_len` is its length without the fragment.
    /// Returns false, and drops the text, if the buffer is too long for 32-bit offsets.
    pub fn keep(&mut self, page_len: usize, key: UrlKey, facts: LinkFacts) -> bool {
        let start = self.entries.last().map_or(0, |entry| entry.end);
        let (Ok(end), Ok(page_len)) = (u32::try_from(self.text.len()), u32::try_from(page_len))
        else {
            self.drop_unkept();
            return false;
        };
        self.web += u64::from(facts.web);
        self.entries.push(Entry {
            start,
            page_end: start + page_len,
            end,
            facts,
            key,
        });
        true
    }

    /// Drops the text appended to the buffer since the last link.
    pub fn drop_unkept(&mut self) {
        let kept = self.entries.last().map_or(0, |entry| entry.end as usize);
        self.text.truncate(kept);
    }

    /// Returns the text appended to the buffer since the last link.
    pub fn unkept(&self) -> &str {
        let kept = self.entries.last().map_or(0, |entry| entry.end as usize);
        &self.text[kept..]
    }

    /// Adds a complete link, for tests and redirects.
    pub fn push(&mut self, full: &str, page_len: usize, key: UrlKey, facts: LinkFacts) {
        self.drop_unkept();
        self.text.push_str(full);
        self.keep(page_len, key, facts);
    }

    /// Counts a link that was omitted because the list is too long.
    pub fn omit(&mut self) {
        self.omitted += 1;
    }

    /// Counts several omitted links.
    pub fn omit_many(&mut self, count: u64) {
        self.omitted = self.omitted.saturating_add(count);
    }

    /// Returns the number of omitted links.
    pub fn omitted(&self) -> u64 {
        self.omitted
    }

    /// Returns the concatenated text of all links.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the length of the text in bytes.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Returns the number of web links, including omitted links.
    pub fn web_len(&self) -> u64 {
        self.web + self.omitted
    }

    /// Returns the number of links of any scheme, without omitted links.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the links in document order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ListedLink<'_>> {
        self.entries.iter().map(|entry| self.link(entry))
    }

    /// Returns the key and the facts of each link, in document order. They are often enough, and reading the text takes longer.
    #[inline]
    pub fn keys_and_facts(&self) -> impl ExactSizeIterator<Item = (UrlKey, LinkFacts)> {
        self.entries.iter().map(|entry| (entry.key, entry.facts))
    }

    /// Returns the link at an index, in document order.
    #[inline]
    pub fn get(&self, index: usize) -> Option<ListedLink<'_>> {
        self.entries.get(index).map(|entry| self.link(entry))
    }

    #[inline]
    fn link(&self, entry: &Entry) -> ListedLink<'_> {
        ListedLink {
            full: &self.text[entry.start as usize..entry.end as usize],
            page: &self.text[entry.start as usize..entry.page_end as usize],
            key: entry.key,
            facts: entry.facts,
        }
    }

    /// Records the links that the frontier refused, by index, in ascending order.
    pub fn set_refused(&mut self, refused: Vec<(u32, RefuseReason)>) {
        self.refused = refused;
    }

    /// Returns the index and the reason of each link that the frontier refused, in ascending order. Links that are already
    /// known, not http(s), or out of scope without patterns may be missing; the facts of a link show the last two.
    pub fn refused(&self) -> &[(u32, RefuseReason)] {
        &self.refused
    }

    /// Releases spare capacity; for lists that wait in a queue.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.entries.shrink_to_fit();
    }
}
