//! The fetcher of `/v1/scrape`: limits the number of concurrent requests over all hosts, and how long one waits for its turn.

use crawler_fetch::{Accept, Fetch, FetchRequest, Fetched, Guard};
use crawler_model::{Failure, JsPolicy};
use tokio::sync::Semaphore;

use super::scrape_turn::{self, Awaited};
use crate::RenderingFetch;

/// Limits concurrent requests in total. The scraper's gate limits each host before that, so requests that wait for a slow host
/// take none of these slots.
#[derive(Debug)]
pub(super) struct BoundedFetch {
    fetch: RenderingFetch,
    guard: Guard,
    slots: Semaphore,
}

impl BoundedFetch {
    pub(super) fn new(fetch: RenderingFetch, guard: Guard, max_requests: usize) -> Self {
        Self {
            fetch,
            guard,
            slots: Semaphore::new(max_requests),
        }
    }
}

impl Fetch for BoundedFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if self.guard.refuses(request.url.parts()) {
            // The dialer refuses the address; rendering would fail in the same way.
            let js = JsPolicy::Never;
            return self.fetch.fetch(FetchRequest { js, ..request }).await;
        }
        // Never closed, so acquiring never fails.
        let _slot = scrape_turn::wait(Awaited::Process, self.slots.acquire()).await?;
        if !matches!(request.accept, Accept::File { .. }) {
            scrape_turn::note_fetch();
        }
        let tab_wait = scrape_turn::tab_wait();
        let tab_meter = scrape_turn::tab_meter();
        self.fetch
            .fetch(FetchRequest {
                tab_wait,
                tab_meter: tab_meter.as_ref(),
                ..request
            })
            .await
    }
}
