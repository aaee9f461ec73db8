//! The inside of a tag, from the end of its name to its `>`.
//!
//! One cursor for the scanner and for the charset prescan: the two algorithms of the standard
//! agree on everything but error reports. Values are handed out raw, as slices of the page; who
//! needs one decodes it. The cursor never looks at a byte twice, and it knows nothing of
//! duplicates: the first of a name wins because its reader keeps the first.

use memchr::memchr;

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

    /// Reads on to the end of the tag; false when the page ends first.
    #[inline]
    pub(crate) fn skip(&mut self) -> bool {
        loop {
            match self.step() {
                Step::Attribute { .. } => {}
                Step::Closed { .. } => return true,
                Step::Unclosed => return false,
            }
        }
    }

    /// Reads one attribute or the end of the tag.
    #[inline]
    pub(crate) fn step(&mut self) -> Step<'a> {
        let bytes = self.bytes;
        let mut self_closing = false;
        let start = loop {
            match bytes.get(self.at) {
                None => return Step::Unclosed,
                Some(b'>') => {
                    self.at += 1;
                    return Step::Closed { self_closing };
                }
                Some(b'/') => self_closing = true,
                Some(byte) if is_space(*byte) => self_closing = false,
                // a leading `=` belongs to the name
                Some(_) => break self.at,
            }
            self.at += 1;
        };
        let Some(length) = bytes[start + 1..].iter().position(|byte| ends_name(*byte)) else {
            return self.unclosed();
        };
        let name = &bytes[start..start + 1 + length];
        self.at = start + 1 + length;
        self.skip_space();
        if bytes.get(self.at) != Some(&b'=') {
            return Step::Attribute { name, value: &[] };
        }
        self.at += 1;
        self.skip_space();
        match self.value() {
            Some(value) => Step::Attribute { name, value },
            None => self.unclosed(),
        }
    }

    /// The value behind an `=`; `None` when the page ends inside it.
    #[inline]
    fn value(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        if let quote @ (b'"' | b'\'') = rest.first()? {
            let length = memchr(*quote, &rest[1..])?;
            self.at += length + 2;
            return Some(&rest[1..=length]);
        }
        let length = rest
            .iter()
            .position(|byte| *byte == b'>' || is_space(*byte))?;
        self.at += length;
        Some(&rest[..length])
    }

    #[inline]
    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| is_space(*byte)) {
            self.at += 1;
        }
    }

    fn unclosed(&mut self) -> Step<'a> {
        self.at = self.bytes.len();
        Step::Unclosed
    }
}

/// HTML's white space. A carriage return counts: the standard turns it into a line feed before
/// the tokeniser sees it.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}

#[inline]
fn ends_name(byte: u8) -> bool {
    matches!(byte, b'=' | b'>' | b'/') || is_space(byte)
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
        }
    }
}
