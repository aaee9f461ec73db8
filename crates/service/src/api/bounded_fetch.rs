//! The fetcher of `/v1/scrape`: limits the number of concurrent requests over all hosts.

use crawler_fetch::{Fetch, FetchRequest, Fetched, Guard};
use crawler_model::{Failure, JsPolicy};
use crawler_render::EscalatingFetch;
use tokio::sync::Semaphore;

/// Limits concurrent requests in total. The scraper's gate limits each host before that, so requests that wait for a slow host
/// take none of these slots.
#[derive(Debug)]
pub(super) struct BoundedFetch {
    fetch: EscalatingFetch,
    guard: Guard,
    slots: Semaphore,
}

impl BoundedFetch {
    pub(super) fn new(fetch: EscalatingFetch, guard: Guard, max_requests: usize) -> Self {
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
        // Never closed, so this never fails.
        let _slot = self.slots.acquire().await;
        self.fetch.fetch(request).await
    }
}
