//! Crawls a site: sets options, then runs.

use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::{MemoryFrontier, Moment};
use crawler_model::{
    CrawlPlan, CrawlSpec, DEFAULT_USER_AGENT, JsPolicy, Profile, RobotsPolicy, SitemapPolicy,
    Summary,
};
use crawler_weburl::ScopeKind;

use crate::wiring::{self, GivenHosts, PageFetch};
use crate::{Error, Page, PageStream};

/// A crawl of one site: set options, then call [`run`](Self::run), [`stream`](Self::stream) or
/// [`run_blocking`](Self::run_blocking).
///
/// Options are checked when the crawl starts.
#[derive(Clone, Debug)]
pub struct Crawl {
    spec: CrawlSpec,
}

impl Crawl {
    /// Creates a crawl that starts from this URL, with the defaults of [`Profile::Balanced`].
    pub fn new(url: impl Into<String>) -> Self {
        let spec = CrawlSpec {
            seed: url.into(),
            ..CrawlSpec::default()
        };
        Self { spec }
    }

    /// Sets a preset of limits and politeness; every other option overrides it (`--profile`).
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.spec.profile = profile;
        self
    }

    /// Stops after this many pages, failures and redirects included; 0 is no limit (`--max-pages`).
    #[must_use]
    pub fn max_pages(mut self, pages: u64) -> Self {
        self.spec.max_pages = Some(pages);
        self
    }

    /// Follows links up to this many hops from the seed; 0 is no limit (`--max-depth`).
    #[must_use]
    pub fn max_depth(mut self, depth: u32) -> Self {
        self.spec.max_depth = Some(depth);
        self
    }

    /// Stops after this long (`--max-duration`).
    #[must_use]
    pub fn max_duration(mut self, duration: Duration) -> Self {
        self.spec.max_duration = Some(duration);
        self
    }

    /// Sets the number of pages in flight at once (`--workers`).
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.spec.workers = Some(workers);
        self
    }

    /// Sets the minimum time between the starts of two requests (`--rate-ms`).
    #[must_use]
    pub fn rate(mut self, interval: Duration) -> Self {
        self.spec.rate = interval;
        self
    }

    /// Sets the time limit for one request (`--timeout`).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.request.timeout = Some(timeout);
        self
    }

    /// Sets which URLs are in scope: the seed's host, its domain, or its path (`--scope`).
    #[must_use]
    pub fn scope(mut self, scope: ScopeKind) -> Self {
        self.spec.scope = Some(scope);
        self
    }

    /// Follows only URLs that match this regular expression; call it again for more (`--include`).
    #[must_use]
    pub fn include(mut self, pattern: impl Into<String>) -> Self {
        self.spec.include.push(pattern.into());
        self
    }

    /// Never follows URLs that match this regular expression; call it again for more (`--exclude`).
    #[must_use]
    pub fn exclude(mut self, pattern: impl Into<String>) -> Self {
        self.spec.exclude.push(pattern.into());
        self
    }

    /// Sets whether robots.txt is obeyed (`--robots`).
    #[must_use]
    pub fn robots(mut self, policy: RobotsPolicy) -> Self {
        self.spec.request.robots = policy;
        self
    }

    /// Sets whether sitemaps are read (`--sitemaps`).
    #[must_use]
    pub fn sitemaps(mut self, policy: SitemapPolicy) -> Self {
        self.spec.sitemaps = policy;
        self
    }

    /// Sets the User-Agent header; robots.txt is matched on the part before `/` or a space (`--user-agent`).
    #[must_use]
    pub fn user_agent(mut self, agent: impl Into<String>) -> Self {
        self.spec.request.user_agent = Some(agent.into());
        self
    }

    /// Adds a header, sent to the seed's origin only; call it again for more (`--header`).
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.spec.request.headers.push((name.into(), value.into()));
        self
    }

    /// Also extracts the main content of each page: [`Page::document`].
    #[cfg(feature = "content")]
    #[must_use]
    pub fn documents(mut self) -> Self {
        self.spec.documents = Some(crawler_model::DocumentRules { error_pages: false });
        self
    }

    /// Sets whether pages are rendered in headless Chromium (`--js`).
    #[cfg(feature = "render")]
    #[must_use]
    pub fn js(mut self, policy: JsPolicy) -> Self {
        self.spec.js = policy;
        self
    }

    /// Runs the crawl to its end and calls `on_page` with every finished page.
    pub async fn run(self, mut on_page: impl FnMut(Page)) -> Result<Summary, Error> {
        let mut pages = self.stream()?;
        while let Some(page) = pages.next().await {
            on_page(page);
        }
        pages.finish().await
    }

    /// Like [`run`](Self::run), for a program without a tokio runtime.
    pub fn run_blocking(self, on_page: impl FnMut(Page)) -> Result<Summary, Error> {
        wiring::runtime(usize::MAX)?.block_on(self.run(on_page))
    }

    /// Starts the crawl and returns its pages as they finish. Dropping the stream stops the crawl.
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub fn stream(self) -> Result<PageStream, Error> {
        let random = wiring::random_number();
        let plan = CrawlPlan::resolve(&self.spec, DEFAULT_USER_AGENT, random)?;

        let browser = wiring::browser(
            plan.js,
            &plan.fetch,
            self.spec.request.user_agent,
            plan.workers,
        )?;
        let workers = match &browser {
            // More pages in flight would only wait for a tab.
            Some(browser) if plan.js == JsPolicy::Always => browser.tabs(),
            _ => plan.workers,
        };
        Ok(PageStream::start(async move |sink, stop| {
            let given = GivenHosts::of([plan.seed()]);
            let fetch = PageFetch::new(browser, &plan.fetch, workers, &given).await?;
            let fetch = Arc::new(fetch);
            let frontier = MemoryFrontier::new(&plan, random);
            let (driven, progress) = (Arc::clone(&fetch), Arc::default());
            let start = Moment::ZERO;
            let summary =
                wiring::drive(frontier, start, driven, workers, sink, stop, progress).await;
            fetch.close().await;
            summary
        }))
    }
}
