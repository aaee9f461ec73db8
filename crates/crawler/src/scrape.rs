//! Fetches single pages and extracts their content.

use std::sync::Arc;
use std::time::Duration;

use crawler_engine::{Document, Part, Scraper, Stop};
use crawler_fetch::RequestedUrl;
use crawler_model::{DEFAULT_USER_AGENT, JsPolicy, RequestSpec, RobotsPolicy, ScrapePlan};

use crate::Error;
use crate::wiring::{self, GivenHosts, PageFetch};

/// Fetches a page and extracts its main content: redirects are followed, robots.txt is obeyed, temporary failures are
/// retried up to three times.
///
/// Use [`Scrape`] to set options.
pub async fn scrape(url: &str) -> Result<Document, Error> {
    Scrape::new(url).run().await
}

/// One page to fetch and extract: set options, then call [`run`](Self::run) or [`run_blocking`](Self::run_blocking).
#[derive(Clone, Debug)]
pub struct Scrape {
    url: String,
    spec: RequestSpec,
    js: JsPolicy,
    part: Part,
}

impl Scrape {
    /// Creates a scrape of the page at this URL.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            spec: RequestSpec::default(),
            js: JsPolicy::Never,
            part: Part::Main,
        }
    }

    /// Extracts the whole body instead of the main content (`--main-content false`).
    #[must_use]
    pub fn whole_page(mut self) -> Self {
        self.part = Part::Whole;
        self
    }

    /// Sets the time limit for one request (`--timeout`).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = Some(timeout);
        self
    }

    /// Sets whether robots.txt is obeyed (`--robots`).
    #[must_use]
    pub fn robots(mut self, policy: RobotsPolicy) -> Self {
        self.spec.robots = policy;
        self
    }

    /// Sets the User-Agent header; robots.txt is matched on the part before `/` or a space (`--user-agent`).
    #[must_use]
    pub fn user_agent(mut self, agent: impl Into<String>) -> Self {
        self.spec.user_agent = Some(agent.into());
        self
    }

    /// Adds a header, sent to the page's origin only; call it again for more (`--header`).
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.spec.headers.push((name.into(), value.into()));
        self
    }

    /// Sets whether the page is rendered in headless Chromium (`--js`).
    #[cfg(feature = "render")]
    #[must_use]
    pub fn js(mut self, policy: JsPolicy) -> Self {
        self.js = policy;
        self
    }

    /// Fetches the page and extracts its content. A page with an error status is a document too; check its
    /// [`status`](Document::status).
    pub async fn run(self) -> Result<Document, Error> {
        let plan = ScrapePlan::resolve(&self.spec, DEFAULT_USER_AGENT)?;
        let requested =
            RequestedUrl::parse(&self.url).map_err(|error| Error::BadUrl(error.to_string()))?;
        let browser = wiring::browser(self.js, &plan.fetch, self.spec.user_agent, 1)?;
        let given = GivenHosts::of([&requested.url]);
        let fetch = Arc::new(PageFetch::new(browser, &plan.fetch, 1, &given).await?);
        let scraper = Scraper::new(
            Arc::clone(&fetch),
            plan,
            wiring::random_number(),
            Stop::new(),
            |_notice| (),
        );
        let response = scraper.get(&requested, self.js).await;
        fetch.close().await;
        let response = response.map_err(Error::Scrape)?;
        let part = self.part;
        // Extracting a large page takes a while and must not block the runtime.
        match tokio::task::spawn_blocking(move || Document::read(response, part)).await {
            Ok(document) => document.map_err(Error::Scrape),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Like [`run`](Self::run), for a program without a tokio runtime.
    pub fn run_blocking(self) -> Result<Document, Error> {
        wiring::runtime(1)?.block_on(self.run())
    }
}
