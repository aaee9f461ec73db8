//! Fetches by HTTP, and by a browser if a page needs one.
//!
//! The browser is located before anything is fetched, started by the first page that needs it, and closed at the end. `CHROME`
//! names the program.

use std::sync::Arc;
use std::thread::available_parallelism;

use crawler_fetch::{Fetch, FetchRequest, FetchSetupError, Fetched, Guard, HttpFetch};
use crawler_model::{Failure, FetchRules};
use crawler_render::{Chromium, EscalatingFetch, RenderSettings, Renderer};

use super::{BrowserMissing, BrowserOptions, GivenHosts, RenderTotals};

/// Maximum number of tabs.
const MAX_TABS: usize = 8;
/// More than one, because pages mostly wait for the network.
const TABS_PER_CORE: usize = 2;

/// A browser that was located but not started.
#[derive(Debug)]
pub(super) struct LocatedBrowser {
    chromium: Chromium,
    settings: RenderSettings,
}

impl LocatedBrowser {
    /// Locates the browser.
    pub(super) fn find(options: BrowserOptions) -> Result<Self, BrowserMissing> {
        let chromium = Chromium::find(None).map_err(|missing| BrowserMissing {
            message: missing.to_string(),
            not_built: false,
        })?;
        let defaults = RenderSettings::default();
        let nav_timeout = defaults.nav_timeout.max(options.timeout);
        let settings = RenderSettings {
            tabs: tabs(options.concurrency),
            nav_timeout: options.nav_timeout.unwrap_or(nav_timeout),
            user_agent: options.user_agent,
            max_body: options.max_body,
            sandbox: options.sandbox,
            budgets: options.budgets,
            ..defaults
        };
        Ok(Self { chromium, settings })
    }
}

/// Fetches pages by HTTP, and by the browser if there is one.
#[derive(Debug)]
pub(super) struct Backend(EscalatingFetch);

impl Backend {
    /// Creates a fetcher for this many pages at once.
    pub(super) async fn new(
        browser: Option<LocatedBrowser>,
        rules: &FetchRules,
        concurrency: usize,
        given: &GivenHosts,
    ) -> Result<Self, FetchSetupError> {
        let fetcher = |concurrency, guard| {
            let sniff = crawler_html::looks_like_html;
            HttpFetch::new(rules, concurrency, guard, sniff).map(Arc::new)
        };
        let http = fetcher(concurrency, Guard::anywhere())?;
        let renderer = match browser {
            None => Err("rendering is off".to_owned()),
            Some(browser) => {
                let allowed = given.allowed(rules).await;
                let http = fetcher(browser.settings.tabs, Guard::new(false, allowed))?;
                Ok(Renderer::new(browser.chromium, browser.settings, http))
            }
        };
        Ok(Self(EscalatingFetch::new(
            http,
            renderer,
            crawler_html::render_need,
            crawler_html::rendering_helped,
        )))
    }

    /// Closes the browser with all of its processes.
    pub(super) async fn close(&self) -> RenderTotals {
        let Some(renderer) = self.0.renderer() else {
            return RenderTotals::default();
        };
        renderer.close().await;
        let (numbers, unrendered) = (renderer.numbers(), self.0.unrendered_pages());
        RenderTotals {
            pages: numbers.pages,
            never_started: numbers.starts == 0 && unrendered.pages > 0,
            unrendered: unrendered.pages,
            message: unrendered.message,
        }
    }
}

impl Fetch for Backend {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        self.0.fetch(request).await
    }
}

/// Returns the maximum number of pages that a crawl on this machine renders at once.
pub fn max_tabs() -> usize {
    let cores = available_parallelism().map_or(1, std::num::NonZero::get);
    (cores * TABS_PER_CORE).clamp(TABS_PER_CORE, MAX_TABS)
}

fn tabs(concurrency: usize) -> usize {
    max_tabs().min(concurrency).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_never_more_tabs_than_pages_in_flight() {
        assert_eq!(tabs(1), 1);
        assert!((1..=2).contains(&tabs(2)));
        assert!((2..=MAX_TABS).contains(&tabs(1_000)));
    }
}
