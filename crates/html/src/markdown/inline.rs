//! Writes the inline content of one block as Markdown or plain text.

use super::delimiters::{DelimitedRun, DelimiterPair, InlineToken, Mark};
use super::escape::{EscapeRules, LineStart, destination, escape, escape_line_start, link_title};
use super::run::{Span, SpanKind, TextRun};

/// Where the inline content is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InlineContext {
    Paragraph,
    Heading,
    Cell,
}

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFormat {
    Markdown,
    Text,
}

/// What a link or image points to.
#[derive(Debug)]
pub(crate) struct LinkTarget {
    pub(crate) address: String,
    /// On one line; empty for none.
    pub(crate) title: String,
}

/// Writes runs, reusing its buffers from one run to the next.
#[derive(Debug)]
pub(crate) struct InlineWriter {
    format: TextFormat,
    delimited: DelimitedRun,
}

impl InlineWriter {
    pub(crate) fn new(format: TextFormat) -> Self {
        Self {
            format,
            delimited: DelimitedRun::default(),
        }
    }

    /// Appends the run. `prefix` starts every line after the first.
    pub(crate) fn write(
        &mut self,
        run: &mut TextRun,
        targets: &[LinkTarget],
        context: InlineContext,
        prefix: &str,
        out: &mut String,
    ) {
        run.finish();
        if self.format == TextFormat::Text {
            write_text(run, context, prefix, out);
            return;
        }
        self.delimited.fill(run);
        let mut writer = RunWriter {
            run,
            delimited: &self.delimited,
            targets,
            context,
            prefix,
            rules: rules(run, &self.delimited, context),
            at_line_start: context == InlineContext::Paragraph,
            is_first: true,
            links: 0,
            out,
        };
        for at in 0..self.delimited.tokens.len() {
            writer.token(at);
        }
        if context == InlineContext::Heading {
            escape_closing_hashes(out);
        }
    }
}

/// What has to be escaped in this run. Characters that only matter in pairs need it if there is a second one,
/// in the text or among the delimiters.
fn rules(run: &TextRun, delimited: &DelimitedRun, context: InlineContext) -> EscapeRules {
    let counts = run.counts;
    let has = |wanted: Mark| {
        let mut pairs = delimited.pairs.iter();
        pairs.any(|pair| pair.mark == wanted && !pair.as_tag)
    };
    let has_code = || run.spans.iter().any(|span| span.kind == SpanKind::Code);
    let matters =
        |count: u32, has_other: &dyn Fn() -> bool| count > 1 || (count > 0 && has_other());
    EscapeRules {
        stars: matters(counts.stars, &|| has(Mark::Strong) || has(Mark::Emphasis)),
        underscores: counts.underscores > 1,
        ticks: matters(counts.ticks, &has_code),
        tildes: matters(counts.tildes, &|| has(Mark::Strike)),
        in_cell: context == InlineContext::Cell,
        ..EscapeRules::default()
    }
}

/// One run being written.
struct RunWriter<'w> {
    run: &'w TextRun,
    delimited: &'w DelimitedRun,
    targets: &'w [LinkTarget],
    context: InlineContext,
    prefix: &'w str,
    rules: EscapeRules,
    at_line_start: bool,
    /// Whether this is still the first line of the run.
    is_first: bool,
    links: u32,
    out: &'w mut String,
}

