//! The walk over one page, from `<` to `<`.
//!
//! Follows the tokeniser of the HTML standard to the byte. Of the tree rules it keeps those that
//! change how bytes are read: raw text elements, templates (counted), svg and math.
//!
//! Differences from a browser, all from the tree it does not build: links in a `frameset` page
//! outside `noframes` are reported although the browser drops them; a raw text element whose start
//! tag the tree rules ignore (behind a stray `col` in a `template`, or in a `frameset`) is still
//! read as raw text; and what [`crate::foreign`] says of svg and math. Links in `select` are
//! reported, as by the current standard; the one before dropped them. Elements that a browser
//! clones or moves (an `a` left open across paragraphs, a link between table rows) are reported
//! once, where they are written; the rare clone that leaves its template is not reported at all.

use encoding_rs::Encoding;
use memchr::memchr;

use crate::attributes::{Attributes, is_space};
use crate::element::ElementName;
use crate::foreign::Foreign;
use crate::markup::{bogus_end, declaration_end};
use crate::raw_text::{raw_text_end, script_end};
use crate::scan::{Found, Link};
use crate::start_tag::StartTag;
use crate::tag::Tag;
use crate::value::ValueDecoder;

/// One scan of one page. Not generic over its caller: the walk is compiled once, here, with all
/// it calls, and a link is dear enough to hide the cost of an indirect call.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    each: &'a mut dyn FnMut(Found<'_>),
    values: ValueDecoder,
    foreign: Foreign,
    /// how many templates are open: inside one, nothing is reported
    templates: usize,
}

impl<'a> Scanner<'a> {
    /// A scan of `bytes`, whose encoding must keep ASCII bytes as they are.
    pub(crate) fn new(
        bytes: &'a [u8],
        encoding: &'static Encoding,
        each: &'a mut dyn FnMut(Found<'_>),
    ) -> Self {
        let values = ValueDecoder::new(encoding);
        Self {
            bytes,
            each,
            values,
            foreign: Foreign::default(),
            templates: 0,
        }
    }

    /// Scans the page to its end.
    pub(crate) fn run(mut self) {
        let bytes = self.bytes;
        let mut at = 0;
        while let Some(length) = memchr(b'<', &bytes[at..]) {
            let open = at + length;
            at = match bytes.get(open + 1) {
                Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(open + 1),
                Some(b'/') => self.end_tag(open + 2),
                Some(b'!') => declaration_end(bytes, open, self.foreign.is_current()),
                Some(b'?') => bogus_end(bytes, open + 2),
                _ => open + 1,
            };
        }
    }

    /// Reads the start tag whose name starts at `at`, and the raw text behind it if it has any.
    /// Returns where to go on.
    fn start_tag(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        let name = &bytes[at..name_end(bytes, at)];
        let tag = Tag::of(name);
        let mut attributes = Attributes::new(bytes, at + name.len());
        if tag == Tag::Other && self.foreign.is_empty() {
            return if attributes.skip() {
                attributes.position()
            } else {
                bytes.len()
            };
        }
        let Some(start) = StartTag::read(&mut attributes) else {
            return bytes.len();
        };
        let behind = attributes.position();
        let in_plain_html = self.foreign.is_empty() && !matches!(tag, Tag::Svg | Tag::Math);
        let html = in_plain_html || self.foreign.start(&ElementName::new(name), tag, &start);
        match tag {
            Tag::Anchor => self.report_link(&start),
            _ if !html => {}
            Tag::Base => self.report_base(&start),
            Tag::Template => self.templates += 1,
            Tag::Script => return self.behind_raw_text(script_end(bytes, behind), name),
            Tag::RawText => {
                return self.behind_raw_text(raw_text_end(bytes, behind, name), name);
            }
            Tag::Plaintext => return bytes.len(),
            Tag::Svg | Tag::Math | Tag::Other => {}
        }
        behind
    }

    /// Where to go on behind the end tag at `close` that ended raw text. It closes the element it
    /// ended and no other, so the open elements never hear of it.
    fn behind_raw_text(&self, close: usize, name: &[u8]) -> usize {
        let mut attributes = Attributes::new(self.bytes, close + 2 + name.len());
        if attributes.skip() {
            attributes.position()
        } else {
            self.bytes.len()
        }
    }

    /// Reads what follows a `</` that ends before `at`.
    fn end_tag(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_alphabetic() => {}
            Some(_) => return bogus_end(bytes, at),
            None => return at,
        }
        let name = &bytes[at..name_end(bytes, at)];
        let mut attributes = Attributes::new(bytes, at + name.len());
        if !attributes.skip() {
            return bytes.len();
        }
        let html = self.foreign.is_empty() || self.foreign.end(&ElementName::new(name));
        if html && self.templates > 0 && Tag::of(name) == Tag::Template {
            self.templates -= 1;
            self.foreign.end_template();
        }
        attributes.position()
    }

    fn report_link(&mut self, start: &StartTag<'_>) {
        let Some(href) = start.href.filter(|_| self.templates == 0) else {
            return;
        };
        let nofollow = start.rel.is_some_and(|rel| {
            let mut tokens = self.values.decode(rel).split_ascii_whitespace();
            tokens.any(|token| token.eq_ignore_ascii_case("nofollow"))
        });
        let href = self.values.decode(href);
        (self.each)(Found::Link(Link {
            href,
            nofollow,
            download: start.download,
        }));
    }

    fn report_base(&mut self, start: &StartTag<'_>) {
        if let Some(href) = start.href.filter(|_| self.templates == 0) {
            (self.each)(Found::Base(self.values.decode(href)));
        }
    }
}

/// Where the tag name that starts at `at` ends.
#[inline]
fn name_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b'>' | b'/') || is_space(*byte);
    bytes[at..]
        .iter()
        .position(ends)
        .map_or(bytes.len(), |length| at + length)
}
