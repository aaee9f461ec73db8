//! A page's text, reduced to what tells whether it repeats another page.

/// Limit on the phrases of a sketch.
pub const MAX_PHRASES: usize = 256;

/// A sketch of a page's visible text.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TextSketch {
    /// Number of words.
    pub words: u32,
    /// A hash of the text as it is.
    pub exact: u64,
    /// Hashes of phrases of three words, without numbers and dates: all of a short page, a sample of a long one. Sorted.
    pub phrases: Vec<u32>,
    /// Number of distinct phrases on the page.
    pub distinct: u32,
}
