//! Finds mazes and explosions: areas whose pages only lead to new pages of the same area, or that grow faster than they can be
//! fetched without bringing anything. Real pages link to each other.

use std::collections::HashMap;

use super::area_lead::AreaLead;
use super::page_evidence::{Brought, PageEvidence};
use super::phrases::{NewText, Phrases};

/// Pages in a row that make a maze, if it is not most of the site.
const MAX_ROW: u32 = 12;
/// The same for areas that lead to each other, as two kinds of pages of a real site often do, and for pages of such areas that only have
/// other numbers.
const MAX_GROUP_ROW: u32 = 30;
/// Of the pages of such areas, at most one in so many may end the row by leading to no new page: every tree has leaves.
const PAGES_PER_END: u32 = 32;
/// Redirects in a row to copies of known pages after which no more are followed.
const MAX_COPIES: u32 = 24;
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
    /// Those of them whose text was read or brought little, and the links on all of them.
    read: u32,
    little_row: u32,
    page_links: u32,
    /// The links that lead to new pages: not those to redirects, whose targets may be known.
    new_links: u32,
    /// Pages in a row that brought little or nothing: those with nothing count more.
    little: u32,
    /// Pages that were found on others of the area, and the new URLs of the area that they link to.
    fetched: u32,
    grown: u32,
    /// URLs that were admitted.
    pub(super) admitted: u32,
    is_trap: bool,
    /// How many pages link to each known page of the area, and of those it leads to.
    relinks: HashMap<u64, u32>,
    /// Where its pages lead.
    pub(super) lead: AreaLead,
    /// The number of areas with pages of which it consists, if it is several that lead to each other.
    group: Option<usize>,
    /// Pages that led to new pages, and pages that did not.
    led: u32,
    ends: u32,
    /// Redirects in a row to copies of known pages.
    copies: u32,
    /// Whether any of its URLs is or may be a page, not a redirect.
    pub(super) has_pages: bool,
}

impl AreaRecord {
    /// The record of areas that lead to each other.
    pub(super) fn of_group(members: impl IntoIterator<Item = Self>) -> Self {
        let mut group = Self::default();
        let (mut areas, mut links, mut redirects) = (0, 0, 0);
        for member in members {
            areas += member.group.unwrap_or(usize::from(member.lead.has_pages));
            group.led += member.led;
            group.ends += member.ends;
            group.admitted += member.admitted;
            group.row += member.lead.row;
            // Links to redirects count once it is known that they lead to new pages.
            if member.lead.has_pages {
                links += member.lead.links;
            } else {
                redirects += member.lead.links;
            }
            group.is_trap |= member.is_trap && member.group.is_some();
            group.relinks.extend(member.relinks);
        }
        group.group = Some(areas);
        group.new_links = if areas < 2 { redirects } else { links };
        group.page_links = links;
        group
    }

    /// Takes in where a page leads. `known`: the pages that it links to and that were known, of the areas that it may form a group with.
    pub(super) fn take_in_lead(
        &mut self,
        evidence: &PageEvidence,
        known: impl FnOnce(&AreaLead) -> Vec<u64>,
    ) {
        if !evidence.is_redirect {
            self.led += u32::from(!evidence.is_end());
            self.ends += u32::from(evidence.is_end());
        }
        if !self.lead.take_in(evidence) || evidence.outside.is_empty() {
            return;
        }
        let known = known(&self.lead);
        if self.is_linked_to(known) {
            self.lead = AreaLead::default();
        }
    }

    /// Takes in a redirect to a new page.
    pub(super) fn take_in_new_target(&mut self, evidence: &PageEvidence) {
        self.copies = 0;
        // A page that is shown again under another address leads nowhere.
        if evidence.is_return {
            return;
        }
        self.take_in_lead(evidence, |_| Vec::new());
        if self.is_reached_by_redirects() {
            self.new_links += u32::try_from(evidence.area_new.len()).unwrap_or_default();
        }
    }

