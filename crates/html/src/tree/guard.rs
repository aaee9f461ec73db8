//! Sits between tokenizer and tree builder and withholds what would make the builder slow.
//!
//! The builder repeatedly searches its stack of open elements and its list of formatting elements, and clones
//! formatting elements into every block; a page can make all of these as large as it likes. So:
//!
//! * depth: beyond 512 open elements, start tags are dropped together with their end tags. Text then goes to
//!   the deepest element kept. What cannot nest passes: void elements, raw-text elements, and links for a few
//!   more levels. A tree that is used only for its links may be much deeper.
//! * formatting: beyond 64 open formatting elements, further ones are dropped. If clones outgrow the page,
//!   those just made are closed and not made again.
//! * work: while the builder's searches still take too many steps, the depth limit is 64, formatting is
//!   dropped, and an end tag passes only if it closes the innermost element.
//! * nodes: beyond four million, everything is dropped.
//!
//! No page written for people reaches any of these limits. One that does is still read to its end.

use std::cell::{Cell, RefCell};

use html5ever::LocalName;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag as TagToken, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::Tag;
use super::draft::Draft;
use super::dropped_elements::DroppedElements;
use super::sink::{BuilderPosition, DraftSink, Handle};

/// Maximum number of open elements in a tree that is read as a document, as in browsers.
pub(super) const MAX_DEPTH: u32 = 512;
/// Maximum number of open elements in a tree that is used only for its links: a browser loses no link, because it attaches
/// deeper elements further up. The counters of draft nodes reach twice as far.
pub(super) const MAX_LINK_DEPTH: u32 = 32_000;
/// Maximum number of open elements on a page that takes too much work.
const REDUCED_DEPTH: u32 = 64;
/// Extra levels for what should not be lost and does not nest: links, and in SVG and MathML elements that
/// would be empty or hold text in HTML.
const EXTRA_LEAF_DEPTH: u32 = 16;
/// Maximum number of open formatting elements.
const MAX_FORMATTING: u32 = 64;
/// Clones of formatting elements allowed per page, plus those allowed per token.
const BASE_CLONES: u64 = 100_000;
const CLONES_PER_TOKEN: u64 = 2;
/// Steps of the builder's searches allowed per page, plus those allowed per token.
const BASE_STEPS: u64 = 20_000_000;
const STEPS_PER_TOKEN: u64 = 400;
/// Maximum number of draft nodes.
const MAX_NODES: usize = 4_000_000;

/// How the tokenizer reads the text that follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenizerMode {
    /// As markup.
    Markup,
    /// As the text of one element, up to its end tag.
    RawText,
    /// The same, with character references.
    References,
    /// As text to the end of the page.
    Plaintext,
}

/// The tree builder with its limits.
pub(super) struct TreeGuard {
    builder: TreeBuilder<Handle, DraftSink>,
    mode: Cell<TokenizerMode>,
    dropped: RefCell<DroppedElements>,
    /// Nesting level of templates inside a dropped template, whose content is dropped too.
    skipped: Cell<u32>,
    tokens: Cell<u64>,
    clones: Cell<u64>,
    /// Formatting elements to close as soon as the tokenizer reads markup again.
    excess_formatting: RefCell<Vec<LocalName>>,
    truncated: Cell<bool>,
    depth_limit: u32,
}

impl TreeGuard {
    pub(super) fn new(size: usize, depth_limit: u32) -> Self {
        let options = TreeBuilderOpts {
            scripting_enabled: false,
            drop_doctype: true,
            ..TreeBuilderOpts::default()
        };
        Self {
            builder: TreeBuilder::new(DraftSink::new(size), options),
            mode: Cell::new(TokenizerMode::Markup),
            dropped: RefCell::default(),
            skipped: Cell::new(0),
            tokens: Cell::new(0),
            clones: Cell::new(0),
            excess_formatting: RefCell::default(),
            truncated: Cell::new(false),
            depth_limit,
        }
    }

    /// How the tokenizer reads the text that follows.
    pub(super) fn mode(&self) -> TokenizerMode {
        self.mode.get()
    }

    /// Records that something was dropped.
    pub(super) fn set_truncated(&self) {
        self.truncated.set(true);
    }

