//! What the pages of a calendar brought.

use crawler_model::TextSketch;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::calendar::{DatePage, Unit};
use super::page_evidence::{Brought, EMPTY, PageEvidence};
use super::phrases::Phrases;

/// Pages without anything new after the last date with content and before the first that end a calendar: years, months, days.
const MAX_EMPTY: [u32; 3] = [3, 6, 24];
/// The same for a calendar that never brought anything.
const MAX_EMPTY_UNFILLED: [u32; 3] = [2, 4, 14];
/// So many times as many pages end an archive: a calendar whose last page leads to no later one.
const ARCHIVE_FACTOR: u32 = 8;
/// An archive whose pages in a row have so many different texts is not empty, however often it repeats them.
const MIN_TEXTS: usize = 8;
/// Pages that bring little count as well if the site has so many times as many others.
const OTHERS_PER_LITTLE: u32 = 4;

#[derive(Debug, Default)]
pub(super) struct CalendarRecord {
    pub(super) phrases: Phrases,
    /// The first and the last day with content.
    filled: Option<(u32, u32)>,
    before: Side,
    after: Side,
    /// Pages between them that brought nothing since the last that brought something, by unit; each counts [`EMPTY`].
    between: [u32; 3],
    /// Whether any page brought something.
    has_content: bool,
    /// Whether it has months or days: years alone may be any numbers.
    is_calendar: bool,
    /// Whether one of its pages that was found on another leads on to further periods as long as its own: a year that lists its days
    /// ends, however little they bring.
    leads_on: bool,
    /// The first day of its last page that was fetched or linked.
    latest: u32,
    /// The last day of the last page that leads to no later one.
    end: u32,
    /// Some texts of its pages since the last that brought something.
    texts: Vec<u64>,
}

/// The dates on one side of those with content.
#[derive(Debug, Default)]
struct Side {
    /// Pages that brought nothing, by unit.
    empty: [u32; 3],
    /// Pages that brought little or nothing.
    little: [u32; 3],
    /// The longest unit that is refused; shorter ones are as well.
    refused: Option<Unit>,
}

impl Side {
    fn refuse(&mut self, unit: Unit) {
        self.refused = Some(self.refused.map_or(unit, |other| other.min(unit)));
    }
}

impl CalendarRecord {
    /// Records where a page leads. `last_linked`: the first day of the last page of the calendar that it links to.
    pub(super) fn note_links(&mut self, date: DatePage, last_linked: Option<u32>) {
        let Some((first, last)) = date.days else {
            return;
        };
        self.latest = self.latest.max(first).max(last_linked.unwrap_or_default());
        if last_linked.is_none_or(|linked| linked <= last) {
            self.end = self.end.max(last);
        }
    }

    /// Records the text of a page, if it was read.
    pub(super) fn note_text(&mut self, text: Option<&TextSketch>) {
        if let Some(text) = text.filter(|_| self.texts.len() < MIN_TEXTS) {
            let fold = |hash, phrase: &u32| xxh3_64_with_seed(&phrase.to_le_bytes(), hash);
            let text = text.phrases.iter().fold(0, fold);
            if !self.texts.contains(&text) {
                self.texts.push(text);
            }
        }
    }

    /// Whether its last page is known: it does not grow, or only into the past.
    fn is_archive(&self) -> bool {
        self.latest > 0 && self.end >= self.latest
    }

    /// Takes in a page. `others`: URLs of the site outside of its area.
    pub(super) fn take_in(
        &mut self,
        date: DatePage,
        evidence: &PageEvidence,
        brought: Brought,
        others: u32,
    ) {
        self.is_calendar |= date.unit != Unit::Year;
        // A month may only list its days, unless days are known to bring nothing.
        let is_index = evidence.shorter > 0 && !self.is_trap();
        self.leads_on |= evidence.is_inside && evidence.inside > evidence.shorter;
        let is_counted = evidence.is_inside && !evidence.is_listed && !is_index && self.leads_on;
        match brought {
            Brought::Something => self.fill(date),
            Brought::Nothing | Brought::Shell | Brought::Little if is_counted => {
                self.count_empty(date, brought, others);
            }
            Brought::Little | Brought::Nothing | Brought::Shell | Brought::Unknown => (),
        }
    }

    fn fill(&mut self, date: DatePage) {
        self.has_content = true;
        self.texts.clear();
        self.between = [0; 3];
        let Some((first, last)) = date.days else {
            self.after = Side::default();
            return;
        };
        let (start, end) = self.filled.unwrap_or((u32::MAX, 0));
        if first < start {
            self.before = Side::default();
        }
        if last > end {
            self.after = Side::default();
        }
        self.filled = Some((start.min(first), end.max(last)));
    }

    fn count_empty(&mut self, date: DatePage, brought: Brought, others: u32) {
        let (unit, has_content) = (date.unit as usize, self.has_content);
        let factor = if self.is_archive() { ARCHIVE_FACTOR } else { 1 };
        let is_varied = self.is_archive() && self.texts.len() >= MIN_TEXTS;
        let Some(side) = self.side_mut(date) else {
            self.between[unit] += brought.emptiness();
            if self.between[unit] >= MAX_EMPTY[unit] * EMPTY * factor && !is_varied {
                self.before.refuse(date.unit);
                self.after.refuse(date.unit);
            }
            return;
        };
        let max = if has_content {
            MAX_EMPTY[unit]
        } else {
            MAX_EMPTY_UNFILLED[unit]
        } * factor;
        side.empty[unit] += brought.emptiness();
        side.little[unit] += 1;
        let between = self.between[unit];
        let empty = self.before.empty[unit] + self.after.empty[unit] + between;
        let little = self.before.little[unit] + self.after.little[unit] + between / EMPTY;
        let is_enough =
            empty >= max * EMPTY || (little >= max && others / OTHERS_PER_LITTLE >= little);
        if is_varied || !is_enough {
            return;
        }
        for side in [&mut self.before, &mut self.after] {
            if side.little[unit] >= max.div_ceil(3) {
                side.refuse(date.unit);
            }
        }
    }

    /// The side of the dates with content that a date is on.
    fn is_before(&self, date: DatePage) -> Option<bool> {
        match (self.filled, date.days) {
            (Some((start, _)), Some((first, _))) if first < start => Some(true),
            (Some((_, end)), Some((_, last))) if last <= end => None,
            _ => Some(false),
        }
    }

    fn side_mut(&mut self, date: DatePage) -> Option<&mut Side> {
        let is_before = self.is_before(date)?;
        Some(if is_before {
            &mut self.before
        } else {
            &mut self.after
        })
    }

    /// Whether a page of it that another of its pages links to is refused.
    pub(super) fn refuses(&self, date: DatePage) -> bool {
        if date.unit == Unit::Year && !self.is_calendar {
            return false;
        }
        let side = match self.is_before(date) {
            None => return false,
            Some(true) => &self.before,
            Some(false) => &self.after,
        };
        side.refused.is_some_and(|unit| date.unit >= unit)
    }

    /// Whether some dates are refused.
    pub(super) fn is_trap(&self) -> bool {
        self.before.refused.is_some() || self.after.refused.is_some()
    }

    /// Whether all its pages are worth reading: not if they always bring something.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.before.little != [0; 3] || self.after.little != [0; 3]
    }
}
