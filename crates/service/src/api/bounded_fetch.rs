//! The fetcher of `/v1/scrape`: a limited number of requests at once, whatever their hosts.

use std::net::IpAddr;

use crawler_fetch::{Fetch, FetchRequest, Fetched, Guard};
use crawler_model::{Failure, JsPolicy};
use crawler_render::EscalatingFetch;
use tokio::sync::Semaphore;

/// Limits requests in total. Hosts are limited by the scraper's gate, before: a slow host takes none of these slots
/// while its requests wait for their turn.
#[derive(Debug)]
pub(super) struct BoundedFetch {
    fetch: EscalatingFetch,
    guard: Guard,
    slots: Semaphore,
}

impl BoundedFetch {
    pub(super) fn new(fetch: EscalatingFetch, guard: Guard, at_once: usize) -> Self {
        Self {
            fetch,
            guard,
            slots: Semaphore::new(at_once),
        }
    }
}

impl Fetch for BoundedFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if refuses(&self.guard, request.url.host_key().as_str()) {
            // The dialer reports the refusal; a browser would only come to the same.
            let js = JsPolicy::Never;
            return self.fetch.fetch(FetchRequest { js, ..request }).await;
        }
        // Never closed, so this never fails.
        let _slot = self.slots.acquire().await;
        self.fetch.fetch(request).await
    }
}

/// Whether the guard refuses a host whatever its addresses are.
pub(super) fn refuses(guard: &Guard, host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => !guard.allows(host, address),
        Err(_) => !guard.allows_name(host),
    }
}
