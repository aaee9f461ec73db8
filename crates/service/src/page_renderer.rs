//! Renders pages with a browser of this process, or asks the render process.

use std::sync::Arc;

use crawler_fetch::{Fetch, FetchRequest, Fetched};
use crawler_model::Failure;
use crawler_render::{BrowserState, RemoteRenderer, RenderCounts, Renderer};

/// Renders pages here, or asks the render process.
#[derive(Clone, Debug)]
pub enum PageRenderer {
    /// In a browser of this process.
    Here(Arc<Renderer>),
    /// In the render process.
    Elsewhere(Arc<RemoteRenderer>),
}

impl PageRenderer {
    /// Returns the state of the browser, and its counters.
    pub(crate) async fn status(&self) -> (BrowserState, RenderCounts) {
        match self {
            Self::Here(renderer) => (renderer.state(), renderer.numbers()),
            Self::Elsewhere(renderer) => renderer.status().await,
        }
    }
}

impl Fetch for PageRenderer {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        match self {
            Self::Here(renderer) => renderer.fetch(request).await,
            Self::Elsewhere(renderer) => renderer.fetch(request).await,
        }
    }
}
