//! What the pages of one path shape brought.

use super::page_evidence::{Brought, PageEvidence};
use super::phrases::Phrases;
use super::place::LastSegment;

/// Depth from which pages without anything new count.
pub(super) const MIN_EMPTY_DEPTH: u32 = 10;
/// Pages in a row without anything new that end a place, if each leads to more.
const MAX_EMPTY: u32 = 40;
/// The same for numbered pages if they are most of the site: a chain of plain pages is a common way to build one.
const MAX_EMPTY_NUMBERED: u32 = 1_000;
/// Numbered pages are not most of the site if it has this many times as many.
const OTHER_PAGES: u32 = 10;
/// Pages in a row that lead to new pages of the same shape only, and to none that is known: a maze. Real pages link to each other.
const MAX_MAZE_TOKENS: u32 = 30;
const MAX_MAZE_WORDS: u32 = 60;
/// Depth from which a maze of words counts: a site's upper levels may look like one.
const MIN_WORDS_DEPTH: u32 = 4;

#[derive(Debug, Default)]
pub(super) struct PathRecord {
    pub(super) phrases: Phrases,
    empty: u32,
    /// Pages in a row that lead to new pages of the same shape only.
    maze: u32,
    is_trap: bool,
}

impl PathRecord {
    /// Takes in a page. `pages`: those of the site so far; `relinks`: whether it links to a known page of the same shape.
    pub(super) fn take_in(
        &mut self,
        last: LastSegment,
        evidence: &PageEvidence,
        brought: Brought,
        pages: u32,
        relinks: impl FnOnce() -> bool,
    ) {
        if evidence.is_listed {
            return;
        }
        let grows = evidence.is_inside && evidence.inside > 0;
        match brought {
            Brought::Something => self.empty = 0,
            Brought::Nothing if grows && evidence.depth >= MIN_EMPTY_DEPTH => self.empty += 1,
            Brought::Nothing | Brought::Unknown => (),
        }
        let is_most = pages / OTHER_PAGES < self.empty;
        let (max_empty, max_maze) = match last {
            LastSegment::Numbered if is_most => (MAX_EMPTY_NUMBERED, u32::MAX),
            LastSegment::Numbered => (MAX_EMPTY, u32::MAX),
            LastSegment::Token => (MAX_EMPTY, MAX_MAZE_TOKENS),
            LastSegment::Words => (MAX_EMPTY, MAX_MAZE_WORDS),
        };
        let leads_elsewhere = evidence.pages_outside > 0 || evidence.queries_outside > 0;
        let is_deep = last != LastSegment::Words || evidence.depth >= MIN_WORDS_DEPTH;
        if max_maze < u32::MAX && is_deep {
            let is_maze = evidence.is_inside && evidence.inside > 1 && !leads_elsewhere;
            self.maze = if is_maze && !relinks() {
                self.maze + 1
            } else {
                0
            };
        }
        self.is_trap |= self.empty >= max_empty || self.maze >= max_maze;
    }

    pub(super) fn refuses(&self) -> bool {
        self.is_trap
    }
}
