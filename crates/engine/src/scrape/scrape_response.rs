//! The response to a request for a single page.

use std::time::SystemTime;

use crawler_fetch::Fetched;
use crawler_weburl::CrawlUrl;

/// A response, after redirects.
#[derive(Clone, Debug)]
pub struct ScrapeResponse {
    /// The requested URL.
    pub requested: CrawlUrl,
    /// The URL after redirects.
    pub url: CrawlUrl,
    /// Number of redirects followed.
    pub hops: u32,
    /// Time of the fetch.
    pub fetched_at: SystemTime,
    /// The response itself.
    pub fetched: Fetched,
}
