//! The link scanner: walks over one page from `<` to `<`.
//!
//! Follows the tokenizer of the HTML standard byte for byte. Of the tree-construction rules it implements
//! those that change how bytes are read: raw-text elements, templates (counted), SVG and MathML.
//!
//! It reports exactly the links that html5ever's tree holds, on every page. Where its rules do not suffice it
//! notices before reporting anything wrong, and the rest of the page is read from the real tree
//! ([`crate::tree::links`]):
//!
//! * a `frameset` that may take effect: it removes all links of the body, including earlier ones;
//! * SVG and MathML where [`crate::foreign_content`] is not certain how a tag is read;
//! * a `template` that a link may escape from, or that ignores its content ([`crate::templates`]).
//!
//! Only if the page is so extreme that the tree had to be cut short does the scan continue without it, on a
//! best-effort basis, and says so.
//!
//! Elements that a browser clones or moves (an `a` left open across paragraphs, a link between table rows) are
//! reported once, where they are written.

use encoding_rs::Encoding;

use crate::attributes::Attributes;
use crate::bytes::{ByteClass, find};
use crate::element::ElementName;
use crate::foreign_content::{ForeignContent, TagReading};
use crate::markup::{bogus_end, declaration_end};
use crate::raw_text::{raw_text_end, script_end};
use crate::scan::{Link, ScanEvent, has_frameset};
use crate::scanner_tag::ScannerTag;
use crate::start_tag::StartTag;
use crate::templates::Templates;
use crate::tree;
use crate::value::ValueDecoder;

/// One scan of one page. Deliberately not generic over the callback: the loop is compiled once, in this crate,
/// with everything it calls, and handling a link costs far more than an indirect call.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    encoding: &'static Encoding,
    each: &'a mut dyn FnMut(ScanEvent<'_>),
    values: ValueDecoder,
    foreign_content: ForeignContent,
    templates: Templates,
    /// In plain HTML and outside any template: only the tags of [`ScannerTag`] matter.
    plain: bool,
    /// A `body` has been opened: a later `frameset` is ignored.
    body_opened: bool,
    /// Number of links and bases reported.
    reported: usize,
    /// The tree was consulted and turned out to be incomplete.
    tree_failed: bool,
}

