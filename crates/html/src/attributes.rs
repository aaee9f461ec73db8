//! The inside of a tag, from the end of its name to its `>`.
//!
//! One cursor for both the scanner and the charset prescan: the two algorithms of the HTML standard differ
//! only in error reporting. Values are returned raw, as slices of the page; the caller decodes the ones it
//! needs. The cursor never looks at a byte twice and does not detect duplicates: the first attribute of a name
//! wins because callers keep the first.

use crate::bytes::{ByteClass, find};

/// One part of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagPart<'a> {
    /// An attribute; the value is empty if none was written.
    Attribute { name: &'a [u8], value: &'a [u8] },
    /// The closing `>`; `self_closing` if a `/` came right before it.
    Closed { self_closing: bool },
    /// The page ended inside the tag, so there is no tag at all.
    Unclosed,
}

/// A cursor over the attributes of one tag.
#[derive(Debug)]
pub(crate) struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Attributes<'a> {
    /// A cursor at the first byte after the tag name.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The position of the cursor; after [`TagPart::Closed`], the first byte after the tag.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Skips to the end of the tag; returns false if the page ends first. Equivalent to calling `next_part`
    /// until the end, without producing the attributes: most tags are read this way.
    pub(crate) fn skip(&mut self) -> bool {
        let bytes = self.bytes;
        let mut at = self.at;
        while let Some(byte) = bytes.get(at) {
            at += 1;
            if *byte == b'>' {
                self.at = at;
                return true;
            }
            if *byte == b'/' || is_space(*byte) {
                continue;
            }
            at = skip_space(bytes, ByteClass::NAME_END.find(bytes, at));
            if bytes.get(at) != Some(&b'=') {
                continue;
            }
            at = skip_space(bytes, at + 1);
            at = match bytes.get(at) {
                Some(quote @ (b'"' | b'\'')) => match find(*quote, &bytes[at + 1..]) {
                    Some(length) => at + length + 2,
                    None => break,
                },
                _ => ByteClass::VALUE_END.find(bytes, at),
            };
        }
        self.at = bytes.len();
        false
    }

    /// Reads one attribute or the end of the tag.
    #[inline]
    pub(crate) fn next_part(&mut self) -> TagPart<'a> {
        let bytes = self.bytes;
        let mut at = self.at;
        let mut self_closing = false;
        loop {
            match bytes.get(at) {
                None => return self.unclosed(),
                Some(b'>') => {
                    self.at = at + 1;
                    return TagPart::Closed { self_closing };
                }
                Some(b'/') => self_closing = true,
                Some(byte) if is_space(*byte) => self_closing = false,
                // a leading `=` belongs to the name
                Some(_) => break,
            }
            at += 1;
        }
        let start = at;
        at = ByteClass::NAME_END.find(bytes, start + 1);
        if at == bytes.len() {
            return self.unclosed();
        }
        let name = &bytes[start..at];
        at = skip_space(bytes, at);
        if bytes.get(at) != Some(&b'=') {
            self.at = at;
            return TagPart::Attribute { name, value: &[] };
        }
        at = skip_space(bytes, at + 1);
        if let Some(quote @ (b'"' | b'\'')) = bytes.get(at) {
            let Some(length) = find(*quote, &bytes[at + 1..]) else {
                return self.unclosed();
            };
            self.at = at + length + 2;
            let value = &bytes[at + 1..at + 1 + length];
            return TagPart::Attribute { name, value };
        }
        let end = ByteClass::VALUE_END.find(bytes, at);
        if end == bytes.len() {
            return self.unclosed();
        }
        self.at = end;
        let value = &bytes[at..end];
        TagPart::Attribute { name, value }
    }

    fn unclosed(&mut self) -> TagPart<'a> {
        self.at = self.bytes.len();
        TagPart::Unclosed
    }
}

/// The position of the first byte at or after `at` that is not white space.
#[inline]
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| is_space(*byte)) {
        at += 1;
    }
    at
}

/// HTML's white space.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    ByteClass::SPACE.has(byte)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{Attributes, TagPart};

    fn read(tag: &str) -> String {
        let mut attributes = Attributes::new(tag.as_bytes(), 0);
        let mut out = String::new();
        loop {
            match attributes.next_part() {
                TagPart::Attribute { name, value } => {
                    let name = String::from_utf8_lossy(name);
                    let value = String::from_utf8_lossy(value);
                    write!(out, "[{name}|{value}]").unwrap();
                }
                TagPart::Closed { self_closing } => {
                    let rest = &tag[attributes.position()..];
                    return out + if self_closing { "/>" } else { ">" } + rest;
                }
                TagPart::Unclosed => return out + "…",
            }
        }
    }

    /// Skipping and stepping must end at the same byte.
    #[test]
    fn skipping_ends_at_the_same_byte_as_stepping() {
        let letters = b"a=/>\"' \nb";
        let mut number = 1_u64;
        for _ in 0..20_000 {
            let tag: Vec<u8> = (0..12)
                .map(|_| {
                    number = number
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    letters[(number >> 33) as usize % letters.len()]
                })
                .collect();
            let (mut stepping, mut skipping) = (Attributes::new(&tag, 0), Attributes::new(&tag, 0));
            let closed = loop {
                match stepping.next_part() {
                    TagPart::Attribute { .. } => {}
                    TagPart::Closed { .. } => break true,
                    TagPart::Unclosed => break false,
                }
            };
            assert_eq!(skipping.skip(), closed, "{tag:?}");
            assert_eq!(skipping.position(), stepping.position(), "{tag:?}");
        }
    }

    #[test]
    fn attributes_in_every_syntax() {
        let table = [
            (">", ">"),
            ("/>", "/>"),
            ("/ >", ">"),
            (" / / >rest", ">rest"),
            (" a>", "[a|]>"),
            (" a/>", "[a|]/>"),
            (" a=b/>", "[a|b/]>"),
            (" a=b />", "[a|b]/>"),
            (" a=\"b\"/>", "[a|b]/>"),
            (" a='b\"c'd=e>", "[a|b\"c][d|e]>"),
            (" a=\"x>y\">z", "[a|x>y]>z"),
            (" a = b\tc\n=\r'd'>", "[a|b][c|d]>"),
            (" =a=b>", "[=a|b]>"),
            (" ==b>", "[=|b]>"),
            (" a=>b", "[a|]>b"),
            (" a= >b", "[a|]>b"),
            (" a==\"b>", "[a|=\"b]>"),
            (" \"a\"=b>", "[\"a\"|b]>"),
            (" a<b=c>", "[a<b|c]>"),
            (" a=b=\"c>", "[a|b=\"c]>"),
            ("/a/b=c/d>", "[a|][b|c/d]>"),
            (" a=\"\">", "[a|]>"),
            ("", "…"),
            (" a", "…"),
            (" a=", "…"),
            (" a=b", "…"),
            (" a=\"b>", "…"),
            (" a b='", "[a|]…"),
        ];
        for (tag, expected) in table {
            assert_eq!(read(tag), expected, "{tag:?}");
            let mut skipping = Attributes::new(tag.as_bytes(), 0);
            let closed = skipping.skip();
            assert_eq!(closed, !expected.ends_with('…'), "{tag:?}");
            let rest = expected.rsplit('>').next().filter(|_| closed);
            assert_eq!(&tag[skipping.position()..], rest.unwrap_or_default());
        }
    }
}
