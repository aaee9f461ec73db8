//! What came back for a page that was asked for by itself.

use std::time::SystemTime;

use fetch::Fetched;
use weburl::CrawlUrl;

/// An answer, at the end of its redirects.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The URL that was asked for.
    pub requested: CrawlUrl,
    /// Where the answer was found.
    pub url: CrawlUrl,
    /// Redirects walked to get there.
    pub hops: u32,
    /// When.
    pub fetched_at: SystemTime,
    /// The answer itself.
    pub fetched: Fetched,
}
