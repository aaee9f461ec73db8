//! Which tags the scanner has to stop for.
//!
//! Nearly every tag of a page is [`Tag::Other`], so the question must cost next to nothing: the
//! name's length and first letter leave one or two candidates, and only those are compared.

/// A tag, by what it means to the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Anchor,
    Base,
    /// Behind it a `frameset` is ignored.
    Body,
    /// Where it is not ignored, it takes the place of all that a page has in its body.
    Frameset,
    Template,
    Svg,
    Math,
    Script,
    /// Raw text or RCDATA: nothing in it is markup but its own end tag.
    RawText,
    /// The rest of the page is text.
    Plaintext,
    Other,
}

impl Tag {
    /// The tag of that name, in any case of letters.
    #[inline]
    pub(crate) fn of(name: &[u8]) -> Self {
        let Some(first) = name.first() else {
            return Tag::Other;
        };
        let (candidate, tag) = match (name.len(), first | 0x20) {
            (1, b'a') => return Tag::Anchor,
            (3, b's') => ("svg", Tag::Svg),
            (3, b'x') => ("xmp", Tag::RawText),
            (4, b'b') if name[1] | 0x20 == b'o' => ("body", Tag::Body),
            (4, b'b') => ("base", Tag::Base),
            (4, b'm') => ("math", Tag::Math),
            (5, b's') => ("style", Tag::RawText),
            (5, b't') => ("title", Tag::RawText),
            (6, b's') => ("script", Tag::Script),
            (6, b'i') => ("iframe", Tag::RawText),
            (7, b'n') => ("noembed", Tag::RawText),
            (8, b'f') => ("frameset", Tag::Frameset),
            (8, b'n') => ("noframes", Tag::RawText),
            (8, b't') if name[2] | 0x20 == b'x' => ("textarea", Tag::RawText),
            (8, b't') => ("template", Tag::Template),
            (9, b'p') => ("plaintext", Tag::Plaintext),
            _ => return Tag::Other,
        };
        if name.eq_ignore_ascii_case(candidate.as_bytes()) {
            tag
        } else {
            Tag::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tag;

    #[test]
    fn names_in_any_case_and_nothing_else() {
        let table = [
            ("a", Tag::Anchor),
            ("A", Tag::Anchor),
            ("b", Tag::Other),
            ("a\0", Tag::Other),
            ("\u{1}", Tag::Other),
            ("BaSe", Tag::Base),
            ("basefont", Tag::Other),
            ("BODY", Tag::Body),
            ("both", Tag::Other),
            ("frameset", Tag::Frameset),
            ("FrameSet", Tag::Frameset),
            ("frame", Tag::Other),
            ("template", Tag::Template),
            ("TEXTAREA", Tag::RawText),
            ("testarea", Tag::Other),
            ("noscript", Tag::Other),
            ("noFrames", Tag::RawText),
            ("plaintext", Tag::Plaintext),
            ("xmp", Tag::RawText),
            ("iframe", Tag::RawText),
            ("noembed", Tag::RawText),
            ("style", Tag::RawText),
            ("title", Tag::RawText),
            ("table", Tag::Other),
            ("math", Tag::Math),
            ("main", Tag::Other),
            ("sVg", Tag::Svg),
            ("sup", Tag::Other),
            ("ScripT", Tag::Script),
            ("strong", Tag::Other),
            ("", Tag::Other),
        ];
        for (name, tag) in table {
            assert_eq!(Tag::of(name.as_bytes()), tag, "{name:?}");
        }
    }
}