    /// The finished draft, and whether anything was dropped.
    pub(super) fn into_draft(self) -> (Draft, bool) {
        let (draft, truncated) = self.builder.sink.into_draft();
        (draft, truncated || self.truncated.get())
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
        let (_, position) = self.position();
        if !is_leaf || position.foreign {
            let reserve = if is_leaf || kind == Tag::A {
                EXTRA_LEAF_DEPTH
            } else {
                0
            };
            let is_formatting = kind.is_formatting();
            if position.depth >= self.max_depth() + reserve
                || is_formatting && (position.formatting >= MAX_FORMATTING || self.is_overworked())
            {
                self.truncated.set(true);
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
        let was_raw = self.mode.replace(TokenizerMode::Markup) != TokenizerMode::Markup;
        if self.skipped.get() > 0 {
            if !was_raw && &*tag.name == "template" {
                self.skipped.set(self.skipped.get() - 1);
            }
            return TokenSinkResult::Continue;
        }
        if !was_raw && (self.is_overworked() || !self.dropped.borrow().is_empty()) {
            let (current, position) = self.position();
            let mut dropped = self.dropped.borrow_mut();
            if position.depth < self.max_depth() && position.formatting < MAX_FORMATTING {
                // The elements they would have been in are closed, so they are too.
                dropped.clear();
            } else if dropped.close(&tag.name) {
                return TokenSinkResult::Continue;
            }
            if self.is_overworked() && !self.builder.sink.is_named(current, &tag.name) {
                self.truncated.set(true);
                return TokenSinkResult::Continue;
            }
        }
        self.pass(Token::TagToken(tag), line)
    }

    /// Passes a token to the builder and checks what it did.
    fn pass(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        let before = self.builder.sink.created();
        self.builder.sink.forget_formatting();
        let result = self.builder.process_token(token, line);
        match result {
            TokenSinkResult::RawData(kind) => self.read_raw(kind),
            TokenSinkResult::Plaintext => self.mode.set(TokenizerMode::Plaintext),
            _ => {}
        }
        let clones = u64::from(self.builder.sink.created() - before).saturating_sub(1);
        if clones > 0 {
            self.check_clones(clones);
        }
        if !self.excess_formatting.borrow().is_empty() && self.mode.get() == TokenizerMode::Markup {
            self.close_formatting(line);
        }
        result
    }

    /// Decides whether the builder just made too many clones.
    fn check_clones(&self, clones: u64) {
        self.clones.set(self.clones.get() + clones);
        let allowed = BASE_CLONES + CLONES_PER_TOKEN * self.tokens.get();
        let many = clones > 4 && self.clones.get() > allowed;
        if many || clones > u64::from(MAX_FORMATTING) {
            let mut excess_formatting = self.excess_formatting.borrow_mut();
            excess_formatting.extend(self.builder.sink.take_formatting());
            self.truncated.set(true);
        }
    }

    /// Makes the builder forget the formatting elements it reopened. An end tag does that even where they are
    /// already closed again, as in a table.
    fn close_formatting(&self, line: u64) {
        for name in self.excess_formatting.take().into_iter().rev() {
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

    /// The element the builder is in, and its position. The builder does not expose it, but requests its name
    /// from the sink to decide whether it is HTML.
    fn position(&self) -> (u32, BuilderPosition) {
        self.builder.sink.last_named().set(0);
        let foreign = self
            .builder
            .adjusted_current_node_present_but_not_in_html_namespace();
        let id = self.builder.sink.last_named().get();
        let position = self.builder.sink.position(id);
        (
            id,
            BuilderPosition {
                foreign,
                ..position
            },
        )
    }

    fn max_depth(&self) -> u32 {
        if self.is_overworked() {
            REDUCED_DEPTH
        } else {
            self.depth_limit
        }
    }

    fn is_overworked(&self) -> bool {
        self.builder.sink.steps() > BASE_STEPS + STEPS_PER_TOKEN * self.tokens.get()
    }

    /// Drops a start tag; the tokenizer must still read what follows correctly.
    fn skip(&self, kind: Tag) -> TokenSinkResult<Handle> {
        self.truncated.set(true);
        let raw = match kind {
            Tag::Script => RawKind::ScriptData,
            Tag::Title | Tag::Textarea => RawKind::Rcdata,
            Tag::Plaintext => {
                self.mode.set(TokenizerMode::Plaintext);
                return TokenSinkResult::Plaintext;
            }
            _ if kind.is_raw_text() => RawKind::Rawtext,
            _ => return TokenSinkResult::Continue,
        };
        self.read_raw(raw);
        TokenSinkResult::RawData(raw)
    }

    fn read_raw(&self, kind: RawKind) {
        self.mode.set(match kind {
            RawKind::Rcdata => TokenizerMode::References,
            _ => TokenizerMode::RawText,
        });
    }
}

impl TokenSink for TreeGuard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        self.tokens.set(self.tokens.get() + 1);
        if self.builder.sink.nodes() >= MAX_NODES && !matches!(token, Token::EOFToken) {
            self.truncated.set(true);
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
