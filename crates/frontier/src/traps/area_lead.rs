//! Where the pages of an area lead: to find areas that only lead to each other.

use super::page_evidence::PageEvidence;

/// An area that leads to more others is no part of a maze.
const MAX_AREAS: usize = 8;
/// Pages in a row that show where an area leads.
const MIN_ROW: u32 = 3;

/// Where the last pages of an area led.
#[derive(Debug, Default)]
pub(super) struct AreaLead {
    /// Pages in a row that led to new pages, and the links on them.
    pub(super) row: u32,
    pub(super) links: u32,
    /// The other areas that they led to.
    pub(super) areas: Vec<u64>,
    /// Whether any of them was a page, not a redirect.
    pub(super) has_pages: bool,
}

impl AreaLead {
    /// Takes in a page, and returns whether it led on. A page that does not ends the row: in a maze, all do.
    pub(super) fn take_in(&mut self, evidence: &PageEvidence) -> bool {
        let links = evidence.area_new.len() + evidence.outside.len();
        for (_, area) in &evidence.outside {
            if !self.areas.contains(area) && self.areas.len() <= MAX_AREAS {
                self.areas.push(*area);
            }
        }
        if links == 0 || evidence.is_listed || self.areas.len() > MAX_AREAS {
            *self = Self::default();
            return false;
        }
        self.row += 1;
        self.has_pages |= !evidence.is_redirect;
        self.links = self
            .links
            .saturating_add(u32::try_from(links).unwrap_or(u32::MAX));
        true
    }

    /// Whether it is known where the area leads, and it leads elsewhere.
    pub(super) fn is_known(&self) -> bool {
        self.row >= MIN_ROW && !self.areas.is_empty()
    }
}
