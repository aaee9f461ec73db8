//! Between tokenizer and tree builder: what would make the builder slow does not reach it.
//!
//! The builder searches its stack of open elements and its list of formatting elements again and
//! again, and it clones formatting elements into every block; a page can make all of that as large
//! as it likes. So:
//!
//! * depth: beyond 512 open elements, start tags are dropped, and their end tags with them. Text
//!   then lands in the deepest element kept. What cannot nest passes: void elements, elements whose
//!   inside is text, and links, up to a few levels more.
//! * formatting: beyond 64 open formatting elements, further ones are dropped. When clones outgrow
//!   the page, those just made are closed, and made no more.
//! * work: while the builder's searches take too many steps all the same, the depth is 64, formatting
//!   is dropped, and an end tag passes only if it closes the innermost element.
//! * nodes: beyond four million, everything is dropped.
//!
//! No page written for people meets any of these. One that does is still read to its end.

use std::cell::{Cell, RefCell};

use html5ever::LocalName;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag as TagToken, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::Tag;
use super::draft::Draft;
use super::dropped::Dropped;
use super::sink::{Handle, Place, Sink};

/// Open elements, as in browsers.
const DEPTH: u32 = 512;
/// Open elements on a page that takes too much work.
const OVERWORKED_DEPTH: u32 = 64;
/// A few levels more, for what should not be lost and does not nest: links, and in
/// svg and math, where names mean little, what has no elements in it in HTML.
const LEAF_DEPTH: u32 = 16;
/// Formatting elements open at once.
const FORMATTING: u32 = 64;
/// Clones of formatting elements that are always granted, and those granted per token.
const CLONES: u64 = 100_000;
const CLONES_PER_TOKEN: u64 = 2;
/// Steps of the builder's searches that are always granted, and those granted per token.
const STEPS: u64 = 20_000_000;
const STEPS_PER_TOKEN: u64 = 400;
/// Nodes of the draft.
const NODES: usize = 4_000_000;

/// How the tokenizer reads on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As markup.
    Markup,
    /// As the text of one element, up to its end tag.
    RawText,
    /// The same, with character references in it.
    References,
    /// As text to the end of the page.
    Plaintext,
}

/// The tree builder behind its guards.
pub(super) struct Guard {
    builder: TreeBuilder<Handle, Sink>,
    reading: Cell<Reading>,
    dropped: RefCell<Dropped>,
    /// templates open in a template that was dropped: all in it is dropped too
    skipped: Cell<u32>,
    tokens: Cell<u64>,
    clones: Cell<u64>,
    /// formatting elements to be closed as soon as the tokenizer reads markup
    overgrown: RefCell<Vec<LocalName>>,
    cut: Cell<bool>,
}

impl Guard {
    pub(super) fn new(size: usize) -> Self {
        let options = TreeBuilderOpts {
            scripting_enabled: false,
            drop_doctype: true,
            ..TreeBuilderOpts::default()
        };
        Self {
            builder: TreeBuilder::new(Sink::new(size), options),
            reading: Cell::new(Reading::Markup),
            dropped: RefCell::default(),
            skipped: Cell::new(0),
            tokens: Cell::new(0),
            clones: Cell::new(0),
            overgrown: RefCell::default(),
            cut: Cell::new(false),
        }
    }

    /// How the tokenizer was told to read on.
    pub(super) fn reading(&self) -> Reading {
        self.reading.get()
    }

    /// Notes that something was dropped.
    pub(super) fn set_cut(&self) {
        self.cut.set(true);
    }

    /// What was built, and whether anything was dropped.
    pub(super) fn into_draft(self) -> (Draft, bool) {
        let (draft, cut) = self.builder.sink.into_draft();
        (draft, cut || self.cut.get())
    }

    fn start_tag(&self, mut tag: TagToken, line: u64) -> TokenSinkResult<Handle> {
        let kind = Tag::from_name(&tag.name);
        if self.skipped.get() > 0 {
            if kind == Tag::Template {
                self.skipped.set(self.skipped.get() + 1);
            }
            return self.skip(kind);
        }
        let is_leaf = kind.is_void() || kind.is_raw_text();
        let (_, place) = self.place();
        if !is_leaf || place.foreign {
            let reserve = if is_leaf || kind == Tag::A {
                LEAF_DEPTH
            } else {
                0
            };
            let is_formatting = kind.is_formatting();
            if place.depth >= self.depth() + reserve
                || is_formatting && (place.formatting >= FORMATTING || self.is_overworked())
            {
                self.cut.set(true);
                if kind == Tag::Template {
                    self.skipped.set(1);
                } else {
                    self.dropped.borrow_mut().push(tag.name);
                }
                return TokenSinkResult::Continue;
            }
        }
        if kind.is_formatting() {
            self.builder.sink.stash(&mut tag.attrs, kind == Tag::A);
        }
        self.pass(Token::TagToken(tag), line)
    }