impl<'a> Scanner<'a> {
    /// Prepares a scan of `bytes`, whose encoding must leave ASCII bytes as they are.
    pub(crate) fn new(
        bytes: &'a [u8],
        encoding: &'static Encoding,
        each: &'a mut dyn FnMut(ScanEvent<'_>),
    ) -> Self {
        let values = ValueDecoder::new(encoding);
        Self {
            bytes,
            encoding,
            each,
            values,
            foreign_content: ForeignContent::default(),
            templates: Templates::default(),
            plain: true,
            body_opened: false,
            reported: 0,
            tree_failed: false,
        }
    }

    /// Scans the page to its end. Returns false if it had to continue without the tree where it needed one.
    ///
    /// The dispatch on the byte after `<` is repeated in `tree::feed` and `render_need::signals`: each of the three
    /// loops inlines its own handlers and tracks other state, and sharing them costs speed.
    pub(crate) fn run(mut self) -> bool {
        let bytes = self.bytes;
        let mut at = 0;
        loop {
            // Usually one tag directly follows another.
            let open = match bytes.get(at) {
                Some(b'<') => at,
                Some(_) => match find(b'<', &bytes[at..]) {
                    Some(length) => at + length,
                    None => return !self.tree_failed,
                },
                None => return !self.tree_failed,
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

    /// Reads the start tag whose name starts at `at`, and the raw text after it if it has any. Returns where
    /// to continue.
    fn start_tag(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        let end = name_end(bytes, at);
        let name = &bytes[at..end];
        let tag = ScannerTag::of(name);
        let mut attributes = Attributes::new(bytes, end);
        if self.plain && tag == ScannerTag::Other {
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
        let after = attributes.position();
        let mut reading = TagReading::HTML;
        if !self.plain
            || matches!(
                tag,
                ScannerTag::Svg | ScannerTag::Math | ScannerTag::Template
            )
        {
            reading = self.track_start(name, tag, &start, after);
        }
        if tag == ScannerTag::Frameset && !self.body_opened {
            reading.certain = false;
        }
        if !reading.certain && self.read_by_tree() {
            return bytes.len();
        }
        match tag {
            ScannerTag::Anchor => return self.report_link(&start, after),
            _ if !reading.html => {}
            ScannerTag::Base => return self.report_base(&start, after),
            ScannerTag::Body => self.body_opened |= self.templates.is_empty(),
            ScannerTag::Script => return self.after_raw_text(script_end(bytes, after), name),
            ScannerTag::RawText => {
                return self.after_raw_text(raw_text_end(bytes, after, name), name);
            }
            ScannerTag::Plaintext => return bytes.len(),
            ScannerTag::Svg
            | ScannerTag::Math
            | ScannerTag::Template
            | ScannerTag::Frameset
            | ScannerTag::Other => {}
        }
        after
    }

    /// Updates the tree rules for a start tag that may affect them.
    fn track_start(
        &mut self,
        name: &[u8],
        tag: ScannerTag,
        start: &StartTag<'_>,
        after: usize,
    ) -> TagReading {
        let name = ElementName::new(name);
        let mut reading = TagReading::HTML;
        if tag != ScannerTag::Template || !self.foreign_content.is_plain_html() {
            reading = self
                .foreign_content
                .start(&name, tag, start, &self.bytes[after..]);
        }
        if reading.html || tag != ScannerTag::Template {
            reading.certain &= self.templates.start(&name, tag, start.href.is_some());
        }
        self.update_plain();
        reading
    }

    /// Returns where to continue after the end tag at `close` that ended raw text. It closes its own element
    /// and no other, so the open elements are not affected.
    fn after_raw_text(&self, close: usize, name: &[u8]) -> usize {
        let mut attributes = Attributes::new(self.bytes, close + 2 + name.len());
        if attributes.skip() {
            attributes.position()
        } else {
            self.bytes.len()
        }
    }

    /// Reads what follows a `</`; `at` is the position after it.
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
        if !self.plain && !self.track_end(name) && self.read_by_tree() {
            return bytes.len();
        }
        attributes.position()
    }

    /// Processes an end tag; returns false if its effect is uncertain.
    fn track_end(&mut self, name: &[u8]) -> bool {
        let reading = self.foreign_content.end(&ElementName::new(name));
        match ScannerTag::of(name) {
            ScannerTag::Template if reading.html && self.templates.end() => {
                self.foreign_content.leave();
            }
            ScannerTag::Anchor if self.foreign_content.is_plain_html() => self.templates.end_link(),
            _ => {}
        }
        self.update_plain();
        reading.certain
    }

    fn update_plain(&mut self) {
        self.plain = self.foreign_content.is_plain_html() && self.templates.is_empty();
    }

    /// Reads the construct that starts with the `<!` at `open`.
    fn declaration(&mut self, open: usize) -> usize {
        let bytes = self.bytes;
        let mut in_foreign = false;
        if !self.plain && bytes[open + 2..].starts_with(b"[CDATA[") {
            let reading = self.foreign_content.cdata();
            if !reading.certain && self.read_by_tree() {
                return bytes.len();
            }
            in_foreign = !reading.html;
        }
        declaration_end(bytes, open, in_foreign)
    }

    /// Reports the rest of the page from its tree. Returns false and reports nothing if the tree is
    /// incomplete; the tree is consulted at most once.
    #[cold]
    fn read_by_tree(&mut self) -> bool {
        if self.tree_failed {
            return false;
        }
        let (text, _) = self.encoding.decode_without_bom_handling(self.bytes);
        self.tree_failed = !tree::links(&text, self.reported, &mut *self.each);
        !self.tree_failed
    }

    /// Reports a link if the tag has an `href`; `after` is where the tag ends. Returns where to continue.
    fn report_link(&mut self, start: &StartTag<'_>, after: usize) -> usize {
        let Some(href) = start.href.filter(|_| self.templates.is_empty()) else {
            return after;
        };
        if self.frameset_may_follow(after) && self.read_by_tree() {
            return self.bytes.len();
        }
        self.reported += 1;
        let nofollow = start.rel.is_some_and(|rel| {
            let mut tokens = self.values.decode(rel).split_ascii_whitespace();
            tokens.any(|token| token.eq_ignore_ascii_case("nofollow"))
        });
        let href = self.values.decode(href);
        (self.each)(ScanEvent::Link(Link {
            href,
            nofollow,
            download: start.download,
        }));
        after
    }

    /// Reports a base, like [`Self::report_link`].
    fn report_base(&mut self, start: &StartTag<'_>, after: usize) -> usize {
        let Some(href) = start.href.filter(|_| self.templates.is_empty()) else {
            return after;
        };
        if self.frameset_may_follow(after) && self.read_by_tree() {
            return self.bytes.len();
        }
        self.reported += 1;
        (self.each)(ScanEvent::Base(self.values.decode(href)));
        after
    }

    /// Whether nothing has been reported yet and a later `frameset` may still discard the body.
    fn frameset_may_follow(&self, after: usize) -> bool {
        self.reported == 0 && !self.body_opened && has_frameset(&self.bytes[after..])
    }
}

/// The end of the tag name that starts at `at`.
#[inline]
fn name_end(bytes: &[u8], at: usize) -> usize {
    // The first byte is known to be a letter.
    ByteClass::TAG_END.find(bytes, at + 1)
}
