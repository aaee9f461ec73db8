//! The place of a URL: the set of URLs that a site may generate without end, if it belongs to one.
//!
//! A place is judged by its pages. What is found on pages of other places is never refused because of it.

use crawler_weburl::UrlRef;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::calendar::DatePage;

/// Depth from which pages are placed by the shape of their path: a trap leads there soon.
const MIN_PATH_DEPTH: u32 = 2;
/// Path segments that are told apart; deeper folders all count as the same.
const MAX_FOLDERS: usize = 3;

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
    /// A path at some depth, by its shape.
    Path(PathPlace),
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

/// The shape of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PathPlace {
    /// A fingerprint of its folder, without numbers, and of the kind of its last segment.
    pub(super) shape: u64,
    pub(super) last: LastSegment,
}

/// The kind of a path's last segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LastSegment {
    /// It contains a number.
    Numbered,
    /// Letters and digits at random.
    Token,
    /// Words.
    Words,
}

impl Place {
    /// The place of a URL at a depth.
    pub(super) fn of(url: UrlRef<'_>, depth: u32, seed: u64) -> Option<Self> {
        if let Some(date) = DatePage::of(url, seed) {
            return Some(Self::Date(date));
        }
        if let Some(query) = url.query().filter(|query| !query.is_empty()) {
            return Some(Self::Query(QueryPlace::of(url, query, seed)));
        }
        if depth < MIN_PATH_DEPTH {
            return None;
        }
        PathPlace::of(url, seed).map(Self::Path)
    }

    /// Whether a link from here to another place is a link to more of the same.
    pub(super) fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Date(here), Self::Date(there)) => here.calendar == there.calendar,
            (Self::Query(here), Self::Query(there)) => {
                here.path == there.path && is_subset(&here.names, &there.names)
            }
            (Self::Path(here), Self::Path(there)) => here.shape == there.shape,
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
        let page = &url.as_str()[..url.as_str().len() - url.query_with_mark().len()];
        let pairs = || query.split('&').filter(|pair| !pair.is_empty());
        let mut names: Vec<u64> = pairs().map(name_key).collect();
        names.sort_unstable();
        names.dedup();
        let mut each = pairs();
        let only = each.next().filter(|_| each.next().is_none());
        Self {
            path: xxh3_64_with_seed(page.as_bytes(), seed),
            names,
            is_paging: only.is_some_and(|pair| is_paging(url.path(), pair)),
        }
    }
}

/// The fingerprint of a parameter's name.
pub(super) fn name_key(pair: &str) -> u64 {
    let name = pair.split_once('=').map_or(pair, |(name, _)| name);
    xxh3_64_with_seed(name.as_bytes(), 0)
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

impl PathPlace {
    fn of(url: UrlRef<'_>, seed: u64) -> Option<Self> {
        let (folder, last) = url.path().trim_end_matches('/').rsplit_once('/')?;
        let last = LastSegment::of(last);
        let mut shape = xxh3_64_with_seed(url.authority().as_bytes(), seed ^ last as u64);
        for segment in folder.split('/').skip(1).take(MAX_FOLDERS) {
            let has_digit = segment.bytes().any(|byte| byte.is_ascii_digit());
            let segment = if has_digit { "0" } else { segment };
            shape = xxh3_64_with_seed(segment.as_bytes(), shape);
        }
        Some(Self { shape, last })
    }
}

impl LastSegment {
    fn of(segment: &str) -> Self {
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        if !segment.bytes().any(|byte| is_digit(&byte)) {
            return Self::Words;
        }
        let name = segment.split_once('.').map_or(segment, |(name, _)| name);
        let changes = name
            .as_bytes()
            .windows(2)
            .filter(|pair| is_digit(&pair[0]) != is_digit(&pair[1]));
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if plain && name.len() >= 8 && changes.count() >= 3 {
            Self::Token
        } else {
            Self::Numbered
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Option<Place> {
        Place::of(UrlRef::split(text).unwrap(), 9, 1)
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
            ("http://a/maze/x1/quiet-door", "http://a/maze/x2/loud-door"),
            ("http://a/a/b/c/d/e/page", "http://a/a/b/c/x/y/z/page"),
        ] {
            assert!(leads_to_more_of_the_same(from, to), "{from} {to}");
        }
        for (from, to) in [
            ("http://a/shop?color=red", "http://a/shop?size=m"),
            ("http://a/shop?color=red", "http://a/other?color=red"),
            ("http://a/list?page=2", "http://a/item/3"),
            ("http://a/cal/2026/11", "http://a/list?page=1"),
            ("http://a/maze/quiet-door", "http://a/maze/7"),
            ("http://a/x", "http://b/x"),
        ] {
            assert!(!leads_to_more_of_the_same(from, to), "{from} {to}");
        }
        assert_eq!(place("http://a/"), place("http://a"));
        let near = Place::of(UrlRef::split("http://a/b/c").unwrap(), 1, 1);
        assert_eq!(near, None, "most pages have no place");
    }

    #[test]
    fn last_segments() {
        for (segment, kind) in [
            ("about-us", LastSegment::Words),
            ("17", LastSegment::Numbered),
            ("page-17.html", LastSegment::Numbered),
            ("10-best-shoes", LastSegment::Numbered),
            ("iphone12", LastSegment::Numbered),
            ("8f3ac91be0", LastSegment::Token),
        ] {
            assert_eq!(LastSegment::of(segment), kind, "{segment}");
        }
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
