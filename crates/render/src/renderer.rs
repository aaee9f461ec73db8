//! The browser as a fetcher.

use std::sync::Arc;

use fetch::{Fetch, FetchRequest, Fetched, HttpFetch};
use model::{FailKind, Failure};

use crate::{Chromium, RenderSettings};

/// Renders pages in a pool of tabs. The browser is started with the first page. Shared behind an `Arc`.
#[derive(Debug)]
pub struct Renderer {
    settings: RenderSettings,
}

/// How the browser is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BrowserState {
    /// Not started: no page needed it yet, or it was put away.
    Asleep,
    /// Running.
    Running,
    /// It cannot be started, and why; tried again after a pause.
    Down(String),
}

/// A renderer's numbers since its start.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RenderNumbers {
    /// Pages rendered.
    pub pages: u64,
    /// Pages that could not be.
    pub failed: u64,
    /// Browsers started.
    pub starts: u64,
    /// Browsers that died without being asked to.
    pub deaths: u64,
    /// Page processes that crashed or were ended for their memory.
    pub crashes: u64,
    /// Tabs at work now.
    pub busy: u64,
    /// Connections the guard refused.
    pub refused: u64,
}

impl Renderer {
    /// A renderer that dials, and sends headers, as this fetcher does. Starts nothing.
    pub fn new(chromium: Chromium, settings: RenderSettings, http: Arc<HttpFetch>) -> Self {
        let _ = (chromium, http);
        Self { settings }
    }

    /// How the browser is.
    pub fn state(&self) -> BrowserState {
        BrowserState::Asleep
    }

    /// Its numbers.
    pub fn numbers(&self) -> RenderNumbers {
        RenderNumbers::default()
    }

    /// Ends the browser and all its processes. What is in flight fails; a later page starts a new one.
    pub async fn close(&self) {}
}

impl Fetch for Renderer {
    async fn fetch(&self, _request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let _ = &self.settings;
        Err(Failure::new(FailKind::NoBrowser, "not yet"))
    }
}
