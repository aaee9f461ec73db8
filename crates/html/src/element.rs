//! Rules of the HTML standard that depend on an element's name alone.
//!
//! Used only by [`crate::foreign_content`]: inside SVG and MathML, and nowhere else, the scanner has to know
//! which elements are open.

/// Names up to this length are stored in full: all that the rules mention and all that drawings use.
const MAX_NAME: usize = 24;

/// An element's name in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ElementName {
    prefix: [u8; MAX_NAME],
    length: usize,
}

impl ElementName {
    /// Takes a name as written in a tag, in upper or lower case.
    pub(crate) fn new(written: &[u8]) -> Self {
        let mut prefix = [0; MAX_NAME];
        for (kept, byte) in prefix.iter_mut().zip(written) {
            *kept = byte.to_ascii_lowercase();
        }
        Self {
            prefix,
            length: written.len(),
        }
    }

    /// The name in lower case; empty if it was too long to store.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.prefix.get(..self.length).unwrap_or_default()
    }

    /// Whether equal names mean the same element. Not true of long names, of which only the beginning is
    /// compared, nor of names with non-ASCII bytes, several of which may decode to the same character.
    pub(crate) fn is_exact(&self) -> bool {
        self.length <= MAX_NAME
            && self
                .as_bytes()
                .iter()
                .all(|byte| byte.is_ascii() && *byte != 0)
    }

    /// Whether the start tag cannot be inside SVG or MathML and therefore ends it. `font` depends on its
    /// attributes and is handled by the caller.
    #[rustfmt::skip]
    pub(crate) fn breaks_out(&self) -> bool {
        matches!(self.as_bytes(),
            b"b" | b"big" | b"blockquote" | b"body" | b"br" | b"center" | b"code" | b"dd" | b"div"
            | b"dl" | b"dt" | b"em" | b"embed" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6"
            | b"head" | b"hr" | b"i" | b"img" | b"li" | b"listing" | b"menu" | b"meta" | b"nobr"
            | b"ol" | b"p" | b"pre" | b"ruby" | b"s" | b"small" | b"span" | b"strong" | b"strike"
            | b"sub" | b"sup" | b"table" | b"tt" | b"u" | b"ul" | b"var")
    }

    /// Whether the standard calls the element *formatting*: left open, it is reopened in what follows.
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

    /// The two elements that remain MathML inside a MathML text integration point.
    pub(crate) fn is_glyph(&self) -> bool {
        matches!(self.as_bytes(), b"mglyph" | b"malignmark")
    }
}