    /// Takes in a redirect to a copy of a known page.
    pub(super) fn take_in_copy(&mut self) {
        self.copies += 1;
    }

    /// Whether it is one area of pages, and others that redirect to it.
    fn is_reached_by_redirects(&self) -> bool {
        self.group.is_some_and(|areas| areas < 2)
    }

    /// Whether its URLs redirect to copies of known pages.
    pub(super) fn leads_to_copies(&self) -> bool {
        self.copies >= MAX_COPIES && self.group.is_none() && !self.has_pages
    }

    /// Takes in a redirect to a known page: a maze has none, but for those of its menu.
    pub(super) fn take_in_known_target(&mut self, target: u64) {
        if self.is_linked_to(vec![target]) {
            self.lead = AreaLead::default();
            self.end_row();
        }
    }

    /// Takes in a page. `others`: URLs of the site outside of the area; `known`: the pages of the area it links to that were known.
    pub(super) fn take_in(
        &mut self,
        evidence: &PageEvidence,
        text: Option<NewText>,
        others: u32,
        known: impl FnOnce() -> Vec<u64>,
    ) {
        self.has_pages = true;
        if evidence.is_in_area {
            self.fetched += 1;
            self.grown += u32::try_from(evidence.area_new.len()).unwrap_or_default();
        }
        match text.map(|text| text.brought) {
            // The little that the pages of a group bring counts by its links.
            Some(Brought::Little) if self.group.is_some() => (),
            Some(Brought::Little | Brought::Shell) => self.little += 1,
            Some(Brought::Nothing) => self.little += LITTLE_PER_EMPTY,
            Some(Brought::Something) => self.little = 0,
            Some(Brought::Unknown) | None => (),
        }
        let is_most = |pages: u32| others < MIN_OTHERS && pages < MAX_ALONE;
        self.is_trap |=
            self.little >= MAX_EMPTY * LITTLE_PER_EMPTY && self.explodes() && !is_most(self.little);
        let (links, is_group) = (evidence.area_new.len() as u64, self.group.is_some());
        let is_maze = |text: NewText| match text.brought {
            Brought::Nothing | Brought::Shell => true,
            _ if is_group => links > 1,
            _ => links > 1 && text.phrases >= links * MIN_PHRASES_PER_LINK,
        };
        let may_be = evidence.only_leads_inside() && text.is_none_or(is_maze);
        if !may_be || self.is_linked_to(known()) {
            self.end_row();
            return;
        }
        self.row += 1;
        self.little_row += u32::from(text.is_some_and(|text| text.brought == Brought::Little));
        self.read += u32::from(text.is_some());
        let links = u32::try_from(links).unwrap_or_default();
        self.page_links += links;
        if !self.is_reached_by_redirects() {
            self.new_links += links;
        }
        let is_empty = self.little >= MAX_EMPTY * LITTLE_PER_EMPTY;
        let is_maze = self.row >= MAX_ROW && is_empty || self.has_only_new_links();
        let has_ends = is_group && self.ends > self.led / PAGES_PER_END;
        self.is_trap |= is_maze && !has_ends && self.read >= MIN_READ && !is_most(self.row);
    }

    fn end_row(&mut self) {
        (self.row, self.read, self.little_row) = (0, 0, 0);
        (self.page_links, self.new_links) = (0, 0);
    }

    /// Whether so many pages in a row have so many links to new pages that there is no end.
    fn has_only_new_links(&self) -> bool {
        // Pages of numbers that only lead to the next one are an honest gallery.
        let is_chain = self.little_row > 0 && self.page_links < 2 * self.row;
        let is_one_kind = self.group.is_none() || self.is_reached_by_redirects();
        let max_row = if is_one_kind && self.little_row == 0 {
            MAX_ROW
        } else {
            MAX_GROUP_ROW
        };
        self.row >= max_row && self.new_links >= MAX_NEW_LINKS && !is_chain
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