    fn end_tag(&self, tag: TagToken, line: u64) -> TokenSinkResult<Handle> {
        let was_raw = self.reading.replace(Reading::Markup) != Reading::Markup;
        if self.skipped.get() > 0 {
            if !was_raw && &*tag.name == "template" {
                self.skipped.set(self.skipped.get() - 1);
            }
            return TokenSinkResult::Continue;
        }
        if !was_raw && (self.is_overworked() || !self.dropped.borrow().is_empty()) {
            let (current, place) = self.place();
            let mut dropped = self.dropped.borrow_mut();
            if place.depth < self.depth() && place.formatting < FORMATTING {
                // the elements they would have been in are closed, and they with them
                dropped.clear();
            } else if dropped.close(&tag.name) {
                return TokenSinkResult::Continue;
            }
            if self.is_overworked() && !self.builder.sink.is_named(current, &tag.name) {
                self.cut.set(true);
                return TokenSinkResult::Continue;
            }
        }
        self.pass(Token::TagToken(tag), line)
    }

    /// Hands a token to the builder, and looks at what it did.
    fn pass(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        let before = self.builder.sink.created();
        self.builder.sink.forget_formatting();
        let result = self.builder.process_token(token, line);
        match result {
            TokenSinkResult::RawData(kind) => self.read_raw(kind),
            TokenSinkResult::Plaintext => self.reading.set(Reading::Plaintext),
            _ => {}
        }
        let clones = u64::from(self.builder.sink.created() - before).saturating_sub(1);
        if clones > 0 {
            self.weigh(clones);
        }
        if !self.overgrown.borrow().is_empty() && self.reading.get() == Reading::Markup {
            self.close_formatting(line);
        }
        result
    }

    /// Decides whether the clones the builder just made were too many.
    fn weigh(&self, clones: u64) {
        self.clones.set(self.clones.get() + clones);
        let granted = CLONES + CLONES_PER_TOKEN * self.tokens.get();
        let many = clones > 4 && self.clones.get() > granted;
        if many || clones > u64::from(FORMATTING) {
            let mut overgrown = self.overgrown.borrow_mut();
            overgrown.extend(self.builder.sink.take_formatting());
            self.cut.set(true);
        }
    }

    /// Makes the builder forget the formatting elements it opened again. An end tag does that even
    /// where they are closed again already, as in a table.
    fn close_formatting(&self, line: u64) {
        for name in self.overgrown.take().into_iter().rev() {
            let tag = TagToken {
                kind: TagKind::EndTag,
                name,
                self_closing: false,
                attrs: Vec::new(),
                had_duplicate_attributes: false,
            };
            let _ = self.builder.process_token(Token::TagToken(tag), line);
        }
    }

    /// The element the builder is in, and what it is like there. The builder does not say, but it
    /// names it to the sink when asked whether it is of HTML.
    fn place(&self) -> (u32, Place) {
        self.builder.sink.named().set(0);
        let foreign = self
            .builder
            .adjusted_current_node_present_but_not_in_html_namespace();
        let id = self.builder.sink.named().get();
        let place = self.builder.sink.place(id);
        (id, Place { foreign, ..place })
    }

    fn depth(&self) -> u32 {
        if self.is_overworked() {
            OVERWORKED_DEPTH
        } else {
            DEPTH
        }
    }

    fn is_overworked(&self) -> bool {
        self.builder.sink.steps() > STEPS + STEPS_PER_TOKEN * self.tokens.get()
    }

    /// Drops a start tag; the tokenizer must still read what is behind it as what it is.
    fn skip(&self, kind: Tag) -> TokenSinkResult<Handle> {
        self.cut.set(true);
        let raw = match kind {
            Tag::Script => RawKind::ScriptData,
            Tag::Title | Tag::Textarea => RawKind::Rcdata,
            Tag::Plaintext => {
                self.reading.set(Reading::Plaintext);
                return TokenSinkResult::Plaintext;
            }
            _ if kind.is_raw_text() => RawKind::Rawtext,
            _ => return TokenSinkResult::Continue,
        };
        self.read_raw(raw);
        TokenSinkResult::RawData(raw)
    }

    fn read_raw(&self, kind: RawKind) {
        self.reading.set(match kind {
            RawKind::Rcdata => Reading::References,
            _ => Reading::RawText,
        });
    }
}

impl TokenSink for Guard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        self.tokens.set(self.tokens.get() + 1);
        if self.builder.sink.nodes() >= NODES && !matches!(token, Token::EOFToken) {
            self.cut.set(true);
            return TokenSinkResult::Continue;
        }
        match token {
            Token::ParseError(_) => TokenSinkResult::Continue,
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => self.start_tag(tag, line),
            Token::TagToken(tag) => self.end_tag(tag, line),
            Token::EOFToken => self.pass(token, line),
            _ if self.skipped.get() > 0 => TokenSinkResult::Continue,
            _ => self.pass(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}
