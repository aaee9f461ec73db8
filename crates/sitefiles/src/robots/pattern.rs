//! A rule's path pattern: literal pieces with `*` between them, and perhaps `$` at the end.
//!
//! Matching each piece at its first occurrence after the previous one is enough (a later one never
//! helps the rest), so a match never backtracks: its time is linear in the path and in the pattern,
//! however many stars there are.

use memchr::{memchr_iter, memmem};

use super::percent;

#[derive(Debug)]
pub(super) struct Pattern {
    /// What the path must begin with.
    pub(super) prefix: Box<[u8]>,
    /// What must follow, in this order, with anything in between; none is empty.
    pieces: Box<[Box<[u8]>]>,
    /// What the path must end with, after the pieces, if the pattern ends in `$`. Empty if it has no star.
    ending: Option<Box<[u8]>>,
    stars: usize,
}

impl Pattern {
    pub(super) fn read(value: &[u8]) -> Pattern {
        let (open, anchored) = match value.split_last() {
            Some((b'$', open)) => (open, true),
            _ => (value, false),
        };
        let mut literals: Vec<Box<[u8]>> = open
            .split(|byte| *byte == b'*')
            .map(|piece| percent::normalize(piece).into())
            .collect();
        let stars = literals.len() - 1;
        let ending = if !anchored {
            None
        } else if stars == 0 {
            Some(Box::default())
        } else {
            literals.pop()
        };
        let mut literals = literals.into_iter();
        let prefix = literals.next().unwrap_or_default();
        Pattern {
            pieces: literals.filter(|piece| !piece.is_empty()).collect(),
            prefix,
            ending,
            stars,
        }
    }

    /// The length of the pattern, by which the most specific rule wins; `*` and `$` count.
    pub(super) fn octets(&self) -> usize {
        let pieces: usize = self.pieces.iter().map(|piece| piece.len()).sum();
        let ending = self.ending.as_ref().map_or(0, |ending| ending.len() + 1);
        self.prefix.len() + pieces + ending + self.stars
    }

    /// Whether it matches a path that continues with `rest` after the prefix.
    pub(super) fn matches_rest(&self, rest: &[u8]) -> bool {
        if self.stars == 0 {
            return self.ending.is_none() || rest.is_empty();
        }
        match (self.after_pieces(rest), &self.ending) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(rest), Some(ending)) => rest.ends_with(ending),
        }
    }

    fn after_pieces<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        self.pieces.iter().try_fold(path, |rest, piece| {
            let at = find(rest, piece)?;
            rest.get(at + piece.len()..)
        })
    }
}

/// The position of the first `piece` in `text`.
///
/// The setup of `memmem` costs more than searching a path: most pieces are a few bytes that begin
/// with `?`, `/` or `.`, and are found faster by their first byte. Only hostile texts and pieces are
/// long, and those need the search that stays linear.
fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    const LONG_TEXT: usize = 256;
    const LONG_PIECE: usize = 16;
    match piece.first() {
        Some(first) if text.len() < LONG_TEXT && piece.len() < LONG_PIECE => {
            memchr_iter(*first, text)
                .find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(piece)))
        }
        _ => memmem::find(text, piece),
    }
}
