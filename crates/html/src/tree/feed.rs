//! The page, fed to the tokenizer in pieces, without tags of more attributes than it can take.
//!
//! The tokenizer compares every attribute with all before it in the tag, so 200,000 attributes
//! take minutes; and it cannot be told to stop. So the page is read ahead of it, from tag to tag
//! as [`crate::scanner`] does, and a tag of more than 256 attributes is fed only up to there.
//!
//! Reading ahead must agree with the tokenizer on what is a tag. What depends on the tree is not
//! guessed: behind a tag that may turn what follows into text, and before CDATA, all is fed, and
//! the builder asked.

use std::borrow::Cow;

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, Tokenizer, TokenizerOpts};
use memchr::{memchr, memchr2};

use super::Tree;
use super::draft::Draft;
use super::flatten::flatten;
use super::guard::{Guard, Reading};
use crate::attributes::{Attributes, Step, is_space};
use crate::markup::{bogus_end, declaration_end};
use crate::raw_text::{raw_text_end, script_end};
use crate::tag::Tag as ScannedTag;

/// Attributes of one tag.
const ATTRIBUTES: usize = 256;

/// Bytes of one page: numbers in the tree have 32 bits, and decoding may triple a byte.
const PAGE: usize = 512 * 1024 * 1024;

/// Comments from this length on are fed empty: nobody reads them, and the tokenizer is slow to.
const LONG_COMMENT: usize = 64;

/// Parses a page.
pub(super) fn parse(text: &str) -> Tree {
    let (draft, cut) = draft(text.strip_prefix('\u{feff}').unwrap_or(text));
    flatten(draft, cut)
}

/// Builds the draft of a page that has no byte order mark; the flag says whether anything was dropped.
pub(super) fn draft(text: &str) -> (Draft, bool) {
    let kept = &text[..text.floor_char_boundary(PAGE)];
    let feed = Feed::new(kept);
    if kept.len() < text.len() {
        feed.tokenizer.sink.set_cut();
    }
    feed.run()
}

/// The feeding of one page.
struct Feed<'a> {
    text: &'a str,
    tokenizer: Tokenizer<Guard>,
    queue: BufferQueue,
    /// how much of the page is fed
    fed: usize,
}

impl<'a> Feed<'a> {
    fn new(text: &'a str) -> Self {
        let options = TokenizerOpts {
            discard_bom: false,
            ..TokenizerOpts::default()
        };
        Self {
            text,
            tokenizer: Tokenizer::new(Guard::new(text.len()), options),
            queue: BufferQueue::default(),
            fed: 0,
        }
    }

    fn run(mut self) -> (Draft, bool) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(length) = memchr(b'<', &bytes[at..]) {
            let open = at + length;
            at = match bytes.get(open + 1) {
                Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(open + 1),
                Some(b'/') => self.end_tag(open + 2),
                Some(b'!') => self.declaration(open),
                Some(b'?') => bogus_end(bytes, open + 2),
                _ => open + 1,
            };
        }
        self.feed_to(bytes.len());
        self.tokenizer.end();
        self.tokenizer.sink.into_draft()
    }

    /// Reads the start tag whose name starts at `at`, and the raw text behind it. Returns where to
    /// go on.
    fn start_tag(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let name = &bytes[at..name_end(bytes, at)];
        let behind = self.attributes(at + name.len());
        let tag = ScannedTag::of(name);
        if !matches!(
            tag,
            ScannedTag::RawText | ScannedTag::Script | ScannedTag::Plaintext
        ) {
            return behind;
        }
        self.feed_to(behind);
        match self.tokenizer.sink.reading() {
            Reading::Markup => behind,
            Reading::Plaintext => bytes.len(),
            Reading::References => raw_text_end(bytes, behind, name),
            Reading::RawText if tag == ScannedTag::Script => {
                self.hand_over(script_end(bytes, behind))
            }
            Reading::RawText => self.hand_over(raw_text_end(bytes, behind, name)),
        }
    }

    /// Gives the raw text up to `end` to the builder, past the tokenizer, which has nothing to find
    /// in it and is slow to see that. Scripts and styles are half of many a page.
    fn hand_over(&mut self, end: usize) -> usize {
        let text = raw_text(&self.text[self.fed..end]);
        if !text.is_empty() {
            let token = Token::CharacterTokens(StrTendril::from_slice(&text));
            let _ = self.tokenizer.sink.process_token(token, 0);
        }
        self.fed = end;
        end
    }

    /// Reads what follows a `</` that ends before `at`.
    fn end_tag(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_alphabetic() => self.attributes(name_end(bytes, at)),
            Some(_) => bogus_end(bytes, at),
            None => at,
        }
    }

    /// Reads what starts with the `<!` at `open`.
    fn declaration(&mut self, open: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut in_foreign = false;
        if bytes[open + 2..].starts_with(b"[CDATA[") {
            self.feed_to(open);
            let guard = &self.tokenizer.sink;
            in_foreign = guard.adjusted_current_node_present_but_not_in_html_namespace();
        }
        let end = declaration_end(bytes, open, in_foreign);
        if end - open > LONG_COMMENT && bytes[open..].starts_with(b"<!--") {
            self.feed_to(open);
            self.feed("<!---->");
            self.fed = end;
        }
        end
    }

    /// Reads the attributes of the tag whose name ends before `at`; those that are too many are
    /// not fed. Returns where the tag ends.
    fn attributes(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut attributes = Attributes::new(bytes, at);
        for _ in 0..ATTRIBUTES {
            match attributes.step() {
                Step::Attribute { .. } => {}
                Step::Closed { .. } => return attributes.position(),
                Step::Unclosed => return bytes.len(),
            }
        }
        let enough = attributes.position();
        let mut dropped = false;
        let end = loop {
            match attributes.step() {
                Step::Attribute { .. } => dropped = true,
                Step::Closed { .. } if !dropped => return attributes.position(),
                Step::Closed {
                    self_closing: false,
                } => break " >",
                Step::Closed { self_closing: true } => break " />",
                // the page ends in the tag, which then is none
                Step::Unclosed => break "",
            }
        };
        self.feed_to(enough);
        self.feed(end);
        self.tokenizer.sink.set_cut();
        self.fed = attributes.position();
        self.fed
    }

    fn feed_to(&mut self, end: usize) {
        if self.fed < end {
            self.feed(&self.text[self.fed..end]);
            self.fed = end;
        }
    }

    fn feed(&self, piece: &str) {
        self.queue.push_back(StrTendril::from_slice(piece));
        // it stops behind scripts and where a page names its charset, and has to be sent on
        while !matches!(self.tokenizer.feed(&self.queue), TokenizerResult::Done) {}
    }
}

/// Text as the tokenizer would hand it on: line ends made one, and no zero bytes.
fn raw_text(text: &str) -> Cow<'_, str> {
    if memchr2(b'\r', 0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(text.replace('\0', "\u{fffd}"))
}

/// Where the tag name that starts at `at` ends.
fn name_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b'>' | b'/') || is_space(*byte);
    bytes[at..]
        .iter()
        .position(ends)
        .map_or(bytes.len(), |length| at + length)
}
