//! The seam itself: what is asked, and the one verb.

use model::{Failure, JsPolicy};
use weburl::{CrawlUrl, UrlError, Userinfo};

use crate::Fetched;

/// What to get.
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    /// The URL; its own origin decides which credentials go along.
    pub url: &'a CrawlUrl,
    /// What is wanted of the answer.
    pub want: Want,
    /// On whose behalf; `None`: the seed's.
    pub asked: Option<&'a Asked>,
    /// Whether a browser may, or must, have part in it.
    pub js: JsPolicy,
    /// Whose request this is: a browser keeps nothing of one visit for another.
    pub visit: u64,
}

impl<'a> FetchRequest<'a> {
    /// A request of a crawl, which knows its seed.
    pub fn new(url: &'a CrawlUrl, want: Want) -> Self {
        Self {
            url,
            want,
            asked: None,
            js: JsPolicy::Never,
            visit: 0,
        }
    }
}

/// A URL that somebody typed, and that led to a request: the caller's headers and the URL's own
/// credentials go to its origin and nowhere else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The URL.
    pub url: CrawlUrl,
    /// The credentials it was typed with.
    pub userinfo: Option<Userinfo>,
}

impl Asked {
    /// From what was typed.
    pub fn parse(typed: &str) -> Result<Self, UrlError> {
        Ok(Self {
            url: CrawlUrl::parse(typed)?,
            userinfo: Userinfo::of(typed),
        })
    }
}

/// What is wanted of an answer's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// A page: the body of anything but HTML is never read.
    Page,
    /// Whatever can be read as text: HTML, plain text, JSON, or what names no type; error pages too.
    Document,
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
