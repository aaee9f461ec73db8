//! Fetches single pages and extracts their content.

use std::sync::Arc;

use crawler_engine::{Document, Part, Scraper, Stop};
use crawler_fetch::RequestedUrl;
use crawler_model::{DEFAULT_USER_AGENT, JsPolicy, RequestSpec, ScrapePlan};

use crate::request_options::request_options;
use crate::wiring::{self, GivenHosts, PageFetch};
use crate::{Error, ScrapeError};

/// Fetches a page and extracts its main content: redirects are followed, robots.txt is obeyed, temporary failures are
/// retried up to three times.
///
/// Use [`Scrape`] to set options.
pub async fn scrape(url: &str) -> Result<Document, Error> {
    Scrape::new(url).run().await
}

/// One page to fetch and extract: set options, then call [`run`](Self::run) or [`run_blocking`](Self::run_blocking).
///
/// Options are checked when the scrape starts.
#[derive(Clone, Debug)]
#[must_use = "a scrape does nothing until it is run"]
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
    pub fn whole_page(mut self) -> Self {
        self.part = Part::Whole;
        self
    }

    request_options!(spec);

    /// Sets whether the page is rendered in headless Chromium (`--js`).
    #[cfg(feature = "render")]
    pub fn js(mut self, policy: JsPolicy) -> Self {
        self.js = policy;
        self
    }

    /// Fetches the page and extracts its content. A page with an error status is a document too; check its
    /// [`status`](Document::status) or its [`error`](Document::error).
    ///
    /// # Panics
    ///
    /// If called outside of a tokio runtime.
    pub async fn run(self) -> Result<Document, Error> {
        let plan = ScrapePlan::resolve(&self.spec, DEFAULT_USER_AGENT)?;
        let requested =
            RequestedUrl::parse(&self.url).map_err(|error| Error::invalid_url(&error))?;
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
        let response = response.map_err(ScrapeError::from)?;
        let part = self.part;
        // Extracting a large page takes a while and must not block the runtime.
        match tokio::task::spawn_blocking(move || Document::read(response, part)).await {
            Ok(document) => Ok(document.map_err(ScrapeError::from)?),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime is shutting down.
                Err(canceled) => Err(Error::Start(canceled.into())),
            },
        }
    }

    /// Like [`run`](Self::run), for a program without a tokio runtime.
    #[inline]
    pub fn run_blocking(self) -> Result<Document, Error> {
        let runtime = wiring::runtime(1).map_err(Error::Start)?;
        runtime.block_on(self.run())
    }
}
