//! One block's words as Markdown, or as plain text.

use super::escape::{Line, Rules, destination, escape, escape_line_start};
use super::marks::{Bracketed, Mark, Pair, Token};
use super::run::{Kind, Run, Span};

/// Where the words are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Paragraph,
    Heading,
    Cell,
}

/// What is written around the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    Markdown,
    Text,
}

/// Writes runs; holds what one run after the other can use again.
#[derive(Debug)]
pub(crate) struct InlineWriter {
    flavour: Flavour,
    bracketed: Bracketed,
}

impl InlineWriter {
    pub(crate) fn new(flavour: Flavour) -> Self {
        Self {
            flavour,
            bracketed: Bracketed::default(),
        }
    }

    /// Appends the run. `prefix` starts every line after the first.
    pub(crate) fn write(
        &mut self,
        run: &mut Run,
        targets: &[String],
        place: Place,
        prefix: &str,
        out: &mut String,
    ) {
        run.settle();
        if self.flavour == Flavour::Text {
            write_text(run, place, prefix, out);
            return;
        }
        self.bracketed.fill(run);
        let mut writing = Writing {
            run,
            bracketed: &self.bracketed,
            targets,
            place,
            prefix,
            rules: rules(run, &self.bracketed, place),
            at_line_start: place == Place::Paragraph,
            is_first: true,
            links: 0,
            out,
        };
        for at in 0..self.bracketed.tokens.len() {
            writing.token(at);
        }
        if place == Place::Heading {
            escape_closing_hashes(out);
        }
    }
}

/// What has to be escaped in this run: characters that matter in pairs do if there is a second one,
/// in the text or among the marks.
fn rules(run: &Run, bracketed: &Bracketed, place: Place) -> Rules {
    let tally = run.tally;
    let has = |wanted: Mark| {
        let mut pairs = bracketed.pairs.iter();
        pairs.any(|pair| pair.mark == wanted && !pair.as_tag)
    };
    let has_code = || run.spans.iter().any(|span| span.kind == Kind::Code);
    let matters =
        |count: u32, has_other: &dyn Fn() -> bool| count > 1 || (count > 0 && has_other());
    Rules {
        stars: matters(tally.stars, &|| has(Mark::Strong) || has(Mark::Emphasis)),
        underscores: tally.underscores > 1,
        ticks: matters(tally.ticks, &has_code),
        tildes: matters(tally.tildes, &|| has(Mark::Strike)),
        in_cell: place == Place::Cell,
        ..Rules::default()
    }
}

/// One run being written.
struct Writing<'w> {
    run: &'w Run,
    bracketed: &'w Bracketed,
    targets: &'w [String],
    place: Place,
    prefix: &'w str,
    rules: Rules,
    at_line_start: bool,
    /// No line of the run is finished yet.
    is_first: bool,
    links: u32,
    out: &'w mut String,
}

