//! Crawls a site: sets options, then runs.

use std::sync::Arc;
use std::time::Duration;

use crawler_engine::{Progress, Stop};
use crawler_frontier::{MemoryFrontier, Moment};
use crawler_model::{CrawlPlan, CrawlSpec, DEFAULT_USER_AGENT, Profile, SitemapPolicy, Summary};
use crawler_weburl::{ScopeKind, SlashPolicy};

use crate::page_stream::PageSender;
use crate::request_options::request_options;
use crate::wiring::{self, Browser, GivenHosts, PageFetch};
use crate::{CrawlSummary, Error, Page, PageStream};

/// A crawl of one site: set options, then call [`run`](Self::run), [`stream`](Self::stream) or
/// [`run_blocking`](Self::run_blocking).
///
/// Options are checked when the crawl starts. Each one corresponds to a flag of the command line, named in parentheses.
#[derive(Clone, Debug)]
#[must_use = "a crawl does nothing until it is run"]
pub struct Crawl {
    spec: CrawlSpec,
}

impl Crawl {
    /// Creates a crawl that starts from this URL, with the defaults of [`Profile::Balanced`].
    pub fn new(url: impl Into<String>) -> Self {
        let spec = CrawlSpec {
            seed: url.into(),
            browser_tabs: Some(wiring::max_tabs()),
            ..CrawlSpec::default()
        };
        Self { spec }
    }

    /// Sets a preset of limits and politeness; every other option overrides it (`--profile`).
    pub fn profile(mut self, profile: Profile) -> Self {
        self.spec.profile = profile;
        self
    }

    /// Stops after this many pages, failures and redirects included; `None` is no limit (`--max-pages`).
    pub fn max_pages(mut self, pages: impl Into<Option<u64>>) -> Self {
        self.spec.max_pages = Some(pages.into().unwrap_or(0));
        self
    }

    /// Follows links up to this many hops from the seed: 0 fetches only the seed, `None` is no limit (`--max-depth`, where
    /// 0 is no limit).
    pub fn max_depth(mut self, depth: impl Into<Option<u32>>) -> Self {
        self.spec.max_depth = Some(depth.into().into());
        self
    }

    /// Stops after this long (`--max-duration`).
    pub fn max_duration(mut self, duration: Duration) -> Self {
        self.spec.max_duration = Some(duration);
        self
    }

    /// Stops after this many body bytes have been received, before decompression (`--max-bytes`).
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.spec.max_bytes = Some(bytes);
        self
    }

    /// Sets the number of pages in flight at once (`--workers`).
    pub fn workers(mut self, workers: usize) -> Self {
        self.spec.workers = Some(workers);
        self
    }

    /// Sets the minimum time between the starts of two requests (`--rate-ms`).
    pub fn min_interval(mut self, interval: Duration) -> Self {
        self.spec.min_interval = interval;
        self
    }

    /// Sets the minimum time between two requests for URLs below a path, such as `/search`; call it again for more
    /// (`--path-delay`).
    pub fn path_delay(mut self, path: impl Into<String>, delay: Duration) -> Self {
        self.spec.path_delays.push((path.into(), delay));
        self
    }

    /// Sets which URLs are in scope: the seed's host, its domain, or its path (`--scope`).
    pub fn scope(mut self, scope: ScopeKind) -> Self {
        self.spec.scope = Some(scope);
        self
    }

    /// Follows only URLs that match this regular expression; call it again for more (`--include`).
    pub fn include(mut self, pattern: impl Into<String>) -> Self {
        self.spec.include.push(pattern.into());
        self
    }

    /// Never follows URLs that match this regular expression; call it again for more (`--exclude`).
    pub fn exclude(mut self, pattern: impl Into<String>) -> Self {
        self.spec.exclude.push(pattern.into());
        self
    }

    /// Treats URLs that differ only in their query as one page (`--strip-query`).
    pub fn strip_query(mut self) -> Self {
        self.spec.strip_query = true;
        self
    }

    /// Sets whether URLs that differ only in a trailing slash are one page (`--trailing-slash`).
    pub fn trailing_slash(mut self, policy: SlashPolicy) -> Self {
        self.spec.slash = Some(policy);
        self
    }

    /// Sets whether URLs that look like crawler traps (endless calendars, session ids and the like) are avoided
    /// (`--traps`).
    pub fn traps(mut self, avoid: bool) -> Self {
        self.spec.traps = Some(avoid);
        self
    }

    /// Sets whether sitemaps are read (`--sitemaps`).
    pub fn sitemaps(mut self, policy: SitemapPolicy) -> Self {
        self.spec.sitemaps = policy;
        self
    }

    request_options!(spec.request);

    /// Also extracts the main content of each page: [`Page::document`].
    #[cfg(feature = "content")]
    pub fn documents(mut self) -> Self {
        self.spec.documents = Some(crawler_model::DocumentRules { error_pages: false });
        self
    }

    /// Sets whether pages are rendered in headless Chromium (`--js`).
    #[cfg(feature = "render")]
    pub fn js(mut self, policy: crate::JsPolicy) -> Self {
        self.spec.js = policy;
        self
    }

    /// Runs the crawl to its end, calls `on_page` with every finished page, and returns the totals.
    ///
    /// The future is `Send` if `on_page` is. Dropping it stops the crawl.
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub async fn run(self, mut on_page: impl FnMut(Page)) -> Result<CrawlSummary, Error> {
        let mut pages = self.stream()?;
        while let Some(page) = pages.next().await {
            on_page(page?);
        }
        pages.finish().await
    }

    /// Like [`run`](Self::run), for a program without a tokio runtime.
    pub fn run_blocking(self, on_page: impl FnMut(Page)) -> Result<CrawlSummary, Error> {
        let runtime = wiring::runtime(usize::MAX).map_err(Error::Start)?;
        runtime.block_on(self.run(on_page))
    }

    /// Starts the crawl and returns its pages as they finish. Dropping the stream stops the crawl.
    ///
    /// # Errors
    ///
    /// If an option is invalid, or if pages should be rendered and there is no browser.
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    // Compiled by the program that calls it: the command line builds its own crawl.
    #[inline]
    pub fn stream(self) -> Result<PageStream, Error> {
        let random = wiring::random_number();
        let plan = CrawlPlan::resolve(&self.spec, DEFAULT_USER_AGENT, random)?;
        let agent = self.spec.request.user_agent;
        let browser = wiring::browser(plan.js, &plan.fetch, agent, plan.workers)?;
        Ok(PageStream::start(|output, stop| {
            drive(plan, browser, random, output, stop)
        }))
    }
}

async fn drive(
    plan: CrawlPlan,
    browser: Option<Browser>,
    random: u64,
    output: PageSender,
    stop: Stop,
) -> Result<Summary, Error> {
    let given = GivenHosts::of([plan.seed()]);
    let fetch = PageFetch::new(browser, &plan.fetch, plan.workers, &given).await?;
    let fetch = Arc::new(fetch);
    let frontier = MemoryFrontier::new(&plan, random);
    let summary = wiring::drive(
        frontier,
        Moment::ZERO,
        Arc::clone(&fetch),
        plan.workers,
        output,
        stop,
        Arc::<Progress>::default(),
    )
    .await;
    fetch.close().await;
    summary
}
