//! Fetches by HTTP only, in a build without the feature `render`.

use crawler_fetch::{Fetch, FetchRequest, FetchSetupError, Fetched, Guard, HttpFetch};
use crawler_model::{Failure, FetchRules};

use super::{BrowserMissing, BrowserOptions, GivenHosts, RenderTotals};

/// A browser that was located. Uninhabited: this build has no browser.
#[derive(Debug)]
pub(super) enum LocatedBrowser {}

impl LocatedBrowser {
    /// Fails: this build cannot render pages.
    pub(super) fn find(_options: BrowserOptions) -> Result<Self, BrowserMissing> {
        Err(BrowserMissing {
            message: "this build cannot render pages; rebuild with --features render".to_owned(),
            not_built: true,
        })
    }
}

/// Returns the maximum number of pages that a crawl renders at once: this build has no browser.
pub fn max_tabs() -> usize {
    0
}

/// Fetches pages by HTTP.
#[derive(Debug)]
pub(super) struct Backend(HttpFetch);

impl Backend {
    /// Creates a fetcher for this many pages at once.
    #[expect(
        clippy::unused_async,
        reason = "the version with a browser resolves names"
    )]
    pub(super) async fn new(
        _browser: Option<LocatedBrowser>,
        rules: &FetchRules,
        concurrency: usize,
        _given: &GivenHosts,
    ) -> Result<Self, FetchSetupError> {
        let sniff = crawler_html::looks_like_html;
        HttpFetch::new(rules, concurrency, Guard::anywhere(), sniff).map(Self)
    }

    /// Does nothing: there is no browser to close.
    #[expect(
        clippy::unused_async,
        reason = "the version with a browser waits for it to close"
    )]
    pub(super) async fn close(&self) -> RenderTotals {
        RenderTotals::default()
    }
}

impl Fetch for Backend {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        self.0.fetch(request).await
    }
}
