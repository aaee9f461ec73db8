//! Combinations of query parameters: a handful of facets makes millions of URLs.

use weburl::{UrlKey, UrlRef};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A query of two and more parameters, whatever their order.
#[derive(Debug)]
pub(super) struct QueryShape {
    /// The path it belongs to.
    pub(super) path: u64,
    /// The whole URL with its parameters sorted.
    pub(super) sorted: UrlKey,
    /// Three and more parameters.
    pub(super) many: bool,
}

impl QueryShape {
    pub(super) fn of(url: UrlRef<'_>, seed: u64) -> Option<Self> {
        let query = url.query()?;
        let mut pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
        if pairs.len() < 2 {
            return None;
        }
        pairs.sort_unstable();
        let page = &url.as_str()[..url.as_str().len() - url.query_with_mark().len()];
        let path = xxh3_64_with_seed(page.as_bytes(), seed);
        let sorted = pairs
            .iter()
            .fold(path, |key, pair| xxh3_64_with_seed(pair.as_bytes(), key));
        Some(Self {
            path,
            sorted: UrlKey(sorted),
            many: pairs.len() > 2,
        })
    }
}
