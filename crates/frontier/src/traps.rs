//! Refuses endless URL spaces: where URLs grow without new content or without an end.
//!
//! Some URLs are refused as they are: very long ones, paths that repeat themselves, session ids, parameters in another order. All
//! others are judged by what their pages bring. A URL that is a date or has a query belongs to a [`Place`]; once enough of its
//! pages brought neither new text nor new links to elsewhere, what its pages link to in the same place is refused. An area is a trap
//! if its pages only lead to new pages of the same area. What other pages link to is not refused, and neither is what a
//! sitemap lists.
//!
//! [`Traps::check`] changes nothing; [`Traps::note`] counts a URL that was then admitted, and [`Traps::take_in`] a page that was fetched.

mod area;
mod area_groups;
mod area_lead;
mod area_record;
mod calendar;
mod calendar_record;
mod fingerprint_hasher;
mod ignorable_names;
mod known_parameters;
mod page_evidence;
mod page_links;
mod path_shape;
mod phrases;
mod place;
mod query_record;
mod redirects;
mod session;
mod sorted_query;
mod trap_check;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crawler_model::{Discovery, PageReport, RefuseReason, Task};
use crawler_weburl::{KeyPolicy, UrlKey, UrlRef};

use self::area::area;
use self::area_groups::AreaGroups;
use self::area_record::AreaRecord;
use self::calendar::DatePage;
use self::calendar_record::CalendarRecord;
use self::fingerprint_hasher::FingerprintHasher;
use self::ignorable_names::IgnorableNames;
use self::page_links::{brought, is_inside, last_linked, leads_elsewhere};
use self::phrases::Phrases;
use self::place::Place;
use self::query_record::QueryRecord;
use self::sorted_query::sorted_key;
use crate::seen::Seen;

pub(crate) use self::page_evidence::PageEvidence;
pub(crate) use self::trap_check::TrapCheck;

/// Longest URL that is followed.
const MAX_URL_BYTES: usize = 2_048;
/// Depth from which pages are judged by their area: a trap leads there soon, and most pages of most sites are above.
const MIN_AREA_DEPTH: u32 = 2;
/// Limit on the places of each kind that are remembered; those found later are not judged.
const MAX_PLACES: usize = 2_000;
/// Limit on the phrases remembered for all places together.
const MAX_PHRASES: usize = 1_000_000;
/// Where all is well, the text of one in so many pages is read.
const SAMPLE: u64 = 4;

/// Records by fingerprint.
type Records<R> = HashMap<u64, R, BuildHasherDefault<FingerprintHasher>>;

#[derive(Debug, Default)]
pub(crate) struct Traps {
    calendars: Records<CalendarRecord>,
    queries: Records<QueryRecord>,
    areas: Records<AreaRecord>,
    groups: AreaGroups,
    /// The page that a redirect was found on, by the redirect's target, until that is fetched.
    origins: HashMap<UrlKey, UrlKey>,
    ignorable: IgnorableNames,
    sorted_queries: Seen,
    /// Keys without known parameters of URLs that have some.
    copied: Seen,
    /// The URL that was admitted first, by its key without parameters that change nothing.
    first_of: HashMap<UrlKey, UrlKey>,
    /// Keys of URLs that a sitemap lists and that were found as links before.
    listed: Seen,
    /// Whether all pages since the seed were taken in, so that a link that is new here is new: not after a worker was started in the
    /// middle of a job. Only then are areas judged.
    knows_all: Option<bool>,
    /// Whether anything is refused because of what was fetched.
    refuses_some: bool,
    /// Whether some area only redirects to copies of known pages.
    has_copying: bool,
    /// Whether the pages of some area are in doubt.
    has_doubt: bool,
    /// Number of redirects back to the page they were found on.
    returns: u32,
    /// Number of phrases remembered.
    phrases: usize,
    /// Number of URLs admitted.
    admitted: u32,
}

