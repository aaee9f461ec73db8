//! Refuses endless URL spaces.
//!
//! Checked only for URLs that would otherwise be new, so the cost is per page, not per link. [`Traps::check`]
//! changes nothing; [`Traps::note`] counts a URL that was then admitted.

mod calendar;
mod path_shape;
mod query_shape;
mod session;

use std::collections::HashMap;

use crawler_model::RefuseReason;
use crawler_weburl::{KeyPolicy, UrlKey, UrlRef};

use crate::seen::Seen;

/// Longest URL that is followed.
const MAX_URL_BYTES: usize = 2_048;
/// Limit on pure date pages below one path: a year of days.
const MAX_DATES: u32 = 366;

/// The result of a check; passed to [`Traps::note`] when it is admitted.
#[derive(Debug, Default)]
pub(crate) struct TrapCheck {
    /// Its key without the session id.
    pub(crate) without_session: Option<UrlKey>,
    calendar: Option<u64>,
    query: Option<query_shape::QueryShape>,
}

#[derive(Debug, Default)]
pub(crate) struct Traps {
    dates: HashMap<u64, u32>,
    queries: HashMap<u64, u32>,
    sorted_queries: Seen,
}

impl Traps {
    /// Checks whether a new URL belongs to an endless URL space.
    pub(crate) fn check(
        &self,
        url: UrlRef<'_>,
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
        let calendar = calendar::calendar_of(url, keys.seed);
        if calendar.is_some_and(|shape| self.dates.get(&shape).is_some_and(|n| *n >= MAX_DATES)) {
            return Err(RefuseReason::TrapCalendar);
        }
        let query = query_shape::QueryShape::of(url, keys.seed);
        if let Some(shape) = &query {
            let so_far = self.queries.get(&shape.count_key).copied().unwrap_or(0);
            if so_far >= shape.max || self.sorted_queries.contains(shape.sorted) {
                return Err(RefuseReason::TrapQuery);
            }
        }
        Ok(TrapCheck {
            without_session,
            calendar,
            query,
        })
    }

    /// The key of a URL without its session id; its own key when it has none.
    pub(crate) fn session_free_key(url: UrlRef<'_>, keys: &KeyPolicy) -> UrlKey {
        session::without_session(url)
            .and_then(|text| UrlRef::split(&text).map(|stripped| keys.key(stripped)))
            .unwrap_or_else(|| keys.key(url))
    }

    /// Counts an admitted URL.
    pub(crate) fn note(&mut self, trap_check: &TrapCheck) {
        if let Some(shape) = trap_check.calendar {
            *self.dates.entry(shape).or_default() += 1;
        }
        if let Some(shape) = &trap_check.query {
            *self.queries.entry(shape.count_key).or_default() += 1;
            self.sorted_queries.insert(shape.sorted);
        }
    }
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

    /// Admits as many of the URLs as the traps let through.
    fn admitted(urls: impl IntoIterator<Item = String>) -> (usize, Option<RefuseReason>) {
        let (mut traps, mut seen) = (Traps::default(), Seen::default());
        let (mut count, mut last) = (0, None);
        for text in urls {
            let url = UrlRef::split(&text).unwrap();
            match traps.check(url, &KEYS, &seen) {
                Ok(trap_check) => {
                    traps.note(&trap_check);
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
    fn an_endless_calendar_ends_and_articles_do_not() {
        let days = (0..5_000).map(|n| {
            format!(
                "http://a/cal/{}/{}/{}",
                1900 + n / 372,
                1 + n / 31 % 12,
                1 + n % 31
            )
        });
        assert_eq!(admitted(days), (366, Some(RefuseReason::TrapCalendar)));
        let months = (0..2_000)
            .map(|n| format!("http://a/events?month={}-{:02}", 2000 + n / 12, 1 + n % 12));
        assert_eq!(admitted(months), (366, Some(RefuseReason::TrapCalendar)));
        let articles =
            (0..3_000).map(|n| format!("http://a/2024/{}/{}/story-{n}", 1 + n % 12, 1 + n % 28));
        assert_eq!(admitted(articles), (3_000, None));
    }

    #[test]
    fn ordinary_numbers_are_not_dates() {
        for shape in [
            "http://a/item/5123{}",
            "http://a/p?id=5123{}",
            "http://a/gallery/1234/{}",
        ] {
            let urls = (1_000..1_900).map(|n| shape.replace("{}", &n.to_string()));
            assert_eq!(admitted(urls), (900, None), "{shape}");
        }
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
    fn facets_are_bounded_and_ids_are_not() {
        let facets =
            (0..4_000).map(|n| format!("http://a/s?color={}&size={}&page={n}", n % 7, n % 5));
        assert_eq!(admitted(facets), (200, Some(RefuseReason::TrapQuery)));
        let shuffled = [
            "http://a/s?a=1&b=2".to_owned(),
            "http://a/s?b=2&a=1".to_owned(),
        ];
        assert_eq!(admitted(shuffled), (1, Some(RefuseReason::TrapQuery)));
        let ids = (0..4_000).map(|n| format!("http://a/item?id={n}"));
        assert_eq!(admitted(ids), (4_000, None));
        let topics = (0..900).map(|n| format!("http://a/topic?f=2&t={n}"));
        assert_eq!(admitted(topics), (900, None));
    }

    #[test]
    fn a_list_without_a_last_page_ends() {
        for shape in [
            "http://a/list?page={}",
            "http://a/list?PAGED={}",
            "http://a/news?p={}",
            "http://a/list?offset={}0",
            "http://a/list?start=-{}",
        ] {
            let pages = (0..3_000).map(|n| shape.replace("{}", &n.to_string()));
            let refused = (1_000, Some(RefuseReason::TrapQuery));
            assert_eq!(admitted(pages), refused, "{shape}");
        }
        let two_lists = (0..1_800).map(|n| format!("http://a/list-{}?page={n}", n % 2));
        assert_eq!(
            admitted(two_lists),
            (1_800, None),
            "each list has its own budget"
        );
        let honest = [
            "http://a/?p={}",
            "http://a/list?id={}",
            "http://a/list?page=chapter-{}",
            "http://a/list/{}?page=2",
        ];
        for shape in honest {
            let urls = (0..3_000).map(|n| shape.replace("{}", &n.to_string()));
            assert_eq!(admitted(urls), (3_000, None), "{shape}");
        }
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
