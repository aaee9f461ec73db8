//! Pages that are a date and nothing else. An article below a date has a name of its own and is not meant.

use weburl::UrlRef;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A fingerprint of the calendar a URL is a page of.
pub(super) fn calendar_of(url: UrlRef<'_>, seed: u64) -> Option<u64> {
    let prefix = date_path_prefix(url.path());
    let in_query = url.query().is_some_and(has_date);
    if prefix.is_none() && !in_query {
        return None;
    }
    let place = prefix.unwrap_or(url.path());
    Some(xxh3_64_with_seed(
        place.as_bytes(),
        seed ^ xxh3_64_with_seed(url.authority().as_bytes(), seed),
    ))
}

/// The path before a date that ends it: `/cal/2026/11/16` → `/cal`.
fn date_path_prefix(path: &str) -> Option<&str> {
    let trimmed = path.trim_end_matches('/');
    let mut rest = trimmed;
    let mut numbers = 0;
    loop {
        let (before, segment) = rest.rsplit_once('/')?;
        if is_date(segment) || (is_year(segment) && numbers > 0) {
            return Some(before);
        }
        if numbers == 2 || !(is_small_number(segment)) {
            return None;
        }
        numbers += 1;
        rest = before;
    }
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
        is_date(value)
            || (NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
                && value.bytes().any(|byte| byte.is_ascii_digit()))
    })
}

/// `2026-11`, `2026-11-16`, `20261116`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.splitn(4, ['-', '_', '.']).collect();
    match parts.as_slice() {
        [year, month] => is_year(year) && is_small_number(month),
        [year, month, day] => is_year(year) && is_small_number(month) && is_small_number(day),
        [all] => {
            all.len() == 8 && all.bytes().all(|byte| byte.is_ascii_digit()) && is_year(&all[..4])
        }
        _ => false,
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_small_number(text: &str) -> bool {
    matches!(text.len(), 1 | 2) && text.bytes().all(|byte| byte.is_ascii_digit())
}
