//! The inline content of one block, collected while the tree is walked.
//!
//! A run is a flat list of spans, each with the styles that apply to it. There is no nesting: emphasis inside
//! emphasis, emphasis across blocks and empty emphasis are all handled correctly because a style is a property of the
//! text and not a bracket around it. The delimiters are chosen later, in [`super::delimiters`].
//!
//! White space is collapsed as in a browser, across element boundaries too. A no-break space counts as a
//! space, and soft hyphens are dropped: both only concern line breaking, and no lines are broken here.

use std::ops::Range;

pub(crate) const STRONG: u8 = 1;
pub(crate) const EMPHASIS: u8 = 2;
pub(crate) const STRIKE: u8 = 4;
/// Not a delimiter around text: it makes the span code.
pub(crate) const CODE: u8 = 8;

/// The styles that apply to a span. Links are numbered from 1; 0 means none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Style {
    pub(crate) marks: u8,
    pub(crate) link: u32,
}

/// What a span contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpanKind {
    Text,
    Code,
    /// Alternative text; `target` is the number of the image's address.
    Image,
    /// Generated Markdown, written as it is.
    Verbatim,
    Space,
    /// White space that does not collapse, at the edge of a style.
    Blank,
    Break,
}

/// A piece of a run with one style.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) kind: SpanKind,
    pub(crate) style: Style,
    pub(crate) range: Range<usize>,
    pub(crate) target: u32,
}

impl Span {
    pub(crate) fn is_white(&self) -> bool {
        matches!(
            self.kind,
            SpanKind::Space | SpanKind::Blank | SpanKind::Break
        )
    }
}

/// Counts of the characters that only matter in pairs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DelimiterCounts {
    pub(crate) stars: u32,
    pub(crate) underscores: u32,
    pub(crate) ticks: u32,
    pub(crate) tildes: u32,
}

/// The inline content of one block.
#[derive(Debug, Default)]
pub(crate) struct TextRun {
    pub(crate) text: String,
    pub(crate) spans: Vec<Span>,
    pub(crate) counts: DelimiterCounts,
    space: Option<Style>,
    has_words: bool,
}

const PLAIN: u8 = 0;
const PAIRED: u8 = 1;
const SPACE: u8 = 2;
const WHITE: u8 = 3;
/// First byte of a no-break space and a soft hyphen, among others.
const LATIN: u8 = 4;

const CLASS: [u8; 256] = {
    let mut class = [PLAIN; 256];
    class[b'*' as usize] = PAIRED;
    class[b'_' as usize] = PAIRED;
    class[b'`' as usize] = PAIRED;
    class[b'~' as usize] = PAIRED;
    class[b' ' as usize] = SPACE;
    class[b'\t' as usize] = WHITE;
    class[b'\n' as usize] = WHITE;
    class[b'\r' as usize] = WHITE;
    class[0x0c] = WHITE;
    class[0xc2] = LATIN;
    class
};

impl TextRun {
    /// Whether there is no visible content yet.
    pub(crate) fn is_blank(&self) -> bool {
        !self.has_words
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
        self.counts = DelimiterCounts::default();
        self.space = None;
        self.has_words = false;
    }

