//! What a fetched page tells about its place and its area.

use crawler_weburl::UrlKey;

use super::place::Place;

/// How much a page that brought nothing counts: as much as five with hardly any text.
pub(super) const EMPTY: u32 = 5;

/// What a fetched page tells about its place and its area: collected while its links are admitted.
#[derive(Debug)]
pub(crate) struct PageEvidence {
    pub(super) place: Option<Place>,
    pub(super) area: u64,
    /// Whether it was found on a page of the same place.
    pub(super) is_inside: bool,
    /// Whether it was found on a page of the same area.
    pub(super) is_in_area: bool,
    /// Whether a sitemap lists it.
    pub(super) is_listed: bool,
    /// Whether it is known from the start that it leads elsewhere.
    pub(super) leads: bool,
    /// Whether it is a redirect.
    pub(super) is_redirect: bool,
    /// The page that a redirect was found on, if no other redirect led to it.
    pub(super) found_on: Option<UrlKey>,
    /// Whether it is a redirect back to that page, with a query that it did not have.
    pub(super) is_return: bool,
    /// Whether its target is fetched before other pages, to learn whether it is a copy.
    pub(crate) is_first: bool,
    /// New URLs found on it that belong to the same place.
    pub(super) inside: u32,
    /// Those of them that are shorter periods: the days of a month.
    pub(super) shorter: u32,
    /// New URLs found on it elsewhere: pages of their own, and queries of other areas.
    pub(super) pages_outside: u32,
    /// Keys of the new URLs found on it in the same area.
    pub(super) area_new: Vec<UrlKey>,
    /// New URLs found on it in other areas, with the area.
    pub(super) outside: Vec<(UrlKey, u64)>,
}

impl PageEvidence {
    /// A page of an area and, if its URL has one, a place.
    pub(super) fn new(place: Option<Place>, area: u64) -> Self {
        Self {
            place,
            area,
            is_inside: false,
            is_in_area: false,
            is_listed: false,
            leads: false,
            is_redirect: false,
            found_on: None,
            is_return: false,
            is_first: false,
            inside: 0,
            shorter: 0,
            pages_outside: 0,
            area_new: Vec::new(),
            outside: Vec::new(),
        }
    }

    /// Whether a link leads to more of the same place.
    pub(super) fn contains(&self, to: Option<&Place>) -> bool {
        matches!((&self.place, to), (Some(here), Some(to)) if here.contains(to))
    }

    /// Counts a new URL found on the page.
    pub(super) fn count(&mut self, key: UrlKey, to: Option<&Place>, area: u64) {
        if self.contains(to) {
            self.inside += 1;
            if let (Some(Place::Date(here)), Some(Place::Date(to))) = (&self.place, to) {
                self.shorter += u32::from(to.unit > here.unit);
            }
        } else if to.is_none() || (area != self.area && !matches!(to, Some(Place::Date(_)))) {
            self.pages_outside += 1;
        }
        if area == self.area {
            self.area_new.push(key);
        } else {
            self.outside.push((key, area));
        }
    }

    /// Whether the page leads to no new page at all.
    pub(crate) fn is_end(&self) -> bool {
        self.area_new.is_empty() && self.outside.is_empty()
    }

    /// Whether the page was found in its area, and leads to new pages of it and to none elsewhere.
    pub(super) fn only_leads_inside(&self) -> bool {
        self.is_in_area && !self.is_listed && !self.area_new.is_empty() && self.outside.is_empty()
    }
}

impl Brought {
    /// How much it counts toward a number of pages that brought nothing, each of which counts [`EMPTY`].
    pub(super) fn emptiness(self) -> u32 {
        match self {
            Self::Nothing => EMPTY,
            Self::Shell => 1,
            Self::Something | Self::Little | Self::Unknown => 0,
        }
    }
}

/// What a page brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Brought {
    /// New text, or links to new pages elsewhere.
    Something,
    /// Other numbers, another selection of known text, or a few words.
    Little,
    /// Nothing that other pages do not have.
    Nothing,
    /// The same, with hardly any text.
    Shell,
    /// Its text was not read.
    Unknown,
}
