//! A page's text, reduced to what tells whether it repeats another page.

/// Limit on the phrases of a sketch.
pub const MAX_PHRASES: usize = 256;

/// A sketch of a page's visible text.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TextSketch {
    /// Number of words.
    pub words: u32,
    /// A hash of the words in their order.
    pub exact: UrlFree,
    /// A hash of the set of pairs of words and numbers, without dates.
    pub content: UrlFree,
    /// Hashes of phrases of three words, without numbers and dates: all of a short page, a sample of a long one. Sorted.
    pub phrases: Vec<u32>,
    /// Number of distinct phrases on the page.
    pub distinct: u32,
}

/// A hash of all words, and one without those that are in the page's URL.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct UrlFree {
    /// The hash of all.
    pub all: u64,
    /// The hash of those that are not in the URL.
    pub rest: u64,
}
