//! What the standard's tree rules say about an element, by its name alone.
//!
//! Only [`crate::foreign`] asks: inside svg and math, and nowhere else, the scanner has to know
//! which elements are open.

/// Names up to this length are kept whole; no name the rules mention is longer.
const KEPT: usize = 16;

/// An element's name in lower case. Longer names than any the rules know are told apart by their
/// first bytes and their length.
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

    /// The name in lower case; empty for a name too long to be known.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.prefix.get(..self.length).unwrap_or_default()
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

    /// Elements that have no content and are never open.
    #[rustfmt::skip]
    pub(crate) fn is_void(&self) -> bool {
        matches!(self.as_bytes(),
            b"area" | b"base" | b"basefont" | b"bgsound" | b"br" | b"col" | b"embed" | b"frame"
            | b"hr" | b"image" | b"img" | b"input" | b"keygen" | b"link" | b"meta" | b"param"
            | b"source" | b"track" | b"wbr")
    }

    /// Elements that exist only inside a table, or once per page: elsewhere their tags are ignored.
    pub(crate) fn is_table_part(&self) -> bool {
        matches!(
            self.as_bytes(),
            b"caption" | b"colgroup" | b"tbody" | b"td" | b"tfoot" | b"th" | b"thead" | b"tr"
        )
    }

    /// Elements of which a page has one, opened outside any svg.
    pub(crate) fn is_page_frame(&self) -> bool {
        matches!(self.as_bytes(), b"html" | b"head" | b"body" | b"frameset")
    }

    /// Elements whose start tag closes an open `p`.
    #[rustfmt::skip]
    pub(crate) fn closes_paragraph(&self) -> bool {
        matches!(self.as_bytes(),
            b"address" | b"article" | b"aside" | b"blockquote" | b"center" | b"dd" | b"details"
            | b"dialog" | b"dir" | b"div" | b"dl" | b"dt" | b"fieldset" | b"figcaption" | b"figure"
            | b"footer" | b"form" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"header"
            | b"hgroup" | b"hr" | b"li" | b"listing" | b"main" | b"menu" | b"nav" | b"ol" | b"p"
            | b"plaintext" | b"pre" | b"search" | b"section" | b"summary" | b"table" | b"ul"
            | b"xmp")
    }

    /// Elements that stop the search for an open element "in scope".
    pub(crate) fn is_scope(&self) -> bool {
        matches!(
            self.as_bytes(),
            b"applet"
                | b"caption"
                | b"marquee"
                | b"object"
                | b"select"
                | b"table"
                | b"td"
                | b"template"
                | b"th"
        )
    }

    /// Elements the standard calls formatting: their end tags reach through blocks.
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

    /// Elements the standard calls special: an ordinary end tag does not reach through them.
    #[rustfmt::skip]
    pub(crate) fn is_special(&self) -> bool {
        self.is_scope()
            || self.is_table_part()
            || (self.closes_paragraph() && !matches!(self.as_bytes(), b"dialog" | b"search"))
            || matches!(self.as_bytes(), b"button" | b"noscript")
    }

    /// End tags that, met in svg or math with nothing of that name open there, are taken to close
    /// an element around it. The scanner does not know what is open outside; it trusts the page.
    #[rustfmt::skip]
    pub(crate) fn closes_around(&self) -> bool {
        let name = self.as_bytes();
        (self.is_special() && !matches!(name, b"hr" | b"plaintext" | b"xmp"))
            || self.is_formatting()
            || matches!(name,
                b"abbr" | b"audio" | b"bdi" | b"bdo" | b"canvas" | b"cite" | b"data" | b"del"
                | b"dfn" | b"dialog" | b"ins" | b"kbd" | b"label" | b"mark" | b"optgroup"
                | b"option" | b"output" | b"picture" | b"q" | b"rp" | b"rt" | b"ruby" | b"samp"
                | b"search" | b"slot" | b"span" | b"sub" | b"sup" | b"time" | b"var" | b"video")
            || (name.contains(&b'-')
                && !matches!(name, b"annotation-xml" | b"color-profile" | b"missing-glyph")
                && !name.starts_with(b"font-face"))
    }
}
