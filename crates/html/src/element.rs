//! What the standard's tree rules say about an element, by its name alone.
//!
//! Only [`crate::foreign`] asks: inside svg and math, and nowhere else, the scanner has to know
//! which elements are open.

/// Names up to this length are kept whole: all that the rules mention, and those drawings have.
const KEPT: usize = 24;

/// An element's name in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ElementName {
    prefix: [u8; KEPT],
    length: usize,
}

impl ElementName {
    /// The name as written in a tag, in any case of letters.
    pub(crate) fn new(written: &[u8]) -> Self {
        let mut prefix = [0; KEPT];
        for (kept, byte) in prefix.iter_mut().zip(written) {
            *kept = byte.to_ascii_lowercase();
        }
        Self {
            prefix,
            length: written.len(),
        }
    }

    /// The name in lower case; empty for a name too long to be kept.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.prefix.get(..self.length).unwrap_or_default()
    }

    /// Whether equal names mean the same element. Not of long names, of which only the beginning
    /// is compared; nor of those with other bytes than ASCII, of which several may be decoded to
    /// one character.
    pub(crate) fn is_exact(&self) -> bool {
        self.length <= KEPT
            && self
                .as_bytes()
                .iter()
                .all(|byte| byte.is_ascii() && *byte != 0)
    }

    /// Start tags that cannot be inside svg or math and so end it. `font` is decided by its
    /// attributes and not here.
    #[rustfmt::skip]
    pub(crate) fn breaks_out(&self) -> bool {
        matches!(self.as_bytes(),
            b"b" | b"big" | b"blockquote" | b"body" | b"br" | b"center" | b"code" | b"dd" | b"div"
            | b"dl" | b"dt" | b"em" | b"embed" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6"
            | b"head" | b"hr" | b"i" | b"img" | b"li" | b"listing" | b"menu" | b"meta" | b"nobr"
            | b"ol" | b"p" | b"pre" | b"ruby" | b"s" | b"small" | b"span" | b"strong" | b"strike"
            | b"sub" | b"sup" | b"table" | b"tt" | b"u" | b"ul" | b"var")
    }

    /// Elements the standard calls formatting: left open, they are opened again in what follows.
    pub(crate) fn is_formatting(&self) -> bool {
        matches!(
            self.as_bytes(),
            b"a" | b"b"
                | b"big"
                | b"code"
                | b"em"
                | b"font"
                | b"i"
                | b"nobr"
                | b"s"
                | b"small"
                | b"strike"
                | b"strong"
                | b"tt"
                | b"u"
        )
    }

    /// The two elements that stay math in text of math.
    pub(crate) fn is_glyph(&self) -> bool {
        matches!(self.as_bytes(), b"mglyph" | b"malignmark")
    }
}
