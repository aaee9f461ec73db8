//! The tags that matter to the scanner.
//!
//! Nearly every tag of a page is [`ScannerTag::Other`], so classification must cost next to nothing: length
//! and first letter leave one or two candidates, and only those are compared.

/// What a tag means to the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScannerTag {
    Anchor,
    Base,
    /// After it a `frameset` is ignored.
    Body,
    /// Unless ignored, it replaces the whole body of the page.
    Frameset,
    Template,
    Svg,
    Math,
    Script,
    /// Raw text or RCDATA: its own end tag is the only markup inside.
    RawText,
    /// The rest of the page is text.
    Plaintext,
    Other,
}

impl ScannerTag {
    /// Classifies a tag name, in upper or lower case.
    #[inline]
    pub(crate) fn of(name: &[u8]) -> Self {
        let Some(first) = name.first() else {
            return ScannerTag::Other;
        };
        let (candidate, tag) = match (name.len(), first | 0x20) {
            (1, b'a') => return ScannerTag::Anchor,
            (3, b's') => ("svg", ScannerTag::Svg),
            (3, b'x') => ("xmp", ScannerTag::RawText),
            (4, b'b') if name[1] | 0x20 == b'o' => ("body", ScannerTag::Body),
            (4, b'b') => ("base", ScannerTag::Base),
            (4, b'm') => ("math", ScannerTag::Math),
            (5, b's') => ("style", ScannerTag::RawText),
            (5, b't') => ("title", ScannerTag::RawText),
            (6, b's') => ("script", ScannerTag::Script),
            (6, b'i') => ("iframe", ScannerTag::RawText),
            (7, b'n') => ("noembed", ScannerTag::RawText),
            (8, b'f') => ("frameset", ScannerTag::Frameset),
            (8, b'n') => ("noframes", ScannerTag::RawText),
            (8, b't') if name[2] | 0x20 == b'x' => ("textarea", ScannerTag::RawText),
            (8, b't') => ("template", ScannerTag::Template),
            (9, b'p') => ("plaintext", ScannerTag::Plaintext),
            _ => return ScannerTag::Other,
        };
        if name.eq_ignore_ascii_case(candidate.as_bytes()) {
            tag
        } else {
            ScannerTag::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ScannerTag;

    #[test]
    fn names_in_any_case_and_nothing_else() {
        let table = [
            ("a", ScannerTag::Anchor),
            ("A", ScannerTag::Anchor),
            ("b", ScannerTag::Other),
            ("a\0", ScannerTag::Other),
            ("\u{1}", ScannerTag::Other),
            ("BaSe", ScannerTag::Base),
            ("basefont", ScannerTag::Other),
            ("BODY", ScannerTag::Body),
            ("both", ScannerTag::Other),
            ("frameset", ScannerTag::Frameset),
            ("FrameSet", ScannerTag::Frameset),
            ("frame", ScannerTag::Other),
            ("template", ScannerTag::Template),
            ("TEXTAREA", ScannerTag::RawText),
            ("testarea", ScannerTag::Other),
            ("noscript", ScannerTag::Other),
            ("noFrames", ScannerTag::RawText),
            ("plaintext", ScannerTag::Plaintext),
            ("xmp", ScannerTag::RawText),
            ("iframe", ScannerTag::RawText),
            ("noembed", ScannerTag::RawText),
            ("style", ScannerTag::RawText),
            ("title", ScannerTag::RawText),
            ("table", ScannerTag::Other),
            ("math", ScannerTag::Math),
            ("main", ScannerTag::Other),
            ("sVg", ScannerTag::Svg),
            ("sup", ScannerTag::Other),
            ("ScripT", ScannerTag::Script),
            ("strong", ScannerTag::Other),
            ("", ScannerTag::Other),
        ];
        for (name, tag) in table {
            assert_eq!(ScannerTag::of(name.as_bytes()), tag, "{name:?}");
        }
    }
}
