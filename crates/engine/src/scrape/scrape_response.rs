//! The response to a request for a single page.

use std::time::SystemTime;

use crawler_fetch::Fetched;
use crawler_weburl::CrawlUrl;

/// A response, at the end of its redirects.
#[derive(Clone, Debug)]
pub struct ScrapeResponse {
    /// The URL that was requested.
    pub requested: CrawlUrl,
    /// Where the response came from.
    pub url: CrawlUrl,
    /// Redirects followed to get there.
    pub hops: u32,
    /// When it was fetched.
    pub fetched_at: SystemTime,
    /// The response itself.
    pub fetched: Fetched,
}
