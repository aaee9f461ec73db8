//! The fetcher of `/v1/scrape`: limits the number of concurrent requests over all hosts, and how long one waits for its turn.
//!
//! A page waits for what it uses: a slot of the process while it is fetched by HTTP, a tab of the browser while it is rendered. A
//! page that waits for a tab holds no slot.

use std::pin::pin;
use std::sync::Arc;

use crawler_fetch::{Accept, Fetch, FetchRequest, Fetched, Guard, HttpFetch};
use crawler_model::{Failure, JsPolicy};
use crawler_render::EscalatingFetch;
use tokio::sync::{Notify, Semaphore};

use super::scrape_turn::{self, Awaited};
use crate::{PageRenderer, SharedBrowser};

/// Fetches and renders pages, each when it is its turn.
#[derive(Debug)]
pub(super) struct BoundedFetch {
    fetch: EscalatingFetch<SlotFetch, TurnRenderer>,
    http: Arc<HttpFetch>,
    guard: Guard,
}

impl BoundedFetch {
    pub(super) fn new(
        browser: &SharedBrowser,
        http: Arc<HttpFetch>,
        guard: Guard,
        max_requests: usize,
    ) -> Self {
        let slots = SlotFetch {
            http: Arc::clone(&http),
            slots: Semaphore::new(max_requests),
        };
        let turns = |renderer| Arc::new(TurnRenderer { renderer });
        Self {
            fetch: browser.fetch_with(Arc::new(slots), turns),
            http,
            guard,
        }
    }
}

impl Fetch for BoundedFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if self.guard.refuses(request.url.parts()) {
            // The dialer refuses the address; rendering would fail in the same way.
            let js = JsPolicy::Never;
            return self.http.fetch(FetchRequest { js, ..request }).await;
        }
        self.fetch.fetch(request).await
    }
}

/// Limits concurrent requests by HTTP in total. The scraper's gate limits each host before that, so requests that wait for a slow
/// host take none of these slots.
#[derive(Debug)]
struct SlotFetch {
    http: Arc<HttpFetch>,
    slots: Semaphore,
}

impl Fetch for SlotFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        // Never closed, so acquiring never fails.
        let _slot = scrape_turn::wait(Awaited::Process, self.slots.acquire()).await?;
        if !matches!(request.accept, Accept::File { .. }) {
            scrape_turn::note_fetch();
        }
        self.http.fetch(request).await
    }
}

/// Renders a page when there is a tab for it.
#[derive(Debug)]
struct TurnRenderer {
    renderer: Arc<PageRenderer>,
}

impl Fetch for TurnRenderer {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let Some((meter, tab_owner)) = scrape_turn::tab() else {
            return self.renderer.fetch(request).await;
        };
        let taken = Arc::new(Notify::new());
        let is_taken = Arc::clone(&taken);
        let meter = meter.on_taken(move || {
            scrape_turn::note_fetch();
            is_taken.notify_one();
        });
        let request = FetchRequest {
            tab_owner,
            tab_meter: Some(&meter),
            ..request
        };
        let mut rendering = pin!(self.renderer.fetch(request));
        let waiting = async {
            tokio::select! {
                // First: it takes the tab.
                biased;
                page = &mut rendering => Some(page),
                () = taken.notified() => None,
            }
        };
        match scrape_turn::wait(Awaited::Tab, waiting).await? {
            Some(page) => page,
            None => rendering.await,
        }
    }
}
