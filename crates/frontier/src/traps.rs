//! Refuses endless URL spaces: where URLs grow without new content or without an end.
//!
//! Some URLs are refused as they are: very long ones, paths that repeat themselves, session ids, parameters in another order. All
//! others are judged by what their pages bring. A URL that is a date, has a query or lies deep belongs to a [`Place`]; once enough
//! pages of a place in a row brought neither new text nor new links to elsewhere, what its pages link to in the same place is refused. What
//! other pages link to is not, and neither is what a sitemap lists.
//!
//! [`Traps::check`] changes nothing; [`Traps::note`] counts a URL that was then admitted, and [`Traps::take_in`] a page that was fetched.

mod calendar;
mod calendar_record;
mod page_evidence;
mod path_record;
mod path_shape;
mod phrases;
mod place;
mod query_names;
mod query_record;
mod session;

use std::collections::HashMap;

use crawler_model::{Discovery, Outcome, PageReport, RefuseReason, Task};
use crawler_weburl::{KeyPolicy, UrlKey, UrlRef};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use self::calendar_record::CalendarRecord;
use self::page_evidence::{Brought, Direction};
use self::path_record::{MIN_EMPTY_DEPTH, PathRecord};
use self::place::Place;
use self::query_record::QueryRecord;
use crate::seen::Seen;

pub(crate) use self::page_evidence::PageEvidence;

/// Longest URL that is followed.
const MAX_URL_BYTES: usize = 2_048;
/// Limit on the places of each kind that are remembered; those found later are not judged.
const MAX_PLACES: usize = 2_000;
/// Limit on the phrases remembered for all places together.
const MAX_PHRASES: usize = 1_000_000;
/// Where all is well, the text of one in so many pages is read.
const SAMPLE: u64 = 4;

/// The result of a check; passed to [`Traps::note`] when it is admitted.
#[derive(Debug, Default)]
pub(crate) struct TrapCheck {
    /// Its key without the session id.
    pub(crate) without_session: Option<UrlKey>,
    /// Its key without parameters that change nothing.
    without_ignorable: Option<u64>,
    /// Its key with its parameters sorted, if it has several.
    sorted: Option<UrlKey>,
    place: Option<Place>,
    direction: Option<Direction>,
}

#[derive(Debug, Default)]
pub(crate) struct Traps {
    calendars: HashMap<u64, CalendarRecord>,
    queries: HashMap<u64, QueryRecord>,
    paths: HashMap<u64, PathRecord>,
    sorted_queries: Seen,
    /// The URL that was admitted first, by its key without parameters that change nothing.
    first_of: HashMap<u64, UrlKey>,
    /// Keys of URLs that a sitemap lists and that were found as links before.
    listed: Seen,
    /// Whether anything is refused because of what was fetched.
    has_learned: bool,
    /// Number of phrases remembered.
    phrases: usize,
    /// Number of pages fetched.
    pages: u32,
}

impl Traps {
    /// Checks whether a new URL belongs to an endless URL space. `source`: the page it was found on, if that has a place.
    pub(crate) fn check(
        &self,
        url: UrlRef<'_>,
        depth: u32,
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
        let without_session = session::without_session(url)
            .and_then(|text| UrlRef::split(&text).map(|stripped| keys.key(stripped)));
        if without_session.is_some_and(|key| seen.contains(key)) {
            return Err(RefuseReason::TrapSession);
        }
        let sorted = sorted_key(url, keys.seed);
        if sorted.is_some_and(|key| self.sorted_queries.contains(key)) {
            return Err(RefuseReason::TrapQuery);
        }
        if source.is_none() && url.query().is_none() {
            return Ok(TrapCheck {
                without_session,
                ..TrapCheck::default()
            });
        }
        let place = Place::of(url, depth, keys.seed);
        let without_ignorable = self.key_without_ignorable(url, place.as_ref());
        if without_ignorable.is_some_and(|key| self.first_of.contains_key(&key)) {
            return Err(RefuseReason::TrapSession);
        }
        let direction = source.map(|source| source.direction(place.as_ref()));
        if let (Some(Direction::Inside), Some(place)) = (direction, &place)
            && let Some(reason) = self.refusal(place)
        {
            return Err(reason);
        }
        Ok(TrapCheck {
            without_session,
            without_ignorable,
            sorted,
            place,
            direction,
        })
    }

