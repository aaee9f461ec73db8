//! Turns the styles of spans into delimiters around them.
//!
//! The spans of a run carry the styles that apply to them. This module chooses the fewest delimiters that
//! express them: a style that lasts longer goes outside one that ends sooner, and a link is never split. Then
//! every delimiter is checked against CommonMark's rules for `*` and `~`: where it would not be parsed as
//! intended (`word**(x)**word`), the pair is written as an HTML tag instead, which every Markdown parser
//! accepts and which is harmless, being one of a few fixed names.

use super::flanking::{Neighbor, edge, may_close, surely_closes, surely_opens};
use super::run::{EMPHASIS, STRIKE, STRONG, Span, SpanKind, TextRun};

/// A style that is written with delimiters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Link,
    Strong,
    Emphasis,
    Strike,
}

const MARKS: [Mark; 4] = [Mark::Link, Mark::Strong, Mark::Emphasis, Mark::Strike];
/// Delimiters influence each other; the checks settle in two or three rounds. What has not settled by then is
/// written as tags.
const MAX_ROUNDS: usize = 6;

impl Mark {
    fn holds(self, span: &Span) -> bool {
        match self {
            Self::Link => span.style.link != 0,
            Self::Strong => span.style.marks & STRONG != 0,
            Self::Emphasis => span.style.marks & EMPHASIS != 0,
            Self::Strike => span.style.marks & STRIKE != 0,
        }
    }

    /// Whether adjacent delimiters merge because they consist of the same character.
    fn merges_with(self, other: Self) -> bool {
        self == other
            || matches!(
                (self, other),
                (Self::Strong, Self::Emphasis) | (Self::Emphasis, Self::Strong)
            )
    }

    pub(crate) fn delimiter(self) -> &'static str {
        match self {
            Self::Link => "[",
            Self::Strong => "**",
            Self::Emphasis => "*",
            Self::Strike => "~~",
        }
    }

    pub(crate) fn element(self) -> &'static str {
        match self {
            Self::Link => "a",
            Self::Strong => "strong",
            Self::Emphasis => "em",
            Self::Strike => "del",
        }
    }
}

/// One pair of delimiters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DelimiterPair {
    pub(crate) mark: Mark,
    pub(crate) link: u32,
    /// Written as an HTML tag.
    pub(crate) as_tag: bool,
    /// Length of the delimiter run it was opened with.
    run_length: usize,
}

/// A delimiter or a span, in output order. Pairs and spans are given by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InlineToken {
    Open(usize),
    Close(usize),
    Span(usize),
}

/// A run with its delimiters in place.
#[derive(Debug, Default)]
pub(crate) struct DelimitedRun {
    pub(crate) tokens: Vec<InlineToken>,
    pub(crate) pairs: Vec<DelimiterPair>,
    ends: Vec<[usize; 4]>,
    open: Vec<usize>,
}

impl DelimitedRun {
    /// Chooses the delimiters for a finished run.
    pub(crate) fn fill(&mut self, run: &TextRun) {
        self.tokens.clear();
        self.pairs.clear();
        self.open.clear();
        self.find_ends(&run.spans);
        for (at, span) in run.spans.iter().enumerate() {
            self.close_for(span);
            self.open_for(at, span);
            self.tokens.push(InlineToken::Span(at));
        }
        while let Some(pair) = self.open.pop() {
            self.tokens.push(InlineToken::Close(pair));
        }
        self.check_delimiters(run);
    }

    /// For every span and style, finds where the style ends.
    fn find_ends(&mut self, spans: &[Span]) {
        self.ends.clear();
        self.ends.resize(spans.len(), [0; 4]);
        for at in (0..spans.len()).rev() {
            for (slot, mark) in MARKS.into_iter().enumerate() {
                let continues = spans.get(at + 1).is_some_and(|next| {
                    mark.holds(next)
                        && (mark != Mark::Link || next.style.link == spans[at].style.link)
                });
                self.ends[at][slot] = if continues {
                    self.ends[at + 1][slot]
                } else {
                    at
                };
            }
        }
    }

    fn close_for(&mut self, span: &Span) {
        let keep = self
            .open
            .iter()
            .take_while(|&&pair| {
                let pair = self.pairs[pair];
                pair.mark.holds(span) && (pair.mark != Mark::Link || pair.link == span.style.link)
            })
            .count();
        self.close_down_to(keep);
    }

    fn close_down_to(&mut self, keep: usize) {
        while self.open.len() > keep {
            if let Some(pair) = self.open.pop() {
                self.tokens.push(InlineToken::Close(pair));
            }
        }
    }

    fn open_for(&mut self, at: usize, span: &Span) {
        let ends = self.ends[at];
        if Mark::Link.holds(span) && !self.is_open(Mark::Link) {
            // A style that ends inside the link has to be reopened inside it.
            let keep = self
                .open
                .iter()
                .take_while(|&&pair| ends[self.pairs[pair].mark as usize] >= ends[0])
                .count();
            self.close_down_to(keep);
        }
        let mut missing = MARKS.map(|mark| mark.holds(span) && !self.is_open(mark));
        while let Some(slot) = (0..4)
            .filter(|&slot| missing[slot])
            .max_by_key(|&slot| (ends[slot], 4 - slot))
        {
            missing[slot] = false;
            let pair = self.pairs.len();
            self.pairs.push(DelimiterPair {
                mark: MARKS[slot],
                link: span.style.link,
                as_tag: false,
                run_length: 0,
            });
            self.open.push(pair);
            self.tokens.push(InlineToken::Open(pair));
        }
    }

