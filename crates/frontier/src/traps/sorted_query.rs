//! Queries with the same parameters in another order are one page.

use crawler_weburl::{UrlKey, UrlRef};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::place::page_of;

/// The key of a URL with its parameters sorted, if it has several.
pub(super) fn sorted_key(url: UrlRef<'_>, seed: u64) -> Option<UrlKey> {
    let query = url.query().filter(|query| query.contains('&'))?;
    let mut pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    pairs.sort_unstable();
    let key = pairs.iter().fold(
        xxh3_64_with_seed(page_of(url).as_bytes(), seed),
        |key, pair| xxh3_64_with_seed(pair.as_bytes(), key),
    );
    Some(UrlKey(key))
}
