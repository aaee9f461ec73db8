//! Pages that are a date and nothing else. An article below a date has a name of its own and does not count.

use crawler_weburl::UrlRef;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How long a time a page of a calendar covers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Unit {
    Year,
    Month,
    Day,
}

/// A page of a calendar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DatePage {
    /// A fingerprint of the calendar.
    pub(super) calendar: u64,
    pub(super) unit: Unit,
    /// Its first and its last day, if the URL says them: numbers that are in order, not all of them dates.
    pub(super) days: Option<(u32, u32)>,
    /// Whether the whole date is in the path.
    pub(super) is_in_path: bool,
}

/// The parts of a date that a URL contains.
#[derive(Clone, Copy, Default)]
struct DateParts {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
}

impl DatePage {
    pub(super) fn of(url: UrlRef<'_>, seed: u64) -> Option<Self> {
        let in_path = date_in_path(url.path());
        let in_query = url.query().and_then(date_in_query);
        let (base, date) = match (in_path, in_query) {
            (None, None) => return None,
            (Some((prefix, date)), None) | (Some((prefix, _)), Some(date)) => (prefix, date),
            (None, Some(date)) => (url.path(), date),
        };
        let base = without_view(base);
        let site = xxh3_64_with_seed(url.authority().as_bytes(), seed);
        let unit = match date {
            DateParts { day: Some(_), .. } => Unit::Day,
            DateParts { month: Some(_), .. } => Unit::Month,
            _ => Unit::Year,
        };
        Some(Self {
            calendar: xxh3_64_with_seed(base.as_bytes(), seed ^ site),
            unit,
            is_in_path: in_query.is_none(),
            days: date.year.map(|year| {
                let month = year * 12 + date.month.unwrap_or(1) - 1;
                let first = month * 31 + date.day.unwrap_or(1) - 1;
                (first, first + [371, 30, 0][unit as usize])
            }),
        })
    }
}

/// The path of a calendar without its view, since the views show the same days: `/events/week` → `/events`.
fn without_view(path: &str) -> &str {
    const VIEWS: [&str; 7] = ["year", "month", "week", "day", "list", "agenda", "schedule"];
    match path.rsplit_once('/') {
        Some((before, last)) if !before.is_empty() && VIEWS.contains(&last) => before,
        _ => path,
    }
}

/// The date that ends a path and what is before it: `/cal/2026/11/16`, `/cal/2026/11`, `/cal/2026` and `/cal/2026-11-16` → `/cal`.
fn date_in_path(path: &str) -> Option<(&str, DateParts)> {
    let (before, last) = path.trim_end_matches('/').rsplit_once('/')?;
    // True of nearly every path.
    if !last.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && !matches!(last.len(), 1 | 2 | 4 | 8) {
        return None;
    }
    if let Some(date) = date(last) {
        return Some((before, date));
    }
    if let Some(year) = year(last) {
        let year = Some(year);
        return Some((
            before,
            DateParts {
                year,
                ..DateParts::default()
            },
        ));
    }
    let (two_before, second) = before.rsplit_once('/')?;
    let of = |year, month, day| DateParts {
        year: Some(year),
        month: Some(month),
        day,
    };
    if let (Some(year), Some(month)) = (year(second), month(last)) {
        return Some((two_before, of(year, month, None)));
    }
    let (three_before, third) = two_before.rsplit_once('/')?;
    match (year(third), month(second), day(last)) {
        (Some(year), Some(month), day @ Some(_)) => Some((three_before, of(year, month, day))),
        _ => None,
    }
}

fn date_in_query(query: &str) -> Option<DateParts> {
    const DAY_NAMES: [&str; 6] = ["date", "day", "week", "cal", "calendar", "start_date"];
    let mut found: Option<DateParts> = None;
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !value.bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let named = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        let is_named = named(&DAY_NAMES) || named(&["month", "year", "ym"]);
        // Eight digits may be any number; with separators, or under one of these names, they are a date.
        if let Some(date) = date(value).filter(|_| value.len() != 8 || is_named) {
            found = Some(date);
        } else if named(&["year"]) {
            found.get_or_insert_default().year = year(value);
        } else if named(&["month", "ym"]) {
            found.get_or_insert_default().month = Some(month(value).unwrap_or(1));
        } else if is_named {
            found.get_or_insert_default().day = Some(day(value).unwrap_or(1));
        }
    }
    found
}