impl Traps {
    /// Checks whether a new URL belongs to an endless URL space. `source`: the page it was found on, if that has a place.
    pub(crate) fn check(
        &self,
        url: UrlRef<'_>,
        source: Option<&PageEvidence>,
        keys: &KeyPolicy,
        seen: &Seen,
    ) -> Result<TrapCheck, RefuseReason> {
        if url.as_str().len() > MAX_URL_BYTES {
            return Err(RefuseReason::TooLong);
        }
        if path_shape::is_pathological(url.path()) {
            return Err(RefuseReason::TrapPath);
        }
        if known_parameters::is_form(url) {
            return Err(RefuseReason::TrapQuery);
        }
        let without_session = session::without_session(url)
            .and_then(|text| UrlRef::split(&text).map(|stripped| keys.key(stripped)));
        if without_session.is_some_and(|key| seen.contains(key)) {
            return Err(RefuseReason::TrapSession);
        }
        let copy_of = copy_of(url, keys);
        if copy_of.is_some_and(|key| seen.contains(key) || self.copied.contains(key)) {
            return Err(RefuseReason::TrapSession);
        }
        let sorted = sorted_key(url, keys.seed);
        if sorted.is_some_and(|key| self.sorted_queries.contains(key)) {
            return Err(RefuseReason::TrapQuery);
        }
        let without_ignorable = self.ignorable.key_without_ignorable(url, keys);
        // A redirect may add such a parameter to a page that was not read without it.
        if let Some(key) = without_ignorable
            && (self.ignorable.was_read(url, key)
                || source.is_some_and(|source| self.is_copy(key, source, seen)))
        {
            return Err(RefuseReason::TrapSession);
        }
        let has_place = source.is_some_and(|source| source.place.is_some());
        let place = if has_place {
            Place::of(url, keys.seed)
        } else {
            None
        };
        let area = self.area(url, keys);
        if self.leads_to_copies(area) {
            return Err(RefuseReason::TrapPages);
        }
        if let Some(source) = source.filter(|_| self.refuses_some) {
            let is_inside = source.contains(place.as_ref()) && !source.leads;
            let of_place = place.as_ref().filter(|_| is_inside);
            let of_place = source.place.as_ref().zip(of_place);
            let of_area = Some(area).filter(|area| *area == source.area);
            if let Some(reason) = self.refusal(of_place, of_area) {
                return Err(reason);
            }
        }
        Ok(TrapCheck {
            without_session,
            copy_of,
            without_ignorable,
            sorted,
            place,
            area,
        })
    }

    /// The key of a URL without its session id and without parameters that act on the page or show it in another way; its own key
    /// when it has none.
    pub(crate) fn plain_key(url: UrlRef<'_>, keys: &KeyPolicy) -> UrlKey {
        let text = session::without_session(url);
        let url = text.as_deref().and_then(UrlRef::split).unwrap_or(url);
        copy_of(url, keys).unwrap_or_else(|| keys.key(url))
    }

    /// Counts an admitted URL, also as one of the links of its source.
    pub(crate) fn note(
        &mut self,
        key: UrlKey,
        trap_check: &TrapCheck,
        source: Option<&mut PageEvidence>,
    ) {
        self.sorted_queries.extend(trap_check.sorted);
        self.copied.extend(trap_check.copy_of);
        if let Some(stripped) = trap_check.without_ignorable {
            self.first_of.insert(stripped, key);
        }
        self.admitted = self.admitted.saturating_add(1);
        if let Some(record) = record_of(&mut self.areas, trap_check.area) {
            record.admitted += 1;
            // What is linked from the top of the site is hardly read: it may be pages.
            record.has_pages |= source.is_none();
        }
        if let Some(source) = source {
            source.count(key, trap_check.place.as_ref(), trap_check.area);
        }
    }

    /// Records that a sitemap lists a URL that is known.
    pub(crate) fn note_listed(&mut self, key: UrlKey) {
        self.listed.insert(key);
    }

