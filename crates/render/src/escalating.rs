//! From HTTP to the browser, page by page.

use std::sync::Arc;

use fetch::{Fetch, FetchRequest, Fetched, HttpFetch};
use model::{Failure, RenderNeed};

use crate::Renderer;

/// Fetches by HTTP and escalates to the browser where that is asked for or needed.
#[derive(Debug)]
pub struct Escalating {
    http: Arc<HttpFetch>,
    renderer: Option<Arc<Renderer>>,
}

impl Escalating {
    /// Over a fetcher and, where there is one, a renderer. `need` judges a page: its bytes and its content type.
    pub fn new(
        http: Arc<HttpFetch>,
        renderer: Option<Arc<Renderer>>,
        _need: fn(&[u8], Option<&str>) -> RenderNeed,
    ) -> Self {
        Self { http, renderer }
    }

    /// The renderer, if there is one.
    pub fn renderer(&self) -> Option<&Arc<Renderer>> {
        self.renderer.as_ref()
    }
}

impl Fetch for Escalating {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        self.http.fetch(request).await
    }
}