    pub(crate) fn push_text(&mut self, text: &str, style: Style) {
        let bytes = text.as_bytes();
        let mut start = 0;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let class = CLASS[usize::from(byte)];
            if class == PLAIN {
                at += 1;
                continue;
            }
            let next = bytes.get(at + 1).copied().unwrap_or(b' ');
            let width = match class {
                PAIRED => {
                    self.count(byte);
                    at += 1;
                    continue;
                }
                SPACE if at > start && CLASS[usize::from(next)] <= PAIRED => {
                    at += 1;
                    continue;
                }
                LATIN if next == 0xa0 || next == 0xad => 2,
                LATIN => {
                    at += 2;
                    continue;
                }
                _ => 1,
            };
            self.push_word(&text[start..at], style);
            if (width, next) != (2, 0xad) {
                self.push_space(style);
            }
            at += width;
            start = at;
        }
        self.push_word(&text[start..], style);
    }

    pub(crate) fn push_space(&mut self, style: Style) {
        self.space.get_or_insert(style);
    }

    /// Ends the line. Returns true if it had ended already, so that an empty line was requested.
    pub(crate) fn push_break(&mut self, style: Style) -> bool {
        self.space = None;
        // White space at the end of a line is invisible.
        self.split_trailing_white();
        while self
            .spans
            .last()
            .is_some_and(|last| last.kind == SpanKind::Blank)
        {
            self.spans.pop();
        }
        match self.spans.last().map(|span| span.kind) {
            None => false,
            Some(SpanKind::Break) => true,
            Some(_) => {
                self.push_span(SpanKind::Break, style, "", 0);
                false
            }
        }
    }

    pub(crate) fn push_verbatim(&mut self, markdown: &str, style: Style) {
        self.flush_space();
        self.count_all(markdown);
        self.push_span(SpanKind::Verbatim, style, markdown, 0);
        self.has_words = true;
    }

    pub(crate) fn push_image(&mut self, alt: &str, target: u32, style: Style) {
        self.flush_space();
        self.count_all(alt);
        self.push_span(SpanKind::Image, style, alt, target);
        self.has_words = true;
    }

    fn count_all(&mut self, text: &str) {
        for byte in text.bytes() {
            if CLASS[usize::from(byte)] == PAIRED {
                self.count(byte);
            }
        }
    }

    fn count(&mut self, byte: u8) {
        match byte {
            b'*' => self.counts.stars += 1,
            b'_' => self.counts.underscores += 1,
            b'`' => self.counts.ticks += 1,
            _ => self.counts.tildes += 1,
        }
    }

    fn push_word(&mut self, word: &str, style: Style) {
        if word.is_empty() {
            return;
        }
        let kind = if style.marks & CODE == 0 {
            SpanKind::Text
        } else {
            SpanKind::Code
        };
        let joins = self
            .spans
            .last()
            .is_some_and(|last| last.kind == kind && last.style == style)
            && self.space.is_none_or(|space| space == style);
        if !joins {
            self.flush_space();
            self.push_span(kind, style, word, 0);
            return;
        }
        if self.space.take().is_some() {
            self.text.push(' ');
        }
        self.text.push_str(word);
        if let Some(last) = self.spans.last_mut() {
            last.range.end = self.text.len();
        }
        self.has_words = self.has_words || !is_white(word);
    }

    fn push_span(&mut self, kind: SpanKind, style: Style, text: &str, target: u32) {
        self.split_trailing_white();
        if kind == SpanKind::Text {
            let body = text.trim_start_matches(char::is_whitespace);
            let white = &text[..text.len() - body.len()];
            let at_line_start = self
                .spans
                .last()
                .is_none_or(|last| last.kind == SpanKind::Break);
            if !white.is_empty() && !at_line_start {
                self.append(SpanKind::Blank, style, white, 0);
            }
            if !body.is_empty() {
                self.append(SpanKind::Text, style, body, 0);
                self.has_words = true;
            }
            return;
        }
        self.has_words |= kind == SpanKind::Code;
        self.append(kind, style, text, target);
    }

    fn append(&mut self, kind: SpanKind, style: Style, text: &str, target: u32) {
        let start = self.text.len();
        self.text.push_str(text);
        self.spans.push(Span {
            kind,
            style,
            range: start..self.text.len(),
            target,
        });
    }

    /// Writes the pending space, unless it is at the start of a line.
    fn flush_space(&mut self) {
        let Some(style) = self.space.take() else {
            return;
        };
        if self
            .spans
            .last()
            .is_some_and(|last| last.kind != SpanKind::Break)
        {
            self.push_span(SpanKind::Space, style, "", 0);
        }
    }

    /// Moves trailing white space out of a span, because delimiters must be adjacent to words.
    fn split_trailing_white(&mut self) {
        let Some(last) = self.spans.last_mut() else {
            return;
        };
        if last.kind != SpanKind::Text {
            return;
        }
        let text = &self.text[last.range.clone()];
        if text.as_bytes().last().is_none_or(u8::is_ascii) {
            return;
        }
        let kept = text.trim_end().len();
        if kept < text.len() {
            let split = last.range.start + kept;
            let white = Span {
                kind: SpanKind::Blank,
                style: last.style,
                range: split..last.range.end,
                target: 0,
            };
            last.range.end = split;
            self.spans.push(white);
        }
    }

    /// Drops invisible content at both ends, and leaves white-space spans only the styles that apply on both
    /// sides of them.
    pub(crate) fn finish(&mut self) {
        self.split_trailing_white();
        while self.spans.last().is_some_and(Span::is_white) {
            self.spans.pop();
        }
        let leading = self.spans.iter().take_while(|span| span.is_white()).count();
        self.spans.drain(..leading);

        let mut before = Style::default();
        for span in &mut self.spans {
            if span.is_white() {
                span.style = shared(span.style, before);
            } else {
                before = span.style;
            }
        }
        let mut after = Style::default();
        for span in self.spans.iter_mut().rev() {
            if span.is_white() {
                span.style = shared(span.style, after);
            } else {
                after = span.style;
            }
        }
    }
}

fn is_white(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

fn shared(one: Style, other: Style) -> Style {
    Style {
        marks: one.marks & other.marks,
        link: if one.link == other.link { one.link } else { 0 },
    }
}
