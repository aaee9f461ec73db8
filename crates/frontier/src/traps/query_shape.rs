//! Queries that make many URLs out of one path: a handful of facets makes millions, and a list that
//! always has a next page never ends.

use crawler_weburl::{UrlKey, UrlRef};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Combinations of three and more parameters on one path.
const MAX_COMBINATIONS: u32 = 200;
/// Combinations of two parameters on one path: forums and shops have many honest ones.
const MAX_PAIRS: u32 = 1_000;
/// Numbers of one paging parameter on one path.
const MAX_PAGES: u32 = 1_000;

/// Parameters that say how far down a list one is, when they are alone and have a number.
const PAGING_NAMES: [&str; 9] = [
    "page", "p", "pg", "paged", "pagenum", "offset", "start", "skip", "from",
];

/// A query of two and more parameters, whatever their order, or of one that turns pages.
#[derive(Debug)]
pub(super) struct QueryShape {
    /// What its URLs are counted under.
    pub(super) place: u64,
    /// The whole URL with its parameters sorted.
    pub(super) sorted: UrlKey,
    /// How many of them are followed.
    pub(super) most: u32,
}

impl QueryShape {
    pub(super) fn of(url: UrlRef<'_>, seed: u64) -> Option<Self> {
        let query = url.query()?;
        let mut pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
        let page = &url.as_str()[..url.as_str().len() - url.query_with_mark().len()];
        let path = xxh3_64_with_seed(page.as_bytes(), seed);
        let (place, most) = match pairs[..] {
            [] => return None,
            [one] => {
                let name = paging_name(url.path(), one)?;
                (xxh3_64_with_seed(name.as_bytes(), path), MAX_PAGES)
            }
            [_, _] => (path, MAX_PAIRS),
            _ => (path, MAX_COMBINATIONS),
        };
        pairs.sort_unstable();
        let sorted = pairs
            .iter()
            .fold(path, |key, pair| xxh3_64_with_seed(pair.as_bytes(), key));
        Some(Self {
            place,
            sorted: UrlKey(sorted),
            most,
        })
    }
}

/// The name of a parameter that turns pages.
fn paging_name<'q>(path: &str, pair: &'q str) -> Option<&'q str> {
    let (name, value) = pair.split_once('=')?;
    let known = PAGING_NAMES
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known));
    let digits = value.strip_prefix('-').unwrap_or(value);
    let numbered = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // WordPress names its articles so, and a site may have many thousands.
    let is_article = name == "p" && matches!(path, "/" | "/index.php");
    (known && numbered && !is_article).then_some(name)
}
