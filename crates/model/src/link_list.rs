//! The links of one page: one buffer of text, a small entry per link.
//!
//! Links stay ranges in the page's buffer until one of them turns out to be new; a page with a thousand
//! links costs two allocations, not a thousand.

use crawler_weburl::{UrlKey, UrlRef};

const USUAL_LINKS: usize = 32;
/// Bytes of one link.
const USUAL_TEXT: usize = 48;

/// Facts about a link besides its URL.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkFacts {
    /// `rel` contains `nofollow`.
    pub nofollow: bool,
    /// It has a `download` attribute.
    pub download: bool,
    /// An `http` or `https` URL.
    pub web: bool,
    /// The crawl's scope contains it.
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

/// A page's links in document order, duplicates kept.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LinkList {
    text: String,
    entries: Vec<Entry>,
    web: u64,
    omitted: u64,
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
    /// The URL's parts; `None` for other schemes.
    pub fn parts(&self) -> Option<UrlRef<'a>> {
        if self.facts.web {
            UrlRef::split(self.page)
        } else {
            None
        }
    }
}

impl LinkList {
    /// An empty list with capacity for the links of a typical page: growing to it would cost as much as finding them.
    pub fn roomy() -> Self {
        Self {
            text: String::with_capacity(USUAL_LINKS * USUAL_TEXT),
            entries: Vec::with_capacity(USUAL_LINKS),
            ..Self::default()
        }
    }

    /// The buffer a resolver writes the next link into. Follow it with [`LinkList::keep`].
    pub fn buffer(&mut self) -> &mut String {
        &mut self.text
    }

    /// Makes a link of what was written to the buffer since the last one. `page_len` is its length
    /// without the fragment. False when the buffer is too long to be addressed; the text is dropped.
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

    /// Drops what was written to the buffer since the last link.
    pub fn drop_unkept(&mut self) {
        let kept = self.entries.last().map_or(0, |entry| entry.end as usize);
        self.text.truncate(kept);
    }

    /// Text written to the buffer since the last link.
    pub fn unkept(&self) -> &str {
        let kept = self.entries.last().map_or(0, |entry| entry.end as usize);
        &self.text[kept..]
    }

    /// Adds one link as a whole; for tests and for pages whose one link is their target.
    pub fn push(&mut self, full: &str, page_len: usize, key: UrlKey, facts: LinkFacts) {
        self.drop_unkept();
        self.text.push_str(full);
        self.keep(page_len, key, facts);
    }

    /// Counts a link that was left out because the page has more than we keep.
    pub fn omit(&mut self) {
        self.omitted += 1;
    }

    /// Counts this many links that were left out.
    pub fn omit_many(&mut self, count: u64) {
        self.omitted = self.omitted.saturating_add(count);
    }

    /// How many links were left out.
    pub fn omitted(&self) -> u64 {
        self.omitted
    }

    /// The concatenated text of all links.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes of text held.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// How many of the links are web links, those left out included.
    pub fn web_len(&self) -> u64 {
        self.web + self.omitted
    }

    /// How many links there are, of any scheme.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The links in document order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ListedLink<'_>> {
        self.entries.iter().map(|entry| ListedLink {
            full: &self.text[entry.start as usize..entry.end as usize],
            page: &self.text[entry.start as usize..entry.page_end as usize],
            key: entry.key,
            facts: entry.facts,
        })
    }

    /// Releases spare capacity; for lists that wait in a queue.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.entries.shrink_to_fit();
    }
}
