//! The walk over one page, from `<` to `<`.
//!
//! Follows the tokeniser of the HTML standard to the byte. Of the tree rules it keeps those that
//! change how bytes are read: raw text elements, templates (counted), svg and math.
//!
//! What it reports is what the tree of html5ever holds, on every page. Where its few rules do not
//! suffice it says so, before it reports anything wrong, and the rest of the page is read from the
//! real tree ([`crate::tree::links`]):
//!
//! * a `frameset` that may count: all links of the body are gone then, those before it as well;
//! * svg and math where [`crate::foreign`] cannot tell how a tag is read;
//! * a `template` from which a link may get out, or that ignores its content ([`crate::templates`]).
//!
//! Only a page too absurd for the tree to be whole is read on without it, as well as can be.
//!
//! Elements that a browser clones or moves (an `a` left open across paragraphs, a link between
//! table rows) are reported once, where they are written.

use encoding_rs::Encoding;

use crate::attributes::Attributes;
use crate::bytes::{Class, find};
use crate::element::ElementName;
use crate::foreign::{Foreign, Verdict};
use crate::markup::{bogus_end, declaration_end};
use crate::raw_text::{raw_text_end, script_end};
use crate::scan::{Found, Link, has_frameset};
use crate::start_tag::StartTag;
use crate::tag::Tag;
use crate::templates::Templates;
use crate::tree;
use crate::value::ValueDecoder;