    /// Why a task is refused although its URL was admitted: what its place is was learned since.
    pub(crate) fn refusal_at_start(
        &mut self,
        task: &Task,
        keys: &KeyPolicy,
        seen: &Seen,
    ) -> Option<RefuseReason> {
        let has_learned = self.refuses_some || self.ignorable.has_some();
        if !has_learned || !matches!(task.found, Discovery::Link | Discovery::Redirect) {
            return None;
        }
        let url = task.url.parts();
        let via = task.via.as_deref().and_then(UrlRef::split)?;
        let is_inside = is_inside(url, via, keys);
        let of_place = Place::of(via, keys.seed).zip(Place::of(url, keys.seed));
        let of_place = of_place.as_ref().filter(|_| is_inside);
        let of_area = self.area(url, keys);
        let is_in_area = of_area == self.area(via, keys);
        if task.found == Discovery::Redirect {
            let of_area = Some(of_area).filter(|_| is_in_area);
            return self.refusal_of_target(url, of_area, keys);
        }
        let stripped = self.ignorable.key_without_ignorable(url, keys);
        let reason = self.refusal(
            of_place.map(|(from, to)| (from, to)),
            Some(of_area).filter(|_| is_in_area),
        );
        let reason = reason.or_else(|| {
            let is_copying = self.leads_to_copies(of_area);
            is_copying.then_some(RefuseReason::TrapPages)
        });
        if reason.is_none() && stripped.is_none() {
            return None;
        }
        let key = keys.key(url);
        if self.listed.contains(key) {
            return None;
        }
        if let Some(stripped) = stripped
            && (*self.first_of.entry(stripped).or_insert(key) != key
                || seen.contains(stripped)
                || self.ignorable.was_read(url, stripped))
        {
            return Some(RefuseReason::TrapSession);
        }
        reason
    }

    /// Whether the text of a page has to be read to judge it.
    pub(crate) fn wants_text(&self, task: &Task, keys: &KeyPolicy) -> bool {
        let url = task.url.parts();
        let is_in_doubt = match Place::of(url, keys.seed) {
            None => task.depth >= MIN_AREA_DEPTH && self.ignorable.wants_plain(),
            Some(Place::Date(date)) => {
                let record = self.calendars.get(&date.calendar);
                url.query().is_some()
                    || record.is_none_or(|record| record.is_in_doubt() || record.phrases.is_few())
                    || keys.key(url).0.is_multiple_of(SAMPLE)
            }
            Some(Place::Query(place)) => {
                let record = self.queries.get(&place.path);
                record.is_none_or(|record| record.is_in_doubt() || record.phrases.is_few())
                    || keys.key(url).0.is_multiple_of(SAMPLE)
            }
        };
        is_in_doubt
            || (self.has_doubt
                && task.depth >= MIN_AREA_DEPTH
                && self
                    .areas
                    .get(&self.area(url, keys))
                    .is_some_and(AreaRecord::is_in_doubt))
    }

    /// Starts to collect what a fetched page tells about its place and its area.
    pub(crate) fn evidence(
        &mut self,
        report: &PageReport,
        keys: &KeyPolicy,
        seen: &Seen,
    ) -> Option<PageEvidence> {
        self.knows_all.get_or_insert(report.depth == 0);
        let url = report.url.parts();
        let place = Place::of(url, keys.seed);
        if place.is_none() && report.depth < MIN_AREA_DEPTH {
            return None;
        }
        let via = place.as_ref().and(report.via.as_deref());
        let via = via.and_then(UrlRef::split);
        let is_inside = via.is_some_and(|via| is_inside(url, via, keys));
        let leads = match &place {
            Some(Place::Date(date)) => {
                let record = self.calendars.get(&date.calendar);
                record.is_some_and(CalendarRecord::is_trap) && leads_elsewhere(report, keys, seen)
            }
            _ => false,
        };
        Some(PageEvidence {
            is_inside,
            is_listed: report.found == Discovery::Sitemap,
            leads,
            ..PageEvidence::new(place, self.area(url, keys))
        })
    }

