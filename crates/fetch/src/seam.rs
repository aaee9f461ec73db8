//! The seam itself: what is asked, and the one verb.

use model::Failure;
use weburl::CrawlUrl;

use crate::Fetched;

/// What to get.
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    /// The URL; its own origin decides which credentials go along.
    pub url: &'a CrawlUrl,
    /// What is wanted of the answer.
    pub want: Want,
}

/// What is wanted of an answer's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// A page: the body of anything but HTML is never read.
    Page,
    /// A file such as robots.txt or a sitemap: any type, decoded.
    File {
        /// Decoded bytes kept; the rest is cut.
        max_bytes: u64,
    },
}

/// Fetches one URL. Dropping the future gives up the request and its connection.
pub trait Fetch: Send + Sync + 'static {
    /// One answer, or why there is none. A status of 400 or above is an answer.
    fn fetch(
        &self,
        request: FetchRequest<'_>,
    ) -> impl Future<Output = Result<Fetched, Failure>> + Send;
}
