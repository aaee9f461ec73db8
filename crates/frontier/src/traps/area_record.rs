//! Finds mazes and explosions: areas whose pages only lead to new pages of the same area, or that grow faster than they can be
//! fetched without bringing anything. Real pages link to each other.

use std::collections::HashMap;

use super::page_evidence::{Brought, PageEvidence};
use super::phrases::{NewText, Phrases};

/// Pages in a row that make a maze, if it is not most of the site.
const MAX_ROW: u32 = 12;
/// So many links without one to a known page: few real areas have as many, even if they are discovered link by link.
const MAX_NEW_LINKS: u32 = 80;
/// An area is most of the site if there are fewer other URLs.
const MIN_OTHERS: u32 = 12;
/// Pages in a row that make a maze if it is most of the site, which may be a tree.
const MAX_ALONE: u32 = 3_000;
/// So many of them must have been read.
const MIN_READ: u32 = 4;
/// From so many on, the pages' text is read.
const MIN_DOUBT: u32 = 2;
/// An area explodes if so many times as many of its URLs are known as were fetched: those of a shop become fewer.
const MIN_FACTOR: u32 = 8;
/// Pages in a row with nothing new that end it; of those with little, three times as many.
const MAX_EMPTY: u32 = 4;
const LITTLE_PER_EMPTY: u32 = 3;
/// A page with fewer new phrases per link is an index: its text is that of its links.
const MIN_PHRASES_PER_LINK: u64 = 4;
/// A known page that so many pages link to is part of their menu.
const MAX_RELINKS: u32 = 1;
/// Limit on the known pages whose links are counted.
const MAX_COUNTED: usize = 256;

#[derive(Debug, Default)]
pub(super) struct AreaRecord {
    pub(super) phrases: Phrases,
    /// Pages in a row that only lead to new pages of the area.
    row: u32,
    /// Those of them whose text was read, and the links on all of them.
    read: u32,
    new_links: u32,
    /// Pages in a row that brought little or nothing: those with nothing count more.
    little: u32,
    /// Pages that were found on others of the area, and the new URLs of the area that they link to.
    fetched: u32,
    grown: u32,
    /// URLs that were admitted.
    pub(super) admitted: u32,
    is_trap: bool,
    /// How many pages link to each known page of the area.
    relinks: HashMap<u64, u32>,
}

impl AreaRecord {
    /// Takes in a page. `others`: URLs of the site outside of the area; `known`: the pages of the area it links to that were known.
    pub(super) fn take_in(
        &mut self,
        evidence: &PageEvidence,
        text: Option<NewText>,
        others: u32,
        known: impl FnOnce() -> Vec<u64>,
    ) {
        if evidence.is_in_area {
            self.fetched += 1;
            self.grown += u32::try_from(evidence.area_new.len()).unwrap_or_default();
        }
        match text.map(|text| text.brought) {
            Some(Brought::Little | Brought::Shell) => self.little += 1,
            Some(Brought::Nothing) => self.little += LITTLE_PER_EMPTY,
            Some(Brought::Something) => self.little = 0,
            Some(Brought::Unknown) | None => (),
        }
        let is_most = |pages: u32| others < MIN_OTHERS && pages < MAX_ALONE;
        self.is_trap |=
            self.little >= MAX_EMPTY * LITTLE_PER_EMPTY && self.explodes() && !is_most(self.little);
        let links = evidence.area_new.len() as u64;
        let is_maze = |text: NewText| match text.brought {
            Brought::Nothing | Brought::Shell => true,
            _ => links > 1 && text.phrases >= links * MIN_PHRASES_PER_LINK,
        };
        let may_be = evidence.only_leads_inside() && text.is_none_or(is_maze);
        if !may_be || self.is_linked_to(known()) {
            (self.row, self.read, self.new_links) = (0, 0, 0);
            return;
        }
        self.row += 1;
        self.read += u32::from(text.is_some());
        self.new_links += u32::try_from(links).unwrap_or_default();
        let is_empty = self.little >= MAX_EMPTY * LITTLE_PER_EMPTY;
        let is_maze = self.row >= MAX_ROW && (is_empty || self.new_links >= MAX_NEW_LINKS);
        self.is_trap |= is_maze && self.read >= MIN_READ && !is_most(self.row);
    }

    fn explodes(&self) -> bool {
        self.grown / MIN_FACTOR >= self.fetched && self.fetched >= MIN_DOUBT
    }

    /// Whether one of these known pages is linked for another reason than being in the menu.
    fn is_linked_to(&mut self, known: Vec<u64>) -> bool {
        let mut is_linked = false;
        for key in known {
            if self.relinks.len() < MAX_COUNTED || self.relinks.contains_key(&key) {
                let count = self.relinks.entry(key).or_default();
                *count = count.saturating_add(1);
                is_linked |= *count <= MAX_RELINKS;
            } else {
                is_linked = true;
            }
        }
        is_linked
    }

    pub(super) fn refuses(&self) -> bool {
        self.is_trap
    }

    pub(super) fn is_in_doubt(&self) -> bool {
        !self.is_trap && (self.row >= MIN_DOUBT || self.explodes())
    }
}
