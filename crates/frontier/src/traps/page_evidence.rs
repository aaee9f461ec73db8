//! What a fetched page tells about its place.

use super::place::Place;

/// Pages of a place that are taken to bring something because they link to new queries elsewhere: every page of a trap may have a
/// link to share it.
pub(super) const MAX_QUERY_LEADS: u32 = 100;

/// What a fetched page tells about its place: collected while its links are admitted.
#[derive(Debug)]
pub(crate) struct PageEvidence {
    pub(super) place: Place,
    /// Whether it was found on a page of the same place.
    pub(super) is_inside: bool,
    /// Whether a sitemap lists it.
    pub(super) is_listed: bool,
    pub(super) depth: u32,
    /// New URLs found on it that belong to the same place.
    pub(super) inside: u32,
    /// New URLs found on it elsewhere, with a path of their own.
    pub(super) pages_outside: u32,
    /// New URLs found on it elsewhere that are dates or have a query.
    pub(super) queries_outside: u32,
}

/// Where a new link leads, seen from the page it is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Inside,
    PageOutside,
    QueryOutside,
}

impl PageEvidence {
    pub(super) fn direction(&self, to: Option<&Place>) -> Direction {
        match to {
            Some(to) if self.place.contains(to) => Direction::Inside,
            Some(Place::Date(_) | Place::Query(_)) => Direction::QueryOutside,
            Some(Place::Path(_)) | None => Direction::PageOutside,
        }
    }

    pub(super) fn count(&mut self, direction: Direction) {
        match direction {
            Direction::Inside => self.inside += 1,
            Direction::PageOutside => self.pages_outside += 1,
            Direction::QueryOutside => self.queries_outside += 1,
        }
    }
}

/// What a page brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Brought {
    /// New text, or links to new pages elsewhere.
    Something,
    /// Neither.
    Nothing,
    /// Its text was not read.
    Unknown,
}
