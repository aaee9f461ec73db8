//! The words of one block, gathered while the tree is walked.
//!
//! A run is a flat list of spans, each with the marks in force where it stood. There is no nesting
//! to keep: emphasis inside emphasis, emphasis over several blocks and emphasis that holds nothing
//! all come out right because a mark is a property of the words and not a bracket around them. The
//! brackets are chosen later, in [`super::marks`].
//!
//! Whitespace is collapsed here as a browser does it, over element boundaries too. A no-break space
//! counts as a space, and soft hyphens are dropped: both are about line breaking, and no line is
//! broken here.

use std::ops::Range;

pub(crate) const STRONG: u8 = 1;
pub(crate) const EMPHASIS: u8 = 2;
pub(crate) const STRIKE: u8 = 4;
/// Not a mark to be written around words: it makes the span code.
pub(crate) const CODE: u8 = 8;

/// What is in force where a span stands. A link is told by its number; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Style {
    pub(crate) marks: u8,
    pub(crate) link: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Code,
    /// Alternative text; `target` is the number of the image's address.
    Image,
    /// Markdown made here, to be written as it is.
    Verbatim,
    Space,
    /// White characters that do not collapse, at the edge of a style.
    Blank,
    Break,
}

#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) kind: Kind,
    pub(crate) style: Style,
    pub(crate) range: Range<usize>,
    pub(crate) target: u32,
}

impl Span {
    pub(crate) fn is_white(&self) -> bool {
        matches!(self.kind, Kind::Space | Kind::Blank | Kind::Break)
    }
}

/// How often the characters occur that only matter in pairs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) stars: u32,
    pub(crate) underscores: u32,
    pub(crate) ticks: u32,
    pub(crate) tildes: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) spans: Vec<Span>,
    pub(crate) tally: Tally,
    space: Option<Style>,
    has_words: bool,
}

const PLAIN: u8 = 0;
const PAIRED: u8 = 1;
const SPACE: u8 = 2;
const WHITE: u8 = 3;
/// The first byte of a no-break space and of a soft hyphen, among others.
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

impl Run {
    /// Whether there is nothing to see yet.
    pub(crate) fn is_blank(&self) -> bool {
        !self.has_words
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
        self.tally = Tally::default();
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

    /// Ends the line. True if it was ended already: an empty line was asked for.
    pub(crate) fn push_break(&mut self, style: Style) -> bool {
        self.space = None;
        // White characters at the end of a line cannot be seen.
        self.split_trailing_white();
        while self
            .spans
            .last()
            .is_some_and(|last| last.kind == Kind::Blank)
        {
            self.spans.pop();
        }
        match self.spans.last().map(|span| span.kind) {
            None => false,
            Some(Kind::Break) => true,
            Some(_) => {
                self.push_span(Kind::Break, style, "", 0);
                false
            }
        }
    }

    pub(crate) fn push_verbatim(&mut self, markdown: &str, style: Style) {
        self.settle_space();
        self.count_all(markdown);
        self.push_span(Kind::Verbatim, style, markdown, 0);
        self.has_words = true;
    }

    pub(crate) fn push_image(&mut self, alt: &str, target: u32, style: Style) {
        self.settle_space();
        self.count_all(alt);
        self.push_span(Kind::Image, style, alt, target);
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
            b'*' => self.tally.stars += 1,
            b'_' => self.tally.underscores += 1,
            b'`' => self.tally.ticks += 1,
            _ => self.tally.tildes += 1,
        }
    }

    fn push_word(&mut self, word: &str, style: Style) {
        if word.is_empty() {
            return;
        }
        let kind = if style.marks & CODE == 0 {
            Kind::Text
        } else {
            Kind::Code
        };
        let joins = self
            .spans
            .last()
            .is_some_and(|last| last.kind == kind && last.style == style)
            && self.space.is_none_or(|space| space == style);
        if !joins {
            self.settle_space();
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

    fn push_span(&mut self, kind: Kind, style: Style, text: &str, target: u32) {
        self.split_trailing_white();
        if kind == Kind::Text {
            let body = text.trim_start_matches(char::is_whitespace);
            let white = &text[..text.len() - body.len()];
            let at_line_start = self
                .spans
                .last()
                .is_none_or(|last| last.kind == Kind::Break);
            if !white.is_empty() && !at_line_start {
                self.append(Kind::Blank, style, white, 0);
            }
            if !body.is_empty() {
                self.append(Kind::Text, style, body, 0);
                self.has_words = true;
            }
            return;
        }
        self.has_words |= kind == Kind::Code;
        self.append(kind, style, text, target);
    }

    fn append(&mut self, kind: Kind, style: Style, text: &str, target: u32) {
        let start = self.text.len();
        self.text.push_str(text);
        self.spans.push(Span {
            kind,
            style,
            range: start..self.text.len(),
            target,
        });
    }

    /// Writes the space that was met, unless it stands at the start of a line.
    fn settle_space(&mut self) {
        let Some(style) = self.space.take() else {
            return;
        };
        if self
            .spans
            .last()
            .is_some_and(|last| last.kind != Kind::Break)
        {
            self.push_span(Kind::Space, style, "", 0);
        }
    }

    /// White characters at the end of a span are moved out of it, as marks must hug words.
    fn split_trailing_white(&mut self) {
        let Some(last) = self.spans.last_mut() else {
            return;
        };
        if last.kind != Kind::Text {
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
                kind: Kind::Blank,
                style: last.style,
                range: split..last.range.end,
                target: 0,
            };
            last.range.end = split;
            self.spans.push(white);
        }
    }

    /// Drops what cannot be seen at either end, and gives white spans only the marks that hold on
    /// both sides of them.
    pub(crate) fn settle(&mut self) {
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