    fn is_open(&self, mark: Mark) -> bool {
        self.open.iter().any(|&pair| self.pairs[pair].mark == mark)
    }

    /// Turns every pair into tags that would not be parsed as intended.
    fn check_delimiters(&mut self, run: &TextRun) {
        for round in 0..MAX_ROUNDS {
            let mut changed = false;
            let mut at = 0;
            self.open.clear();
            while at < self.tokens.len() {
                let merged = self.merged(at);
                if merged == 0 {
                    at += 1;
                    continue;
                }
                changed |= self.check_run(at, merged, run, round + 1 == MAX_ROUNDS);
                self.record_run(at, merged);
                at += merged;
            }
            if !changed {
                return;
            }
        }
    }

    /// The number of delimiters that merge into one run from here on.
    fn merged(&self, at: usize) -> usize {
        let mark = |token: &InlineToken| match *token {
            InlineToken::Open(pair) | InlineToken::Close(pair) => Some(self.pairs[pair])
                .filter(|pair| !pair.as_tag && pair.mark != Mark::Link)
                .map(|pair| pair.mark),
            InlineToken::Span(_) => None,
        };
        let Some(first) = mark(&self.tokens[at]) else {
            return 0;
        };
        self.tokens[at..]
            .iter()
            .take_while(|token| mark(token).is_some_and(|mark| mark.merges_with(first)))
            .count()
    }

    /// Whether an opening run that could also close would close something: by the rule of three it cannot,
    /// unless the open delimiter comes from a run of another length.
    fn would_close(&self, at: usize, length: usize) -> bool {
        let run_length = self.run_length(at, length);
        let is_strike = |pair: usize| self.pairs[pair].mark == Mark::Strike;
        let strikes = matches!(self.tokens[at], InlineToken::Open(pair) if is_strike(pair));
        self.open.iter().any(|&pair| {
            is_strike(pair) == strikes
                && !(self.pairs[pair].run_length + run_length).is_multiple_of(3)
        })
    }

    /// The number of characters in a delimiter run.
    fn run_length(&self, at: usize, length: usize) -> usize {
        self.tokens[at..at + length]
            .iter()
            .map(|token| match *token {
                InlineToken::Open(pair) | InlineToken::Close(pair) => {
                    self.pairs[pair].mark.delimiter().len()
                }
                InlineToken::Span(_) => 0,
            })
            .sum()
    }

    /// Records what is open after a delimiter run.
    fn record_run(&mut self, at: usize, length: usize) {
        let run_length = self.run_length(at, length);
        for token in at..at + length {
            match self.tokens[token] {
                InlineToken::Open(pair) if !self.pairs[pair].as_tag => {
                    self.pairs[pair].run_length = run_length;
                    self.open.push(pair);
                }
                InlineToken::Close(pair) => self.open.retain(|&open| open != pair),
                _ => {}
            }
        }
    }

    /// The class of a delimiter as seen by its neighbors.
    fn side_of(&self, pair: usize) -> Neighbor {
        let pair = self.pairs[pair];
        if pair.mark == Mark::Strike && !pair.as_tag {
            Neighbor::of(Some('~'))
        } else {
            Neighbor::Punctuation
        }
    }

    fn check_run(&mut self, at: usize, length: usize, run: &TextRun, give_up: bool) -> bool {
        let merged = at..at + length;
        let closes = self.tokens[merged.clone()]
            .iter()
            .filter(|token| matches!(token, InlineToken::Close(_)))
            .count();
        let before = match at.checked_sub(1).map(|before| self.tokens[before]) {
            None => Neighbor::White,
            Some(InlineToken::Span(span)) => last_side(run, span, closes > 0),
            Some(InlineToken::Open(pair) | InlineToken::Close(pair)) => self.side_of(pair),
        };
        let after = match self.tokens.get(at + length) {
            None => Neighbor::White,
            Some(&InlineToken::Span(span)) => first_side(run, span, closes == 0),
            Some(&(InlineToken::Open(pair) | InlineToken::Close(pair))) => self.side_of(pair),
        };
        let fits = !give_up
            && (closes == 0 || surely_closes(before, after))
            && (closes == length || surely_opens(before, after))
            && (closes > 0 || !may_close(before, after) || !self.would_close(at, length));
        // Parsers disagree about runs that close and open at once.
        let mixed = closes > 0 && closes < length;
        if fits && !mixed {
            return false;
        }
        for token in merged {
            match self.tokens[token] {
                InlineToken::Open(pair) => self.pairs[pair].as_tag = true,
                InlineToken::Close(pair) if !fits => self.pairs[pair].as_tag = true,
                _ => {}
            }
        }
        true
    }
}

fn first_side(run: &TextRun, span: usize, is_inside: bool) -> Neighbor {
    let span = &run.spans[span];
    match span.kind {
        SpanKind::Text | SpanKind::Verbatim => {
            edge(run.text[span.range.clone()].chars(), is_inside)
        }
        kind => side_of_kind(kind),
    }
}

fn last_side(run: &TextRun, span: usize, is_inside: bool) -> Neighbor {
    let span = &run.spans[span];
    match span.kind {
        SpanKind::Text | SpanKind::Verbatim => {
            edge(run.text[span.range.clone()].chars().rev(), is_inside)
        }
        kind => side_of_kind(kind),
    }
}

fn side_of_kind(kind: SpanKind) -> Neighbor {
    match kind {
        SpanKind::Space | SpanKind::Blank | SpanKind::Break => Neighbor::White,
        _ => Neighbor::Punctuation,
    }
}