impl RunWriter<'_> {
    fn token(&mut self, at: usize) {
        match self.delimited.tokens[at] {
            InlineToken::Open(pair) => self.open(self.delimited.pairs[pair]),
            InlineToken::Close(pair) => self.close(self.delimited.pairs[pair]),
            InlineToken::Span(index) => {
                if self.run.spans[index].kind == SpanKind::Break {
                    write_break(self.out, self.context, self.prefix);
                    self.at_line_start = self.context == InlineContext::Paragraph;
                    self.is_first = false;
                    return;
                }
                self.span(at, index);
            }
        }
        self.at_line_start = false;
    }

    fn open(&mut self, pair: DelimiterPair) {
        self.links += u32::from(pair.mark == Mark::Link);
        if pair.as_tag {
            self.out.push('<');
            self.out.push_str(pair.mark.element());
            self.out.push('>');
        } else {
            self.out.push_str(pair.mark.delimiter());
        }
    }

    fn close(&mut self, pair: DelimiterPair) {
        if pair.mark == Mark::Link {
            self.links -= 1;
            self.out.push(']');
            write_target(self.out, self.targets, pair.link);
        } else if pair.as_tag {
            self.out.push_str("</");
            self.out.push_str(pair.mark.element());
            self.out.push('>');
        } else {
            self.out.push_str(pair.mark.delimiter());
        }
    }

    fn span(&mut self, at: usize, index: usize) {
        let span = &self.run.spans[index];
        let text = &self.run.text[span.range.clone()];
        match span.kind {
            SpanKind::Text => self.text(at, index, text),
            SpanKind::Code => write_code(self.out, text, self.context),
            SpanKind::Image => {
                self.out.push_str("![");
                let rules = EscapeRules {
                    in_link: true,
                    before_mark: true,
                    stars: true,
                    underscores: true,
                    ticks: true,
                    tildes: true,
                    ..self.rules
                };
                escape(self.out, text, rules);
                self.out.push(']');
                write_target(self.out, self.targets, span.target);
            }
            SpanKind::Verbatim | SpanKind::Blank => self.out.push_str(text),
            SpanKind::Space => self.out.push(' '),
            SpanKind::Break => {}
        }
    }

    fn text(&mut self, at: usize, index: usize, text: &str) {
        let mut text = text;
        if self.at_line_start {
            let is_first = self.is_first;
            let may_define = is_first && text.starts_with('[') && self.run.text.contains("]:");
            let line = LineStart {
                text,
                is_all: ends_line(self.run.spans.get(index + 1)),
                is_first,
                may_define,
            };
            text = &text[escape_line_start(self.out, line)..];
        } else if self.out.ends_with(']') && text.starts_with(':') {
            // `[^1]:` would define the footnote instead of referring to it.
            self.out.push('\\');
        }
        escape(self.out, text, self.rules_at(at));
    }

    /// The rules, extended by what is known about the next token.
    fn rules_at(&self, at: usize) -> EscapeRules {
        let (before_link, before_mark) = match self.delimited.tokens.get(at + 1) {
            None => (false, false),
            // A line break is written with a character that is not white space.
            Some(&InlineToken::Span(next)) => {
                let kind = self.run.spans[next].kind;
                (false, !matches!(kind, SpanKind::Space | SpanKind::Blank))
            }
            Some(&(InlineToken::Open(pair) | InlineToken::Close(pair))) => {
                (self.delimited.pairs[pair].mark == Mark::Link, true)
            }
        };
        EscapeRules {
            in_link: self.links > 0,
            before_link,
            before_mark,
            ..self.rules
        }
    }
}

fn ends_line(next: Option<&Span>) -> bool {
    next.is_none_or(|next| next.kind == SpanKind::Break)
}

/// Writes the address and the title of a link or image, in brackets.
fn write_target(out: &mut String, targets: &[LinkTarget], number: u32) {
    out.push('(');
    let index = (number as usize).checked_sub(1);
    if let Some(target) = index.and_then(|index| targets.get(index)) {
        destination(out, &target.address);
        if !target.title.is_empty() {
            out.push_str(" \"");
            link_title(out, &target.title);
            out.push('"');
        }
    }
    out.push(')');
}

fn write_break(out: &mut String, context: InlineContext, prefix: &str) {
    match context {
        InlineContext::Paragraph => {
            out.push_str("\\\n");
            out.push_str(prefix);
        }
        InlineContext::Heading => out.push(' '),
        InlineContext::Cell => out.push_str("<br>"),
    }
}

fn write_text(run: &TextRun, context: InlineContext, prefix: &str, out: &mut String) {
    for span in &run.spans {
        match span.kind {
            SpanKind::Text | SpanKind::Code | SpanKind::Verbatim | SpanKind::Blank => {
                out.push_str(&run.text[span.range.clone()]);
            }
            SpanKind::Image => {}
            SpanKind::Break if context == InlineContext::Paragraph => {
                out.push('\n');
                out.push_str(prefix);
            }
            SpanKind::Space | SpanKind::Break => out.push(' '),
        }
    }
}

/// Length of the longest run of backticks.
pub(crate) fn longest_ticks(text: &str) -> usize {
    let mut longest = 0;
    let mut current = 0;
    for byte in text.bytes() {
        current = if byte == b'`' { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest
}

fn write_code(out: &mut String, code: &str, context: InlineContext) {
    let ticks = match longest_ticks(code) {
        0 => 1,
        1 => 2,
        longest => longest + 1,
    };
    let fence = "`".repeat(ticks);
    let padded = code.starts_with('`') || code.ends_with('`');
    out.push_str(&fence);
    if padded {
        out.push(' ');
    }
    if context == InlineContext::Cell {
        // The only escape that works inside code: cells are split before anything else is parsed.
        for (index, part) in code.split('|').enumerate() {
            if index > 0 {
                out.push_str("\\|");
            }
            out.push_str(part);
        }
    } else {
        out.push_str(code);
    }
    if padded {
        out.push(' ');
    }
    out.push_str(&fence);
}

/// Escapes trailing `#`s of a heading, which would otherwise be taken for decoration.
fn escape_closing_hashes(out: &mut String) {
    let text = out.trim_end_matches('#');
    if text.len() < out.len() && text.ends_with(' ') {
        let last = out.len() - 1;
        out.insert(last, '\\');
    }
}
