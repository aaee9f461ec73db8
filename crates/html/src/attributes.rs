//! The inside of a tag, from the end of its name to its `>`.
//!
//! One cursor for the scanner and for the charset prescan: the two algorithms of the standard
//! agree on everything but error reports. Values are handed out raw, as slices of the page; who
//! needs one decodes it. The cursor never looks at a byte twice, and it knows nothing of
//! duplicates: the first of a name wins because its reader keeps the first.

use crate::bytes::{Class, find};

/// What the cursor met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// An attribute, its value empty where none was written.
    Attribute { name: &'a [u8], value: &'a [u8] },
    /// The `>`; `self_closing` when a `/` stood right before it.
    Closed { self_closing: bool },
    /// The page ended inside the tag, which is then no tag at all.
    Unclosed,
}

/// A cursor over the attributes of one tag.
#[derive(Debug)]
pub(crate) struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Attributes<'a> {
    /// Starts at the first byte after the tag's name.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Where the cursor stands; after [`Step::Closed`], the first byte behind the tag.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Reads on to the end of the tag; false when the page ends first. The same as steps to the end, without what is found
    /// on the way: most tags are read like this.
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
            at = behind_space(bytes, Class::NAME_END.find(bytes, at));
            if bytes.get(at) != Some(&b'=') {
                continue;
            }
            at = behind_space(bytes, at + 1);
            at = match bytes.get(at) {
                Some(quote @ (b'"' | b'\'')) => match find(*quote, &bytes[at + 1..]) {
                    Some(length) => at + length + 2,
                    None => break,
                },
                _ => Class::VALUE_END.find(bytes, at),
            };
        }
        self.at = bytes.len();
        false
    }

    /// Reads one attribute or the end of the tag.
    #[inline]
    pub(crate) fn step(&mut self) -> Step<'a> {
        let bytes = self.bytes;
        let mut at = self.at;
        let mut self_closing = false;
        loop {
            match bytes.get(at) {
                None => return self.unclosed(),
                Some(b'>') => {
                    self.at = at + 1;
                    return Step::Closed { self_closing };
                }
                Some(b'/') => self_closing = true,
                Some(byte) if is_space(*byte) => self_closing = false,
                // a leading `=` belongs to the name
                Some(_) => break,
            }
            at += 1;
        }
        let start = at;
        at = Class::NAME_END.find(bytes, start + 1);
        if at == bytes.len() {
            return self.unclosed();
        }
        let name = &bytes[start..at];
        at = behind_space(bytes, at);
        if bytes.get(at) != Some(&b'=') {
            self.at = at;
            return Step::Attribute { name, value: &[] };
        }
        at = behind_space(bytes, at + 1);
        if let Some(quote @ (b'"' | b'\'')) = bytes.get(at) {
            let Some(length) = find(*quote, &bytes[at + 1..]) else {
                return self.unclosed();
            };
            self.at = at + length + 2;
            let value = &bytes[at + 1..at + 1 + length];
            return Step::Attribute { name, value };
        }
        let end = Class::VALUE_END.find(bytes, at);
        if end == bytes.len() {
            return self.unclosed();
        }
        self.at = end;
        let value = &bytes[at..end];
        Step::Attribute { name, value }
    }

    fn unclosed(&mut self) -> Step<'a> {
        self.at = self.bytes.len();
        Step::Unclosed
    }
}

/// Where the first byte from `at` on is that is no white space.
#[inline]
fn behind_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| is_space(*byte)) {
        at += 1;
    }
    at
}

/// HTML's white space.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    Class::SPACE.has(byte)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{Attributes, Step};

    fn read(tag: &str) -> String {
        let mut attributes = Attributes::new(tag.as_bytes(), 0);
        let mut out = String::new();
        loop {
            match attributes.step() {
                Step::Attribute { name, value } => {
                    let name = String::from_utf8_lossy(name);
                    let value = String::from_utf8_lossy(value);
                    write!(out, "[{name}|{value}]").unwrap();
                }
                Step::Closed { self_closing } => {
                    let rest = &tag[attributes.position()..];
                    return out + if self_closing { "/>" } else { ">" } + rest;
                }
                Step::Unclosed => return out + "…",
            }
        }
    }

    /// Skipping is the same way, without what is found on it.
    #[test]
    fn skipping_ends_where_steps_end() {
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
                match stepping.step() {
                    Step::Attribute { .. } => {}
                    Step::Closed { .. } => break true,
                    Step::Unclosed => break false,
                }
            };
            assert_eq!(skipping.skip(), closed, "{tag:?}");
            assert_eq!(skipping.position(), stepping.position(), "{tag:?}");
        }
    }

    #[test]
    fn every_way_to_write_an_attribute() {
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
