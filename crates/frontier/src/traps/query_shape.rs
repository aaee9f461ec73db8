//! Queries that produce many URLs from one path: a handful of facets produces millions, and a list that
//! always has a next page never ends.

use crawler_weburl::{UrlKey, UrlRef};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Limit on combinations of three or more parameters on one path.
const MAX_COMBINATIONS: u32 = 200;
/// Limit on combinations of two parameters on one path: forums and shops have many legitimate ones.
const MAX_PAIRS: u32 = 1_000;
/// Limit on values of one paging parameter on one path.
const MAX_PAGES: u32 = 1_000;

/// Parameters that page through a list, if there is no other and the value is a number.
const PAGING_NAMES: [&str; 9] = [
    "page", "p", "pg", "paged", "pagenum", "offset", "start", "skip", "from",
];

/// A query of two or more parameters in any order, or of one paging parameter.
#[derive(Debug)]
pub(super) struct QueryShape {
    /// Key under which its URLs are counted.
    pub(super) count_key: u64,
    /// Key of the URL with its parameters sorted.
    pub(super) sorted: UrlKey,
    /// Limit on the URLs followed.
    pub(super) max: u32,
}

impl QueryShape {
    pub(super) fn of(url: UrlRef<'_>, seed: u64) -> Option<Self> {
        let query = url.query()?;
        let mut pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
        let page = &url.as_str()[..url.as_str().len() - url.query_with_mark().len()];
        let path = xxh3_64_with_seed(page.as_bytes(), seed);
        let (count_key, max) = match pairs[..] {
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
            count_key,
            sorted: UrlKey(sorted),
            max,
        })
    }
}

/// The name of the parameter, if it is a paging parameter.
fn paging_name<'q>(path: &str, pair: &'q str) -> Option<&'q str> {
    let (name, value) = pair.split_once('=')?;
    let known = PAGING_NAMES
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known));
    let digits = value.strip_prefix('-').unwrap_or(value);
    let numbered = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // WordPress numbers its articles this way, and a site may have many thousands.
    let is_article = name == "p" && matches!(path, "/" | "/index.php");
    (known && numbered && !is_article).then_some(name)
}
