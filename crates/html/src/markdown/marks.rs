//! From marks on spans to brackets around them.
//!
//! The spans of a run say which marks hold where. Here the fewest brackets are chosen that say the
//! same: a mark that holds longer is put outside one that ends sooner, and a link is never cut in
//! two. Then every bracket is tried against the rule CommonMark has for `*` and `~`: where the rule
//! would not read it as meant (`word**(x)**word`), the pair is written as an HTML tag instead, which
//! every reader of Markdown takes and which, being one of six fixed words, cannot do harm.

use super::flank::{Side, edge, may_close, surely_closes, surely_opens};
use super::run::{EMPHASIS, Kind, Run, STRIKE, STRONG, Span};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Link,
    Strong,
    Emphasis,
    Strike,
}

const MARKS: [Mark; 4] = [Mark::Link, Mark::Strong, Mark::Emphasis, Mark::Strike];
/// Trials of the brackets against each other settle in two or three rounds; what has not settled
/// then is written as tags.
const ROUNDS: usize = 6;

impl Mark {
    fn holds(self, span: &Span) -> bool {
        match self {
            Self::Link => span.style.link != 0,
            Self::Strong => span.style.marks & STRONG != 0,
            Self::Emphasis => span.style.marks & EMPHASIS != 0,
            Self::Strike => span.style.marks & STRIKE != 0,
        }
    }

    /// Marks made of the same character grow together when they touch.
    fn grows_with(self, other: Self) -> bool {
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

/// One pair of brackets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) mark: Mark,
    pub(crate) link: u32,
    /// Written as a tag.
    pub(crate) as_tag: bool,
    /// How many characters grew together where it was opened.
    grown: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    Open(usize),
    Close(usize),
    Span(usize),
}

/// A run with its brackets in place.
#[derive(Debug, Default)]
pub(crate) struct Bracketed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) pairs: Vec<Pair>,
    ends: Vec<[usize; 4]>,
    open: Vec<usize>,
}

impl Bracketed {
    /// Chooses the brackets for a settled run.
    pub(crate) fn fill(&mut self, run: &Run) {
        self.tokens.clear();
        self.pairs.clear();
        self.open.clear();
        self.find_ends(&run.spans);
        for (at, span) in run.spans.iter().enumerate() {
            self.close_for(span);
            self.open_for(at, span);
            self.tokens.push(Token::Span(at));
        }
        while let Some(pair) = self.open.pop() {
            self.tokens.push(Token::Close(pair));
        }
        self.try_delimiters(run);
    }

    /// For every span and mark, where the mark's stretch ends.
    fn find_ends(&mut self, spans: &[Span]) {
        self.ends.clear();
        self.ends.resize(spans.len(), [0; 4]);
        for at in (0..spans.len()).rev() {
            for (slot, mark) in MARKS.into_iter().enumerate() {
                let goes_on = spans.get(at + 1).is_some_and(|next| {
                    mark.holds(next)
                        && (mark != Mark::Link || next.style.link == spans[at].style.link)
                });
                self.ends[at][slot] = if goes_on { self.ends[at + 1][slot] } else { at };
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
                self.tokens.push(Token::Close(pair));
            }
        }
    }

    fn open_for(&mut self, at: usize, span: &Span) {
        let ends = self.ends[at];
        if Mark::Link.holds(span) && !self.is_open(Mark::Link) {
            // A mark that ends inside the link has to be opened again inside it.
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
            self.pairs.push(Pair {
                mark: MARKS[slot],
                link: span.style.link,
                as_tag: false,
                grown: 0,
            });
            self.open.push(pair);
            self.tokens.push(Token::Open(pair));
        }
    }

    fn is_open(&self, mark: Mark) -> bool {
        self.open.iter().any(|&pair| self.pairs[pair].mark == mark)
    }

    /// Turns every pair into tags that would not be read as the marks they are.
    fn try_delimiters(&mut self, run: &Run) {
        for round in 0..ROUNDS {
            let mut changed = false;
            let mut at = 0;
            self.open.clear();
            while at < self.tokens.len() {
                let stretch = self.stretch(at);
                if stretch == 0 {
                    at += 1;
                    continue;
                }
                changed |= self.try_stretch(at, stretch, run, round + 1 == ROUNDS);
                self.pass_stretch(at, stretch);
                at += stretch;
            }
            if !changed {
                return;
            }
        }
    }

