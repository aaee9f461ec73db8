//! The fetcher of a crawl or a scrape, whether or not this build can render pages.

use crawler_fetch::{Fetch, FetchRequest, FetchSetupError, Fetched};
use crawler_model::{Failure, FetchRules};

use super::browser::{Backend, LocatedBrowser};
use super::{BrowserMissing, BrowserOptions, GivenHosts, RenderTotals};

/// A browser that was located but not started.
#[derive(Debug)]
pub struct Browser(LocatedBrowser);

impl Browser {
    /// Locates the browser. Always fails in a build without the feature `render`.
    pub fn find(options: BrowserOptions) -> Result<Self, BrowserMissing> {
        LocatedBrowser::find(options).map(Self)
    }
}

/// Fetches pages by HTTP, and by the browser if there is one.
#[derive(Debug)]
pub struct PageFetch(Backend);

impl PageFetch {
    /// Creates a fetcher for this many pages at once.
    ///
    /// HTTP requests can go to any address, since the user chose the URL. What a rendered page loads is chosen by the page, so
    /// it can reach only those private addresses that were given.
    pub async fn new(
        browser: Option<Browser>,
        rules: &FetchRules,
        concurrency: usize,
        given: &GivenHosts,
    ) -> Result<Self, FetchSetupError> {
        let browser = browser.map(|browser| browser.0);
        Backend::new(browser, rules, concurrency, given)
            .await
            .map(Self)
    }

    /// Closes the browser with all of its processes.
    pub async fn close(&self) -> RenderTotals {
        self.0.close().await
    }
}

impl Fetch for PageFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        self.0.fetch(request).await
    }
}