/// One scan of one page. Not generic over its caller: the walk is compiled once, here, with all
/// it calls, and a link is dear enough to hide the cost of an indirect call.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    encoding: &'static Encoding,
    each: &'a mut dyn FnMut(Found<'_>),
    values: ValueDecoder,
    foreign: Foreign,
    templates: Templates,
    /// in plain HTML, in no template: only the tags of [`Tag`] mean something
    plain: bool,
    /// a `body` was opened: from there on, a `frameset` is ignored
    body: bool,
    /// links and bases reported
    reported: usize,
    /// the tree was asked, and could not tell
    alone: bool,
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
            encoding,
            each,
            values,
            foreign: Foreign::default(),
            templates: Templates::default(),
            plain: true,
            body: false,
            reported: 0,
            alone: false,
        }
    }

    /// Scans the page to its end.
    pub(crate) fn run(mut self) {
        let bytes = self.bytes;
        let mut at = 0;
        loop {
            // One tag right behind another is the usual case.
            let open = match bytes.get(at) {
                Some(b'<') => at,
                Some(_) => match find(b'<', &bytes[at..]) {
                    Some(length) => at + length,
                    None => return,
                },
                None => return,
            };
            at = match bytes.get(open + 1) {
                Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(open + 1),
                Some(b'/') => self.end_tag(open + 2),
                Some(b'!') => self.declaration(open),
                Some(b'?') => bogus_end(bytes, open + 2),
                _ => open + 1,
            };
        }
    }

    /// Reads the start tag whose name starts at `at`, and the raw text behind it if it has any.
    /// Returns where to go on.
    fn start_tag(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        let end = name_end(bytes, at);
        let name = &bytes[at..end];
        let tag = Tag::of(name);
        let mut attributes = Attributes::new(bytes, end);
        if self.plain && tag == Tag::Other {
            if bytes.get(end) == Some(&b'>') {
                return end + 1;
            }
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
        let mut reading = Verdict::HTML;
        if !self.plain || matches!(tag, Tag::Svg | Tag::Math | Tag::Template) {
            reading = self.watch(name, tag, &start, behind);
        }
        if tag == Tag::Frameset && !self.body {
            reading.sure = false;
        }
        if !reading.sure && self.read_by_tree() {
            return bytes.len();
        }
        match tag {
            Tag::Anchor => return self.report_link(&start, behind),
            _ if !reading.html => {}
            Tag::Base => return self.report_base(&start, behind),
            Tag::Body => self.body |= self.templates.is_empty(),
            Tag::Script => return self.behind_raw_text(script_end(bytes, behind), name),
            Tag::RawText => {
                return self.behind_raw_text(raw_text_end(bytes, behind, name), name);
            }
            Tag::Plaintext => return bytes.len(),
            Tag::Svg | Tag::Math | Tag::Template | Tag::Frameset | Tag::Other => {}
        }
        behind
    }

    /// Takes in a start tag that the tree rules may have to do with.
    fn watch(&mut self, name: &[u8], tag: Tag, start: &StartTag<'_>, behind: usize) -> Verdict {
        let name = ElementName::new(name);
        let mut reading = Verdict::HTML;
        if tag != Tag::Template || !self.foreign.is_quiet() {
            reading = self.foreign.start(&name, tag, start, &self.bytes[behind..]);
        }
        if reading.html || tag != Tag::Template {
            reading.sure &= self.templates.start(&name, tag, start.href.is_some());
        }
        self.settle();
        reading
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
        let end = name_end(bytes, at);
        if self.plain && bytes.get(end) == Some(&b'>') {
            return end + 1;
        }
        let name = &bytes[at..end];
        let mut attributes = Attributes::new(bytes, end);
        if !attributes.skip() {
            return bytes.len();
        }
        if !self.plain && !self.watch_end(name) && self.read_by_tree() {
            return bytes.len();
        }
        attributes.position()
    }

    /// Takes in an end tag; false when what it does cannot be told.
    fn watch_end(&mut self, name: &[u8]) -> bool {
        let reading = self.foreign.end(&ElementName::new(name));
        match Tag::of(name) {
            Tag::Template if reading.html && self.templates.end() => self.foreign.leave(),
            Tag::Anchor if self.foreign.is_quiet() => self.templates.end_link(),
            _ => {}
        }
        self.settle();
        reading.sure
    }

    fn settle(&mut self) {
        self.plain = self.foreign.is_quiet() && self.templates.is_empty();
    }

    /// Reads what starts with the `<!` at `open`.
    fn declaration(&mut self, open: usize) -> usize {
        let bytes = self.bytes;
        let mut in_foreign = false;
        if !self.plain && bytes[open + 2..].starts_with(b"[CDATA[") {
            let reading = self.foreign.cdata();
            if !reading.sure && self.read_by_tree() {
                return bytes.len();
            }
            in_foreign = !reading.html;
        }
        declaration_end(bytes, open, in_foreign)
    }

    /// Reports the rest of the page from its tree. False, and nothing is reported, if the tree is
    /// not whole; it is asked once only.
    #[cold]
    fn read_by_tree(&mut self) -> bool {
        if self.alone {
            return false;
        }
        let (text, _) = self.encoding.decode_without_bom_handling(self.bytes);
        self.alone = !tree::links(&text, self.reported, &mut *self.each);
        !self.alone
    }

    /// Reports a link, if it is one; `behind` is where its tag ends. Returns where to go on.
    fn report_link(&mut self, start: &StartTag<'_>, behind: usize) -> usize {
        let Some(href) = start.href.filter(|_| self.templates.is_empty()) else {
            return behind;
        };
        if self.is_first_in_doubt(behind) && self.read_by_tree() {
            return self.bytes.len();
        }
        self.reported += 1;
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
        behind
    }

    /// The same for a base.
    fn report_base(&mut self, start: &StartTag<'_>, behind: usize) -> usize {
        let Some(href) = start.href.filter(|_| self.templates.is_empty()) else {
            return behind;
        };
        if self.is_first_in_doubt(behind) && self.read_by_tree() {
            return self.bytes.len();
        }
        self.reported += 1;
        (self.each)(Found::Base(self.values.decode(href)));
        behind
    }

    /// Whether nothing is reported yet, and a `frameset` behind may yet take it away.
    fn is_first_in_doubt(&self, behind: usize) -> bool {
        self.reported == 0 && !self.body && has_frameset(&self.bytes[behind..])
    }
}

/// Where the tag name that starts at `at` ends.
#[inline]
fn name_end(bytes: &[u8], at: usize) -> usize {
    // The first is a letter.
    Class::TAG_END.find(bytes, at + 1)
}
