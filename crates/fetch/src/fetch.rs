//! The [`Fetch`] trait and its request.

use crawler_model::{Failure, JsPolicy};
use crawler_weburl::{CrawlUrl, UrlError, Userinfo};

use crate::{Fetched, TabMeter};

/// One request to a [`Fetch`].
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    /// The URL; its origin decides which credentials are sent.
    pub url: &'a CrawlUrl,
    /// What to read of the response.
    pub accept: Accept,
    /// The URL requested by the caller; `None`: the seed of the crawl.
    pub requested: Option<&'a RequestedUrl>,
    /// Whether a browser may, or must, render the page.
    pub js: JsPolicy,
    /// Requests of different visits never share browser state.
    pub visit: u64,
    /// Whose request it is: owners take turns at the tabs of a browser.
    pub tab_owner: u64,
    /// What the time of a browser tab is counted with.
    pub tab_meter: Option<&'a TabMeter>,
}

impl<'a> FetchRequest<'a> {
    /// Creates a request that never uses a browser.
    pub fn new(url: &'a CrawlUrl, accept: Accept) -> Self {
        Self {
            url,
            accept,
            requested: None,
            js: JsPolicy::Never,
            visit: 0,
            tab_owner: 0,
            tab_meter: None,
        }
    }
}

/// A URL requested by the caller. The caller's headers and the credentials in the URL are sent to its origin only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestedUrl {
    /// The URL.
    pub url: CrawlUrl,
    /// Credentials that were part of the URL.
    pub userinfo: Option<Userinfo>,
}

impl RequestedUrl {
    /// Parses a URL as typed, with or without credentials.
    pub fn parse(typed: &str) -> Result<Self, UrlError> {
        Ok(Self {
            url: CrawlUrl::parse(typed)?,
            userinfo: Userinfo::of(typed),
        })
    }
}

/// Which bodies are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Accept {
    /// Only HTML pages.
    Page,
    /// Anything textual: HTML, plain text, JSON, or no content type; error pages too.
    Document,
    /// Any type, for a file such as robots.txt or a sitemap.
    File {
        /// Maximum number of decoded bytes; the rest is cut off.
        max_bytes: u64,
    },
}

/// Fetches one URL. Dropping the future cancels the request and closes its connection.
pub trait Fetch: Send + Sync + 'static {
    /// Returns the response, or why there is none. A status of 400 or above is a response, not a failure.
    fn fetch(
        &self,
        request: FetchRequest<'_>,
    ) -> impl Future<Output = Result<Fetched, Failure>> + Send;
}
