//! What the pages of a calendar brought.

use super::calendar::{DatePage, Unit};
use super::page_evidence::{Brought, MAX_QUERY_LEADS, PageEvidence};
use super::phrases::Phrases;

/// Pages in a row without anything new that end a calendar: years, months, days. A season without events is no end.
const MAX_EMPTY: [u32; 3] = [10, 14, 32];
/// Months into the future and into the past, counted from the dates that other pages link to, at which a calendar ends that
/// leads nowhere else.
const MAX_MONTHS_AHEAD: u32 = 24;
const MAX_MONTHS_BACK: u32 = 480;
/// Pages that lead elsewhere from which a calendar is an archive: the first ones find the site's menu.
const MIN_LEADS: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct CalendarRecord {
    pub(super) phrases: Phrases,
    /// Pages in a row that brought nothing, by unit.
    empty: [u32; 3],
    /// Whether it has months or days: years alone may be any numbers.
    is_calendar: bool,
    /// Pages that led elsewhere.
    leads: u32,
    query_leads: u32,
    is_trap: bool,
    /// The months of pages that brought something.
    filled: Option<(u32, u32)>,
    /// The months that pages elsewhere link to, or sitemaps list.
    linked: Option<(u32, u32)>,
}

impl CalendarRecord {
    pub(super) fn take_in(&mut self, date: DatePage, evidence: &PageEvidence, brought: Brought) {
        self.is_calendar |= date.unit != Unit::Year;
        self.leads += u32::from(evidence.pages_outside > 0);
        let unit = date.unit as usize;
        let is_counted = evidence.is_inside && !evidence.is_listed;
        if !is_counted {
            extend(&mut self.linked, date.month);
        }
        match brought {
            Brought::Something => {
                self.empty = [0; 3];
                extend(&mut self.filled, date.month);
            }
            Brought::Nothing if is_counted => {
                self.empty[unit] += 1;
                self.is_trap |= self.empty[unit] >= MAX_EMPTY[unit];
            }
            Brought::Nothing | Brought::Unknown => (),
        }
    }

    /// Whether a page of it that another of its pages links to is refused.
    pub(super) fn refuses(&self, date: DatePage) -> bool {
        if date.unit == Unit::Year && !self.is_calendar {
            return false;
        }
        let is_filled = |month| within(self.filled, month);
        match date.month {
            _ if self.is_trap => !date.month.is_some_and(is_filled),
            Some(month) => self.leads < MIN_LEADS && self.is_far(month),
            None => false,
        }
    }

    /// Whether a month is far from the dates that other pages link to.
    fn is_far(&self, month: u32) -> bool {
        self.linked.is_some_and(|(first, last)| {
            month > last + MAX_MONTHS_AHEAD || month + MAX_MONTHS_BACK < first
        })
    }

    /// Whether links to other queries still make a page one that brings something.
    pub(super) fn counts_queries(&mut self) -> bool {
        self.query_leads += 1;
        self.query_leads <= MAX_QUERY_LEADS
    }

    /// Whether all its pages are worth reading: not if they always bring something.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.empty != [0; 3]
    }
}

fn extend(span: &mut Option<(u32, u32)>, month: Option<u32>) {
    if let Some(month) = month {
        let (first, last) = span.unwrap_or((month, month));
        *span = Some((first.min(month), last.max(month)));
    }
}

fn within(span: Option<(u32, u32)>, month: u32) -> bool {
    span.is_some_and(|(first, last)| (first..=last).contains(&month))
}
