//! The place of a URL: the set of URLs that a site may generate without end, if it belongs to one.
//!
//! A place is judged by its pages. What is found on pages of other places is never refused because of it.

use crawler_weburl::UrlRef;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::calendar::DatePage;

/// Parameters that page through a list, if there is no other and the value is a number.
const PAGING_NAMES: [&str; 9] = [
    "page", "p", "pg", "paged", "pagenum", "offset", "start", "skip", "from",
];

/// The place of a URL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// A page of a calendar.
    Date(DatePage),
    /// A path with a query.
    Query(QueryPlace),
}

/// A path with a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct QueryPlace {
    /// A fingerprint of the URL without its query.
    pub(super) path: u64,
    /// Fingerprints of the parameters' names, sorted.
    pub(super) names: Vec<u64>,
    /// Whether its only parameter pages through a list.
    pub(super) is_paging: bool,
}

impl Place {
    /// The place of a URL.
    pub(super) fn of(url: UrlRef<'_>, seed: u64) -> Option<Self> {
        if let Some(date) = DatePage::of(url, seed) {
            return Some(Self::Date(date));
        }
        let query = url.query().filter(|query| !query.is_empty())?;
        Some(Self::Query(QueryPlace::of(url, query, seed)))
    }

    /// Whether a link from here to another place is a link to more of the same.
    pub(super) fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Date(here), Self::Date(there)) => here.calendar == there.calendar,
            (Self::Query(here), Self::Query(there)) => {
                here.path == there.path && is_subset(&here.names, &there.names)
            }
            _ => false,
        }
    }
}

/// Whether all of the sorted `names` are among the sorted `others`.
pub(super) fn is_subset(names: &[u64], others: &[u64]) -> bool {
    names.iter().all(|name| others.binary_search(name).is_ok())
}

impl QueryPlace {
    fn of(url: UrlRef<'_>, query: &str, seed: u64) -> Self {
        let pairs = || query.split('&').filter(|pair| !pair.is_empty());
        let mut names: Vec<u64> = pairs().map(family_key).collect();
        names.sort_unstable();
        names.dedup();
        let mut each = pairs();
        let only = each.next().filter(|_| each.next().is_none());
        Self {
            path: xxh3_64_with_seed(page_of(url).as_bytes(), seed),
            names,
            is_paging: only.is_some_and(|pair| is_paging(url.path(), pair)),
        }
    }
}

/// A URL without its query.
pub(super) fn page_of(url: UrlRef<'_>) -> &str {
    &url.as_str()[..url.as_str().len() - url.query_with_mark().len()]
}

/// The fingerprint of a parameter's name.
pub(super) fn name_key(pair: &str) -> u64 {
    let name = pair.split_once('=').map_or(pair, |(name, _)| name);
    xxh3_64_with_seed(name.as_bytes(), 0)
}

/// The fingerprint of a parameter's name, the same for all of a numbered one: `f[0]`, `f[1]`.
fn family_key(pair: &str) -> u64 {
    let name = pair.split_once('=').map_or(pair, |(name, _)| name);
    let open = name.strip_suffix(']').or_else(|| name.strip_suffix("%5D"));
    let base = open
        .map(|open| open.trim_end_matches(|char: char| char.is_ascii_digit()))
        .and_then(|open| open.strip_suffix('[').or_else(|| open.strip_suffix("%5B")));
    name_key(base.unwrap_or(name))
}

fn is_paging(path: &str, pair: &str) -> bool {
    let Some((name, value)) = pair.split_once('=') else {
        return false;
    };
    let known = PAGING_NAMES
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known));
    let digits = value.strip_prefix('-').unwrap_or(value);
    let numbered = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // WordPress numbers its articles this way.
    let is_article = name == "p" && matches!(path, "/" | "/index.php");
    known && numbered && !is_article
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Option<Place> {
        Place::of(UrlRef::split(text).unwrap(), 1)
    }

    fn leads_to_more_of_the_same(from: &str, to: &str) -> bool {
        place(from).unwrap().contains(&place(to).unwrap())
    }

    #[test]
    fn places_contain_what_grows_from_them() {
        for (from, to) in [
            ("http://a/cal/2026/11", "http://a/cal/2026/12/01"),
            ("http://a/list?page=2", "http://a/list?page=3"),
            ("http://a/shop?color=red", "http://a/shop?size=m&color=blue"),
            (
                "http://a/shop?f%5B0%5D=a",
                "http://a/shop?f[1]=b&f%5B2%5D=c",
            ),
        ] {
            assert!(leads_to_more_of_the_same(from, to), "{from} {to}");
        }
        for (from, to) in [
            ("http://a/shop?color=red", "http://a/shop?size=m"),
            ("http://a/shop?color=red", "http://a/other?color=red"),
            ("http://a/cal/2026/11", "http://a/list?page=1"),
            ("http://a/x?y=1", "http://b/x?y=1"),
        ] {
            assert!(!leads_to_more_of_the_same(from, to), "{from} {to}");
        }
        assert_eq!(place("http://a/b/c"), None, "most pages have no place");
    }

    #[test]
    fn paging_parameters() {
        let paging = |text: &str| match place(text) {
            Some(Place::Query(query)) => query.is_paging,
            _ => false,
        };
        for url in [
            "http://a/l?page=2",
            "http://a/l?PAGED=2",
            "http://a/n?p=3",
            "http://a/l?start=-9",
        ] {
            assert!(paging(url), "{url}");
        }
        for url in [
            "http://a/?p=3",
            "http://a/l?id=2",
            "http://a/l?page=a",
            "http://a/l?page=2&x=1",
        ] {
            assert!(!paging(url), "{url}");
        }
    }
}