/// `2026-11`, `2026-11-16`, `20261116`.
fn date(text: &str) -> Option<DateParts> {
    if !text.starts_with(['1', '2']) {
        return None;
    }
    let mut parts = text.splitn(4, ['-', '_', '.']);
    let (first, second, third) = (parts.next()?, parts.next(), parts.next());
    let of = |year_text, month_text, day_text: Option<&str>| {
        let (year, month) = (Some(year(year_text)?), Some(month(month_text)?));
        let day = match day_text {
            Some(text) => Some(day(text)?),
            None => None,
        };
        Some(DateParts { year, month, day })
    };
    match (second, third, parts.next()) {
        (None, ..) if first.len() == 8 && first.is_ascii() => {
            of(&first[..4], &first[4..6], Some(&first[6..]))
        }
        (Some(second), day, None) => of(first, second, day),
        _ => None,
    }
}

fn year(text: &str) -> Option<u32> {
    number(text, 1900, 2199).filter(|_| text.len() == 4)
}

fn month(text: &str) -> Option<u32> {
    number(text, 1, 12).filter(|_| text.len() <= 2)
}

fn day(text: &str) -> Option<u32> {
    number(text, 1, 31).filter(|_| text.len() <= 2)
}

fn number(text: &str, min: u32, max: u32) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u32 = digits.then(|| text.parse().ok())??;
    (min..=max).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<(Unit, Option<(u32, u32)>)> {
        let page = DatePage::of(UrlRef::split(text).unwrap(), 1)?;
        Some((page.unit, page.days))
    }

    #[test]
    fn the_views_of_a_calendar_are_one_calendar() {
        let calendar = |text: &str| {
            DatePage::of(UrlRef::split(text).unwrap(), 1)
                .unwrap()
                .calendar
        };
        let month = calendar("http://a/events/month/2026-11/");
        assert_eq!(month, calendar("http://a/events/day/2026-11-16/"));
        assert_eq!(month, calendar("http://a/events/2026/11/16"));
        assert_ne!(month, calendar("http://a/news/2026/11/16"));
        assert_ne!(
            calendar("http://a/day/2026-11-16"),
            calendar("http://a/2026/11/16")
        );
    }

    #[test]
    fn dates_are_found_in_paths_and_queries() {
        let month = (2026 * 12 + 10) * 31;
        let day = Some((month + 15, month + 15));
        for url in [
            "http://a/cal/2026/11/16",
            "http://a/cal/2026-11-16",
            "http://a/cal/20261116/",
            "http://a/cal?date=2026-11-16",
            "http://a/cal?date=20261116",
            "http://a/cal?year=2026&month=11&day=16",
        ] {
            assert_eq!(of(url), Some((Unit::Day, day)), "{url}");
        }
        for url in [
            "http://a/cal/2026/11/",
            "http://a/cal?year=2026&month=11",
            "http://a/cal?month=2026-11",
        ] {
            assert_eq!(
                of(url),
                Some((Unit::Month, Some((month, month + 30)))),
                "{url}"
            );
        }
        let year = 2026 * 12 * 31;
        assert_eq!(
            of("http://a/cal/2026"),
            Some((Unit::Year, Some((year, year + 371))))
        );
        assert_eq!(of("http://a/view?day=20000"), Some((Unit::Day, None)));
    }

    #[test]
    fn other_numbers_are_not_dates() {
        for url in [
            "http://a/item/51234",
            "http://a/p?id=20241116",
            "http://a/gallery/1234/5",
            "http://a/2024/11/16/story",
            "http://a/v1.2.3",
            "http://a/",
        ] {
            assert_eq!(of(url), None, "{url}");
        }
    }

    #[test]
    fn all_pages_of_a_calendar_have_its_fingerprint() {
        let calendar = |text: &str| {
            let url = UrlRef::split(text).unwrap();
            DatePage::of(url, 1).unwrap().calendar
        };
        let day = calendar("http://a/cal/2026/11/16");
        for url in [
            "http://a/cal/2026",
            "http://a/cal/2026/11",
            "http://a/cal/2026-11-17",
        ] {
            assert_eq!(calendar(url), day, "{url}");
        }
        assert_ne!(calendar("http://a/other/2026/11/16"), day);
        assert_ne!(calendar("http://b/cal/2026/11/16"), day);
    }
}
