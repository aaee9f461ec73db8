//! Checks whether a site's first page seems to need a browser, for a hint if `--js` was not given.

use std::sync::OnceLock;

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, Fetched};
use crawler_model::site_rules::PageStatus;
use crawler_model::{Failure, JsPolicy, RenderNeed};

/// A fetcher that inspects the first page it fetches.
#[derive(Debug)]
pub(super) struct FirstPageProbe<T> {
    pub(super) fetch: T,
    needs_browser: OnceLock<bool>,
}

impl<T> FirstPageProbe<T> {
    pub(super) fn new(fetch: T) -> Self {
        Self {
            fetch,
            needs_browser: OnceLock::new(),
        }
    }

    /// Whether the first page seems to need a browser and was fetched without one.
    pub(super) fn needs_browser(&self) -> bool {
        self.needs_browser.get().copied().unwrap_or(false)
    }

    fn inspect(&self, fetched: &Fetched) {
        let Body::Html(body) = &fetched.body else {
            return;
        };
        if fetched.page_status() == PageStatus::Success {
            self.needs_browser.get_or_init(|| {
                let need = crawler_html::render_need(body, fetched.content_type.as_deref());
                need != RenderNeed::Plain
            });
        }
    }
}

impl<T: Fetch> Fetch for FirstPageProbe<T> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let fetched = self.fetch.fetch(request).await?;
        if request.js == JsPolicy::Never && request.accept == Accept::Page {
            self.inspect(&fetched);
        }
        Ok(fetched)
    }
}