impl Writing<'_> {
    fn token(&mut self, at: usize) {
        match self.bracketed.tokens[at] {
            Token::Open(pair) => self.open(self.bracketed.pairs[pair]),
            Token::Close(pair) => self.close(self.bracketed.pairs[pair]),
            Token::Span(index) => {
                if self.run.spans[index].kind == Kind::Break {
                    write_break(self.out, self.place, self.prefix);
                    self.at_line_start = self.place == Place::Paragraph;
                    self.is_first = false;
                    return;
                }
                self.span(at, index);
            }
        }
        self.at_line_start = false;
    }

    fn open(&mut self, pair: Pair) {
        self.links += u32::from(pair.mark == Mark::Link);
        if pair.as_tag {
            self.out.push('<');
            self.out.push_str(pair.mark.element());
            self.out.push('>');
        } else {
            self.out.push_str(pair.mark.delimiter());
        }
    }

    fn close(&mut self, pair: Pair) {
        if pair.mark == Mark::Link {
            self.links -= 1;
            self.out.push_str("](");
            destination(self.out, target(self.targets, pair.link));
            self.out.push(')');
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
            Kind::Text => self.text(at, index, text),
            Kind::Code => write_code(self.out, text, self.place),
            Kind::Image => {
                self.out.push_str("![");
                let rules = Rules {
                    in_link: true,
                    before_mark: true,
                    stars: true,
                    underscores: true,
                    ticks: true,
                    tildes: true,
                    ..self.rules
                };
                escape(self.out, text, rules);
                self.out.push_str("](");
                destination(self.out, target(self.targets, span.target));
                self.out.push(')');
            }
            Kind::Verbatim | Kind::Blank => self.out.push_str(text),
            Kind::Space => self.out.push(' '),
            Kind::Break => {}
        }
    }

    fn text(&mut self, at: usize, index: usize, text: &str) {
        let mut text = text;
        if self.at_line_start {
            let is_first = self.is_first;
            let may_define = is_first && text.starts_with('[') && self.run.text.contains("]:");
            let line = Line {
                text,
                is_all: ends_line(self.run.spans.get(index + 1)),
                is_first,
                may_define,
            };
            text = &text[escape_line_start(self.out, line)..];
        } else if self.out.ends_with(']') && text.starts_with(':') {
            // `[^1]:` would define the note instead of naming it.
            self.out.push('\\');
        }
        escape(self.out, text, self.rules_at(at));
    }

    /// The rules, with what is known about the next token added.
    fn rules_at(&self, at: usize) -> Rules {
        let (before_link, before_mark) = match self.bracketed.tokens.get(at + 1) {
            None => (false, false),
            // A break is written with a character that is not white.
            Some(&Token::Span(next)) => {
                let kind = self.run.spans[next].kind;
                (false, !matches!(kind, Kind::Space | Kind::Blank))
            }
            Some(&(Token::Open(pair) | Token::Close(pair))) => {
                (self.bracketed.pairs[pair].mark == Mark::Link, true)
            }
        };
        Rules {
            in_link: self.links > 0,
            before_link,
            before_mark,
            ..self.rules
        }
    }
}

fn ends_line(next: Option<&Span>) -> bool {
    next.is_none_or(|next| next.kind == Kind::Break)
}

fn target(targets: &[String], number: u32) -> &str {
    (number as usize)
        .checked_sub(1)
        .and_then(|index| targets.get(index))
        .map_or("", String::as_str)
}

fn write_break(out: &mut String, place: Place, prefix: &str) {
    match place {
        Place::Paragraph => {
            out.push_str("\\\n");
            out.push_str(prefix);
        }
        Place::Heading => out.push(' '),
        Place::Cell => out.push_str("<br>"),
    }
}

fn write_text(run: &Run, place: Place, prefix: &str, out: &mut String) {
    for span in &run.spans {
        match span.kind {
            Kind::Text | Kind::Code | Kind::Verbatim | Kind::Blank => {
                out.push_str(&run.text[span.range.clone()]);
            }
            Kind::Image => {}
            Kind::Break if place == Place::Paragraph => {
                out.push('\n');
                out.push_str(prefix);
            }
            Kind::Space | Kind::Break => out.push(' '),
        }
    }
}

/// The length of the longest run of backticks.
pub(crate) fn longest_ticks(text: &str) -> usize {
    let mut longest = 0;
    let mut current = 0;
    for byte in text.bytes() {
        current = if byte == b'`' { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest
}

fn write_code(out: &mut String, code: &str, place: Place) {
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
    if place == Place::Cell {
        // The one escape that works inside code: cells are cut before anything else is read.
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

/// A heading may end in `#`s that are only decoration; ours are not.
fn escape_closing_hashes(out: &mut String) {
    let text = out.trim_end_matches('#');
    if text.len() < out.len() && text.ends_with(' ') {
        let last = out.len() - 1;
        out.insert(last, '\\');
    }
}