    /// How many delimiters grow together from here on.
    fn stretch(&self, at: usize) -> usize {
        let mark = |token: &Token| match *token {
            Token::Open(pair) | Token::Close(pair) => Some(self.pairs[pair])
                .filter(|pair| !pair.as_tag && pair.mark != Mark::Link)
                .map(|pair| pair.mark),
            Token::Span(_) => None,
        };
        let Some(first) = mark(&self.tokens[at]) else {
            return 0;
        };
        self.tokens[at..]
            .iter()
            .take_while(|token| mark(token).is_some_and(|mark| mark.grows_with(first)))
            .count()
    }

    /// Whether an opening run that could close as well would close something: by the rule of three
    /// it cannot, unless what is open was opened by a run of another length.
    fn would_close(&self, at: usize, length: usize) -> bool {
        let grown = self.grown(at, length);
        let is_strike = |pair: usize| self.pairs[pair].mark == Mark::Strike;
        let strikes = matches!(self.tokens[at], Token::Open(pair) if is_strike(pair));
        self.open.iter().any(|&pair| {
            is_strike(pair) == strikes && !(self.pairs[pair].grown + grown).is_multiple_of(3)
        })
    }

    /// How many characters a stretch is.
    fn grown(&self, at: usize, length: usize) -> usize {
        self.tokens[at..at + length]
            .iter()
            .map(|token| match *token {
                Token::Open(pair) | Token::Close(pair) => self.pairs[pair].mark.delimiter().len(),
                Token::Span(_) => 0,
            })
            .sum()
    }

    /// Remembers what is open behind a stretch.
    fn pass_stretch(&mut self, at: usize, length: usize) {
        let grown = self.grown(at, length);
        for token in at..at + length {
            match self.tokens[token] {
                Token::Open(pair) if !self.pairs[pair].as_tag => {
                    self.pairs[pair].grown = grown;
                    self.open.push(pair);
                }
                Token::Close(pair) => self.open.retain(|&open| open != pair),
                _ => {}
            }
        }
    }

    /// What a bracket is to the brackets beside it.
    fn side_of(&self, pair: usize) -> Side {
        let pair = self.pairs[pair];
        if pair.mark == Mark::Strike && !pair.as_tag {
            Side::of(Some('~'))
        } else {
            Side::Punctuation
        }
    }

    fn try_stretch(&mut self, at: usize, length: usize, run: &Run, give_up: bool) -> bool {
        let stretch = at..at + length;
        let closes = self.tokens[stretch.clone()]
            .iter()
            .filter(|token| matches!(token, Token::Close(_)))
            .count();
        let before = match at.checked_sub(1).map(|before| self.tokens[before]) {
            None => Side::White,
            Some(Token::Span(span)) => last_side(run, span, closes > 0),
            Some(Token::Open(pair) | Token::Close(pair)) => self.side_of(pair),
        };
        let after = match self.tokens.get(at + length) {
            None => Side::White,
            Some(&Token::Span(span)) => first_side(run, span, closes == 0),
            Some(&(Token::Open(pair) | Token::Close(pair))) => self.side_of(pair),
        };
        let fits = !give_up
            && (closes == 0 || surely_closes(before, after))
            && (closes == length || surely_opens(before, after))
            && (closes > 0 || !may_close(before, after) || !self.would_close(at, length));
        // Closing and opening in one breath is more than readers agree on.
        let mixed = closes > 0 && closes < length;
        if fits && !mixed {
            return false;
        }
        for token in stretch {
            match self.tokens[token] {
                Token::Open(pair) => self.pairs[pair].as_tag = true,
                Token::Close(pair) if !fits => self.pairs[pair].as_tag = true,
                _ => {}
            }
        }
        true
    }
}

fn first_side(run: &Run, span: usize, is_inside: bool) -> Side {
    let span = &run.spans[span];
    match span.kind {
        Kind::Text | Kind::Verbatim => edge(run.text[span.range.clone()].chars(), is_inside),
        kind => side_of_kind(kind),
    }
}

fn last_side(run: &Run, span: usize, is_inside: bool) -> Side {
    let span = &run.spans[span];
    match span.kind {
        Kind::Text | Kind::Verbatim => edge(run.text[span.range.clone()].chars().rev(), is_inside),
        kind => side_of_kind(kind),
    }
}

fn side_of_kind(kind: Kind) -> Side {
    match kind {
        Kind::Space | Kind::Blank | Kind::Break => Side::White,
        _ => Side::Punctuation,
    }
}