    /// Takes in a fetched page whose links have been admitted.
    pub(crate) fn take_in(
        &mut self,
        report: &PageReport,
        mut evidence: PageEvidence,
        keys: &KeyPolicy,
        seen: &Seen,
    ) {
        evidence.is_listed |= self.listed.contains(keys.key(report.url.parts()));
        let text = report.text.as_deref();
        let of_area = self.areas.get(&evidence.area).map(|area| area.admitted);
        let others = self.admitted.saturating_sub(of_area.unwrap_or_default());
        match &evidence.place {
            Some(Place::Date(date)) => {
                if let Some(text) = text.filter(|_| date.is_in_path) {
                    self.ignorable.take_in(report.url.parts(), text, keys);
                }
                if let Some(record) = record_of(&mut self.calendars, date.calendar) {
                    let new = text.map(|text| record.phrases.take_in(text, &mut self.phrases));
                    record.note_links(*date, last_linked(report, *date, keys));
                    record.note_text(text);
                    record.take_in(*date, &evidence, brought(report, &evidence, new), others);
                    self.refuses_some |= record.is_trap();
                }
            }
            Some(Place::Query(place)) => {
                if let Some(text) = text {
                    self.ignorable.take_in(report.url.parts(), text, keys);
                }
                if let Some(record) = record_of(&mut self.queries, place.path) {
                    let new = text.map(|text| record.phrases.take_in(text, &mut self.phrases));
                    record.take_in(place, &evidence, brought(report, &evidence, new), others);
                    self.refuses_some |= record.is_trap();
                }
            }
            None => {
                if let Some(text) = text {
                    let key = keys.key(report.url.parts());
                    self.ignorable.take_in_plain(key, text);
                }
            }
        }
        let is_date = matches!(evidence.place, Some(Place::Date(_)));
        if report.depth >= MIN_AREA_DEPTH && !is_date && self.knows_all == Some(true) {
            self.take_in_of_area(report, &mut evidence, others, keys, seen);
        }
        if self.phrases > MAX_PHRASES {
            self.forget_phrases();
        }
    }

    /// The group of the area of a URL, or that area.
    fn area(&self, url: UrlRef<'_>, keys: &KeyPolicy) -> u64 {
        self.groups.of(area(url, keys.seed))
    }

    /// Forgets which URLs were admitted, and keeps what was learned from pages.
    pub(crate) fn forget_admitted(&mut self) {
        self.sorted_queries = Seen::default();
        self.copied = Seen::default();
        self.first_of.clear();
        self.knows_all = Some(false);
    }

    /// The number of URLs and texts remembered.
    pub(crate) fn len(&self) -> usize {
        self.sorted_queries.len()
            + self.copied.len()
            + self.first_of.len()
            + self.phrases
            + self.ignorable.len()
    }

    fn forget_phrases(&mut self) {
        self.phrases = 0;
        let calendars = self
            .calendars
            .values_mut()
            .map(|record| &mut record.phrases);
        let queries = self.queries.values_mut().map(|record| &mut record.phrases);
        let areas = self.areas.values_mut().map(|record| &mut record.phrases);
        calendars
            .chain(queries)
            .chain(areas)
            .for_each(Phrases::clear);
    }

    /// Why a link from one page of a place to another, or within an area, is refused.
    fn refusal(&self, place: Option<(&Place, &Place)>, area: Option<u64>) -> Option<RefuseReason> {
        let of_place = match place {
            Some((_, Place::Date(date))) => {
                let record = self.calendars.get(&date.calendar);
                let refuses = record.is_some_and(|record| record.refuses(*date));
                refuses.then_some(RefuseReason::TrapCalendar)
            }
            Some((Place::Query(from), Place::Query(place))) => {
                let record = self.queries.get(&place.path);
                let refuses = record.is_some_and(|record| record.refuses(from));
                refuses.then_some(RefuseReason::TrapQuery)
            }
            Some(_) | None => None,
        };
        of_place.or_else(|| {
            let record = self.areas.get(&area?)?;
            record.refuses().then_some(RefuseReason::TrapPages)
        })
    }
}

/// The key of a URL without known parameters that act on the page or show it in another way, if it has some.
fn copy_of(url: UrlRef<'_>, keys: &KeyPolicy) -> Option<UrlKey> {
    // The views of an endless calendar help to find it.
    let keeps_views = || DatePage::of(url, keys.seed).is_some();
    let text = known_parameters::without_copies(url, keeps_views)?;
    UrlRef::split(&text).map(|stripped| keys.key(stripped))
}

/// The record of a place, unless there are too many.
fn record_of<R: Default>(records: &mut Records<R>, key: u64) -> Option<&mut R> {
    if records.len() >= MAX_PLACES && !records.contains_key(&key) {
        return None;
    }
    Some(records.entry(key).or_default())
}

#[cfg(test)]
mod tests;
