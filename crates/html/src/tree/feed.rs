//! Feeds the page to the tokenizer in pieces, limiting the number of attributes per tag.
//!
//! The tokenizer compares every attribute with all earlier ones of the tag, so 200,000 attributes take
//! minutes, and it cannot be interrupted. So the page is read ahead of it, from tag to tag as in
//! [`crate::scanner`], and a tag with more than 256 attributes is fed only up to there.
//!
//! Reading ahead must agree with the tokenizer on what is a tag. What depends on the tree is not guessed:
//! after a tag that may turn what follows into text, and before CDATA, everything is fed and the builder is
//! consulted.

use std::borrow::Cow;

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, Tokenizer, TokenizerOpts};
use memchr::{memchr, memchr2};

use super::Tree;
use super::draft::Draft;
use super::flatten::flatten;
use super::guard::{MAX_DEPTH, TokenizerMode, TreeGuard};
use crate::attributes::{Attributes, TagPart, is_space};
use crate::markup::{bogus_end, declaration_end};
use crate::raw_text::{raw_text_end, script_end};
use crate::scanner_tag::ScannerTag;

/// Maximum number of attributes of one tag.
const MAX_ATTRIBUTES: usize = 256;

/// Maximum size of a page in bytes: numbers in the tree have 32 bits, and decoding may triple a byte.
const MAX_PAGE: usize = 512 * 1024 * 1024;

/// Comments of this length or more are fed empty: they are not used, and the tokenizer is slow on them.
const LONG_COMMENT: usize = 64;

/// Parses a page.
pub(super) fn parse(text: &str) -> Tree {
    let (draft, truncated) = draft(text.strip_prefix('\u{feff}').unwrap_or(text), MAX_DEPTH);
    flatten(draft, truncated)
}

/// Builds the draft of a page without byte order mark, with at most `depth_limit` open elements; the flag is true if anything
/// was dropped.
pub(super) fn draft(text: &str, depth_limit: u32) -> (Draft, bool) {
    let kept = &text[..text.floor_char_boundary(MAX_PAGE)];
    let feed = Feed::new(kept, depth_limit);
    if kept.len() < text.len() {
        feed.tokenizer.sink.set_truncated();
    }
    feed.run()
}

/// The state of feeding one page.
struct Feed<'a> {
    text: &'a str,
    tokenizer: Tokenizer<TreeGuard>,
    queue: BufferQueue,
    /// Number of bytes fed so far.
    fed: usize,
}

impl<'a> Feed<'a> {
    fn new(text: &'a str, depth_limit: u32) -> Self {
        let options = TokenizerOpts {
            discard_bom: false,
            ..TokenizerOpts::default()
        };
        Self {
            text,
            tokenizer: Tokenizer::new(TreeGuard::new(text.len(), depth_limit), options),
            queue: BufferQueue::default(),
            fed: 0,
        }
    }

    /// Feeds the page to its end. For the repeated dispatch see [`crate::scanner`].
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

    /// Reads the start tag whose name starts at `at`, and the raw text after it. Returns where to continue.
    fn start_tag(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let name = &bytes[at..name_end(bytes, at)];
        let after = self.attributes(at + name.len());
        let tag = ScannerTag::of(name);
        if !matches!(
            tag,
            ScannerTag::RawText | ScannerTag::Script | ScannerTag::Plaintext
        ) {
            return after;
        }
        self.feed_to(after);
        match self.tokenizer.sink.mode() {
            TokenizerMode::Markup => after,
            TokenizerMode::Plaintext => bytes.len(),
            TokenizerMode::References => raw_text_end(bytes, after, name),
            TokenizerMode::RawText if tag == ScannerTag::Script => {
                self.pass_raw_text(script_end(bytes, after))
            }
            TokenizerMode::RawText => self.pass_raw_text(raw_text_end(bytes, after, name)),
        }
    }

    /// Passes raw text up to `end` directly to the builder, bypassing the tokenizer, which has nothing to find
    /// in it and is slow. Scripts and styles are half of many pages.
    fn pass_raw_text(&mut self, end: usize) -> usize {
        let text = raw_text(&self.text[self.fed..end]);
        if !text.is_empty() {
            let token = Token::CharacterTokens(StrTendril::from_slice(&text));
            let _ = self.tokenizer.sink.process_token(token, 0);
        }
        self.fed = end;
        end
    }

    /// Reads what follows a `</`; `at` is the position after it.
    fn end_tag(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_alphabetic() => self.attributes(name_end(bytes, at)),
            Some(_) => bogus_end(bytes, at),
            None => at,
        }
    }

    /// Reads the construct that starts with the `<!` at `open`.
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

    /// Reads the attributes of the tag whose name ends before `at`, without feeding those beyond the limit.
    /// Returns where the tag ends.
    fn attributes(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut attributes = Attributes::new(bytes, at);
        for _ in 0..MAX_ATTRIBUTES {
            match attributes.next_part() {
                TagPart::Attribute { .. } => {}
                TagPart::Closed { .. } => return attributes.position(),
                TagPart::Unclosed => return bytes.len(),
            }
        }
        let enough = attributes.position();
        let mut dropped = false;
        let end = loop {
            match attributes.next_part() {
                TagPart::Attribute { .. } => dropped = true,
                TagPart::Closed { .. } if !dropped => return attributes.position(),
                TagPart::Closed {
                    self_closing: false,
                } => break " >",
                TagPart::Closed { self_closing: true } => break " />",
                // The page ends inside the tag, so there is no tag.
                TagPart::Unclosed => break "",
            }
        };
        self.feed_to(enough);
        self.feed(end);
        self.tokenizer.sink.set_truncated();
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
        // The tokenizer pauses after scripts and at charset declarations and has to be resumed.
        while !matches!(self.tokenizer.feed(&self.queue), TokenizerResult::Done) {}
    }
}

/// Text as the tokenizer would pass it on: line endings normalized, NUL replaced.
fn raw_text(text: &str) -> Cow<'_, str> {
    if memchr2(b'\r', 0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(text.replace('\0', "\u{fffd}"))
}

/// The end of the tag name that starts at `at`.
fn name_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b'>' | b'/') || is_space(*byte);
    bytes[at..]
        .iter()
        .position(ends)
        .map_or(bytes.len(), |length| at + length)
}
