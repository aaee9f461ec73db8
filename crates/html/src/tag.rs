//! Which tags the scanner has to stop for.
//!
//! Nearly every tag of a page is [`Tag::Other`], so the question must cost next to nothing: the
//! name's length picks the few candidates, and only those are compared.

/// A tag, by what it means to the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Anchor,
    Base,
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
        let candidates: &[(&str, Tag)] = match name.len() {
            1 => &[("a", Tag::Anchor)],
            3 => &[("svg", Tag::Svg), ("xmp", Tag::RawText)],
            4 => &[("base", Tag::Base), ("math", Tag::Math)],
            5 => &[("style", Tag::RawText), ("title", Tag::RawText)],
            6 => &[("script", Tag::Script), ("iframe", Tag::RawText)],
            7 => &[("noembed", Tag::RawText)],
            8 => &[
                ("template", Tag::Template),
                ("textarea", Tag::RawText),
                ("noframes", Tag::RawText),
            ],
            9 => &[("plaintext", Tag::Plaintext)],
            _ => &[],
        };
        candidates
            .iter()
            .find(|(candidate, _)| name.eq_ignore_ascii_case(candidate.as_bytes()))
            .map_or(Tag::Other, |(_, tag)| *tag)
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
            ("BaSe", Tag::Base),
            ("basefont", Tag::Other),
            ("template", Tag::Template),
            ("TEXTAREA", Tag::RawText),
            ("noscript", Tag::Other),
            ("noFrames", Tag::RawText),
            ("plaintext", Tag::Plaintext),
            ("sVg", Tag::Svg),
            ("ScripT", Tag::Script),
            ("", Tag::Other),
        ];
        for (name, tag) in table {
            assert_eq!(Tag::of(name.as_bytes()), tag, "{name:?}");
        }
    }
}
