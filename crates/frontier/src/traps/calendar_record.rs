//! What the pages of a calendar brought.

use super::calendar::{DatePage, Unit};
use super::page_evidence::{Brought, EMPTY, PageEvidence};
use super::phrases::Phrases;

/// Pages without anything new after the last date with content and before the first that end a calendar: years, months, days.
const MAX_EMPTY: [u32; 3] = [3, 6, 24];
/// The same for a calendar that never brought anything.
const MAX_EMPTY_UNFILLED: [u32; 3] = [2, 4, 14];
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
        let Some(side) = self.side_mut(date) else {
            self.between[unit] += brought.emptiness();
            if self.between[unit] >= MAX_EMPTY[unit] * EMPTY {
                self.before.refuse(date.unit);
                self.after.refuse(date.unit);
            }
            return;
        };
        let max = if has_content {
            MAX_EMPTY[unit]
        } else {
            MAX_EMPTY_UNFILLED[unit]
        };
        side.empty[unit] += brought.emptiness();
        side.little[unit] += 1;
        let between = self.between[unit];
        let empty = self.before.empty[unit] + self.after.empty[unit] + between;
        let little = self.before.little[unit] + self.after.little[unit] + between / EMPTY;
        if empty < max * EMPTY && (little < max || others / OTHERS_PER_LITTLE < little) {
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
