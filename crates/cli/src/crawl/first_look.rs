//! A look at a site's first page: whether it seems to need a browser, for a hint to those who did not ask for one.

use std::sync::OnceLock;

use fetch::{Body, Fetch, FetchRequest, Fetched, Want};
use model::{Failure, JsPolicy, RenderNeed};

/// Fetches, and judges the first page that comes.
#[derive(Debug)]
pub(super) struct FirstLook<T> {
    pub(super) fetch: T,
    needs_browser: OnceLock<bool>,
}

impl<T> FirstLook<T> {
    pub(super) fn new(fetch: T) -> Self {
        Self {
            fetch,
            needs_browser: OnceLock::new(),
        }
    }

    /// Whether the first page seemed to need a browser and had none.
    pub(super) fn needs_browser(&self) -> bool {
        self.needs_browser.get().copied().unwrap_or(false)
    }

    fn look(&self, fetched: &Fetched) {
        let Body::Html(body) = &fetched.body else {
            return;
        };
        if (200..300).contains(&fetched.status) {
            self.needs_browser.get_or_init(|| {
                let need = html::render_need(body, fetched.content_type.as_deref());
                need != RenderNeed::Plain
            });
        }
    }
}

impl<T: Fetch> Fetch for FirstLook<T> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let fetched = self.fetch.fetch(request).await?;
        if request.js == JsPolicy::Never && request.want == Want::Page {
            self.look(&fetched);
        }
        Ok(fetched)
    }
}