    /// The key of a URL without its session id; its own key when it has none.
    pub(crate) fn session_free_key(url: UrlRef<'_>, keys: &KeyPolicy) -> UrlKey {
        session::without_session(url)
            .and_then(|text| UrlRef::split(&text).map(|stripped| keys.key(stripped)))
            .unwrap_or_else(|| keys.key(url))
    }

    /// Counts an admitted URL, also as one of the links of its source.
    pub(crate) fn note(
        &mut self,
        key: UrlKey,
        trap_check: &TrapCheck,
        source: Option<&mut PageEvidence>,
    ) {
        self.sorted_queries.extend(trap_check.sorted);
        if let Some(stripped) = trap_check.without_ignorable {
            self.first_of.insert(stripped, key);
        }
        if let Some(Place::Query(place)) = &trap_check.place
            && let Some(record) = record_of(&mut self.queries, place.path)
        {
            record.note(place);
        }
        if let (Some(source), Some(direction)) = (source, trap_check.direction) {
            source.count(direction);
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
    ) -> Option<RefuseReason> {
        if !self.has_learned || task.found != Discovery::Link {
            return None;
        }
        let url = task.url.parts();
        let place = Place::of(url, task.depth, keys.seed)?;
        let key = keys.key(url);
        if self.listed.contains(key) {
            return None;
        }
        if let Some(stripped) = self.key_without_ignorable(url, Some(&place))
            && *self.first_of.entry(stripped).or_insert(key) != key
        {
            return Some(RefuseReason::TrapSession);
        }
        let is_inside = is_inside(&place, task.via.as_deref(), task.depth, keys);
        self.refusal(&place).filter(|_| is_inside)
    }

    /// Whether the text of a page has to be read to judge its place.
    pub(crate) fn wants_text(&self, task: &Task, keys: &KeyPolicy) -> bool {
        let url = task.url.parts();
        let is_in_doubt = match Place::of(url, task.depth, keys.seed) {
            None => return false,
            Some(Place::Path(_)) => return task.depth >= MIN_EMPTY_DEPTH,
            Some(Place::Date(date)) => {
                let record = self.calendars.get(&date.calendar);
                record.is_none_or(|record| record.is_in_doubt() || record.phrases.is_few())
            }
            Some(Place::Query(place)) => {
                let record = self.queries.get(&place.path);
                record.is_none_or(|record| record.is_in_doubt() || record.phrases.is_few())
            }
        };
        is_in_doubt || keys.key(url).0.is_multiple_of(SAMPLE)
    }

    /// Starts to collect what a fetched page tells about its place, if it has one.
    pub(crate) fn evidence(
        &mut self,
        report: &PageReport,
        keys: &KeyPolicy,
    ) -> Option<PageEvidence> {
        self.pages = self.pages.saturating_add(1);
        let place = Place::of(report.url.parts(), report.depth, keys.seed)?;
        Some(PageEvidence {
            is_inside: is_inside(&place, report.via.as_deref(), report.depth, keys),
            is_listed: report.found == Discovery::Sitemap,
            depth: report.depth,
            inside: 0,
            pages_outside: 0,
            queries_outside: 0,
            place,
        })
    }

    /// Takes in a fetched page whose links have been admitted.
    pub(crate) fn take_in(
        &mut self,
        report: &PageReport,
        mut evidence: PageEvidence,
        keys: &KeyPolicy,
    ) {
        evidence.is_listed |= self.listed.contains(keys.key(report.url.parts()));
        let html = matches!(report.outcome, Outcome::Fetched { html: true });
        let text = report.text.as_deref();
        let (pages, queries) = (evidence.pages_outside > 0, evidence.queries_outside > 0);
        match &evidence.place {
            Place::Date(date) => {
                let Some(record) = record_of(&mut self.calendars, date.calendar) else {
                    return;
                };
                let is_new_text = text.map(|text| record.phrases.take_in(text, &mut self.phrases));
                let leads = pages || (queries && record.counts_queries());
                record.take_in(*date, &evidence, brought(html, is_new_text, leads));
                self.has_learned = true;
            }
            Place::Query(place) => {
                let Some(record) = record_of(&mut self.queries, place.path) else {
                    return;
                };
                let is_new_text = text.map(|text| record.phrases.take_in(text, &mut self.phrases));
                if let Some(text) = text {
                    record.ignorable.take_in(report.url.parts(), text);
                }
                let leads = pages || (queries && record.counts_queries());
                record.take_in(place, &evidence, brought(html, is_new_text, leads));
                self.has_learned = true;
            }
            Place::Path(place) => {
                let Some(record) = record_of(&mut self.paths, place.shape) else {
                    return;
                };
                let is_new_text = text.map(|text| record.phrases.take_in(text, &mut self.phrases));
                let brought = brought(html, is_new_text, pages || queries);
                let relinks = || relinks(report, &evidence, keys);
                record.take_in(place.last, &evidence, brought, self.pages, relinks);
                self.has_learned |= record.refuses();
            }
        }
        if self.phrases > MAX_PHRASES {
            self.forget_phrases();
        }
    }

    /// Forgets which URLs were admitted, and keeps what was learned from pages.
    pub(crate) fn forget_admitted(&mut self) {
        self.sorted_queries = Seen::default();
        self.first_of.clear();
    }

    fn forget_phrases(&mut self) {
        self.phrases = 0;
        self.calendars
            .values_mut()
            .for_each(|record| record.phrases.clear());
        self.queries
            .values_mut()
            .for_each(|record| record.phrases.clear());
        self.paths
            .values_mut()
            .for_each(|record| record.phrases.clear());
    }

    /// Why more of a place is refused.
    fn refusal(&self, place: &Place) -> Option<RefuseReason> {
        match place {
            Place::Date(date) => {
                let record = self.calendars.get(&date.calendar)?;
                record.refuses(*date).then_some(RefuseReason::TrapCalendar)
            }
            Place::Query(place) => {
                let record = self.queries.get(&place.path)?;
                record.refuses(place).then_some(RefuseReason::TrapQuery)
            }
            Place::Path(place) => {
                let record = self.paths.get(&place.shape)?;
                record.refuses().then_some(RefuseReason::TrapPages)
            }
        }
    }

    fn key_without_ignorable(&self, url: UrlRef<'_>, place: Option<&Place>) -> Option<u64> {
        let Some(Place::Query(place)) = place else {
            return None;
        };
        let record = self.queries.get(&place.path)?;
        record.ignorable.key_without_ignorable(url)
    }
}

/// The record of a place, unless there are too many.
fn record_of<R: Default>(records: &mut HashMap<u64, R>, key: u64) -> Option<&mut R> {
    if records.len() >= MAX_PLACES && !records.contains_key(&key) {
        return None;
    }
    Some(records.entry(key).or_default())
}

/// What a page brought: `is_new_text` if its text was read, `leads` if it links to something new elsewhere.
fn brought(html: bool, is_new_text: Option<bool>, leads: bool) -> Brought {
    match is_new_text {
        _ if leads || !html => Brought::Something,
        Some(true) => Brought::Something,
        Some(false) => Brought::Nothing,
        None => Brought::Unknown,
    }
}

/// Whether the page that a URL was found on belongs to the same place.
fn is_inside(place: &Place, via: Option<&str>, depth: u32, keys: &KeyPolicy) -> bool {
    via.and_then(UrlRef::split)
        .and_then(|via| Place::of(via, depth.saturating_sub(1), keys.seed))
        .is_some_and(|from| from.contains(place))
}

/// Whether a page links to a page of its place that was known before, besides itself and the one it was found on.
fn relinks(report: &PageReport, evidence: &PageEvidence, keys: &KeyPolicy) -> bool {
    let own = keys.key(report.url.parts());
    let via = report.via.as_deref().and_then(UrlRef::split);
    let via = via.map(|via| keys.key(via));
    let mut others: Vec<u64> = report
        .links
        .iter()
        .filter(|link| link.key != own && Some(link.key) != via)
        .filter(|link| {
            let place = link
                .parts()
                .and_then(|url| Place::of(url, report.depth + 1, keys.seed));
            evidence.direction(place.as_ref()) == Direction::Inside
        })
        .map(|link| link.key.0)
        .collect();
    others.sort_unstable();
    others.dedup();
    others.len() > evidence.inside as usize
}

/// The key of a URL with its parameters sorted, if it has several.
fn sorted_key(url: UrlRef<'_>, seed: u64) -> Option<UrlKey> {
    let query = url.query().filter(|query| query.contains('&'))?;
    let mut pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    pairs.sort_unstable();
    let page = &url.as_str()[..url.as_str().len() - url.query_with_mark().len()];
    let key = pairs
        .iter()
        .fold(xxh3_64_with_seed(page.as_bytes(), seed), |key, pair| {
            xxh3_64_with_seed(pair.as_bytes(), key)
        });
    Some(UrlKey(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawler_weburl::{QueryPolicy, SlashPolicy};

    const KEYS: KeyPolicy = KeyPolicy {
        slash: SlashPolicy::Merge,
        query: QueryPolicy::Keep,
        seed: 5,
    };

    /// Admits as many of the URLs as their spelling allows.
    fn admitted(urls: impl IntoIterator<Item = String>) -> (usize, Option<RefuseReason>) {
        let (mut traps, mut seen) = (Traps::default(), Seen::default());
        let (mut count, mut last) = (0, None);
        for text in urls {
            let url = UrlRef::split(&text).unwrap();
            match traps.check(url, 1, None, &KEYS, &seen) {
                Ok(trap_check) => {
                    traps.note(KEYS.key(url), &trap_check, None);
                    seen.insert(KEYS.key(url));
                    seen.extend(trap_check.without_session);
                    count += 1;
                }
                Err(reason) => last = Some(reason),
            }
        }
        (count, last)
    }

    #[test]
    fn many_urls_are_not_a_trap_by_themselves() {
        let shapes = [
            "http://a/item/5{}",
            "http://a/p?id=5{}",
            "http://a/list?page={}",
            "http://a/s?color={}&size=m&page=2",
            "http://a/2024/5/6/story-{}",
        ];
        for shape in shapes {
            let urls = (0..5_000).map(|n| shape.replace("{}", &n.to_string()));
            assert_eq!(admitted(urls), (5_000, None), "{shape}");
        }
        let days = (0..5_000).map(|n| {
            let (year, month, day) = (1990 + n / 372, 1 + n / 31 % 12, 1 + n % 31);
            format!("http://a/archive/{year}/{month}/{day}")
        });
        assert_eq!(admitted(days), (5_000, None));
    }

    #[test]
    fn parameters_in_another_order_are_the_same_page() {
        let shuffled = [
            "http://a/s?a=1&b=2".to_owned(),
            "http://a/s?b=2&a=1".to_owned(),
        ];
        assert_eq!(admitted(shuffled), (1, Some(RefuseReason::TrapQuery)));
    }

    #[test]
    fn session_ids_are_one_page() {
        for shape in [
            "http://a/p;jsessionid=8F{}C2",
            "http://a/p?PHPSESSID=aa{}",
            "http://a/p?x=1&sid=ab12cd34ef{}",
            "http://a/(S(abcd1234abcd{}))/p",
        ] {
            let urls = (0..50).map(|n| shape.replace("{}", &n.to_string()));
            assert_eq!(
                admitted(urls),
                (1, Some(RefuseReason::TrapSession)),
                "{shape}"
            );
        }
        let plain = [
            "http://a/p".to_owned(),
            "http://a/p;jsessionid=1".to_owned(),
        ];
        assert_eq!(admitted(plain), (1, Some(RefuseReason::TrapSession)));
        let stories = (0..50).map(|n| format!("http://a/p?sid={n}"));
        assert_eq!(
            admitted(stories),
            (50, None),
            "a short number is not a session id"
        );
    }

    #[test]
    fn growing_paths_end() {
        let grown = (1..200).map(|n| format!("http://a{}", "/x/y".repeat(n)));
        let (count, reason) = admitted(grown);
        assert!(count <= 30, "{count}");
        assert_eq!(reason, Some(RefuseReason::TrapPath));
        let same = (1..50).map(|n| format!("http://a{}", "/loop".repeat(n)));
        assert_eq!(admitted(same), (2, Some(RefuseReason::TrapPath)));
        let honest = [
            "http://a/docs/api/v1/docs/index".to_owned(),
            "http://a/2024/2024/x".to_owned(),
        ];
        assert_eq!(admitted(honest), (2, None));
    }

    #[test]
    fn very_long_urls_are_not_followed() {
        let long = format!("http://a/{}", "x".repeat(3_000));
        assert_eq!(admitted([long]), (0, Some(RefuseReason::TooLong)));
    }
}
