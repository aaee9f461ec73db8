//! Pages that are a date and nothing else. An article below a date has a name of its own and does not count.

use crawler_weburl::UrlRef;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A fingerprint of the calendar that a URL is a page of.
pub(super) fn calendar_of(url: UrlRef<'_>, seed: u64) -> Option<u64> {
    let prefix = date_path_prefix(url.path());
    let in_query = url.query().is_some_and(has_date);
    if prefix.is_none() && !in_query {
        return None;
    }
    let base = prefix.unwrap_or(url.path());
    Some(xxh3_64_with_seed(
        base.as_bytes(),
        seed ^ xxh3_64_with_seed(url.authority().as_bytes(), seed),
    ))
}

/// The path before a date that ends it: `/cal/2026/11/16`, `/cal/2026/11` and `/cal/2026-11-16` → `/cal`.
fn date_path_prefix(path: &str) -> Option<&str> {
    let (before, last) = path.trim_end_matches('/').rsplit_once('/')?;
    if is_date(last) {
        return Some(before);
    }
    let (year_and_before, month) = if is_day(last) {
        match before.rsplit_once('/') {
            Some((rest, month)) if is_month(month) => (rest, month),
            _ => (before, last),
        }
    } else {
        return None;
    };
    let (prefix, year) = year_and_before.rsplit_once('/')?;
    (is_year(year) && is_month(month)).then_some(prefix)
}

fn has_date(query: &str) -> bool {
    const NAMES: [&str; 9] = [
        "date",
        "day",
        "month",
        "year",
        "week",
        "cal",
        "calendar",
        "start_date",
        "ym",
    ];
    query.split('&').any(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        // Eight digits may be any number; with separators, or under one of these names, they are a date.
        (is_date(value) && value.len() != 8)
            || (NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
                && value.bytes().any(|byte| byte.is_ascii_digit()))
    })
}

/// `2026-11`, `2026-11-16`, `20261116`.
fn is_date(text: &str) -> bool {
    if !text.starts_with(['1', '2']) {
        return false;
    }
    let parts: Vec<&str> = text.splitn(4, ['-', '_', '.']).collect();
    match parts.as_slice() {
        [year, month] => is_year(year) && is_month(month),
        [year, month, day] => is_year(year) && is_month(month) && is_day(day),
        [all] if all.len() == 8 && all.is_ascii() => {
            is_year(&all[..4]) && is_month(&all[4..6]) && is_day(&all[6..])
        }
        _ => false,
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && in_range(text, 1900, 2199)
}

fn is_month(text: &str) -> bool {
    text.len() <= 2 && in_range(text, 1, 12)
}

fn is_day(text: &str) -> bool {
    text.len() <= 2 && in_range(text, 1, 31)
}

fn in_range(text: &str, min: u32, max: u32) -> bool {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits
        && text
            .parse()
            .is_ok_and(|number: u32| (min..=max).contains(&number))
}
