//! A fetcher that asks a host only in its turn: what the API fetches by itself counts like what workers fetch.

use std::net::IpAddr;
use std::time::Duration;

use fetch::{Fetch, FetchRequest, Fetched, Guard};
use model::{FailKind, Failure, JsPolicy};
use render::Escalating;
use store::{Store, Turn, TurnId};
use tokio::sync::Semaphore;
use weburl::HostKey;

/// Nobody waits for the end of a longer pause.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Fetches, one turn of the host for each request.
#[derive(Debug)]
pub(super) struct PoliteFetch<S> {
    store: S,
    fetch: Escalating,
    guard: Guard,
    /// Requests at once, whatever their hosts; taken after the host's turn, so that one slow host is nobody else's.
    room: Semaphore,
    /// The slot of a process that died is free after it.
    lease: Duration,
}

impl<S: Store> PoliteFetch<S> {
    pub(super) fn new(
        store: S,
        fetch: Escalating,
        guard: Guard,
        at_once: usize,
        lease: Duration,
    ) -> Self {
        Self {
            store,
            fetch,
            guard,
            room: Semaphore::new(at_once),
            lease,
        }
    }

    /// Whether a host is refused whatever its addresses are: such a one needs no turn to be told so.
    fn refuses(&self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) => !self.guard.allows(host, address),
            Err(_) => !self.guard.allows_name(host),
        }
    }

    /// Waits for the host's turn. Whoever called has a time limit.
    async fn turn(&self, host: &HostKey) -> Result<HeldTurn<S>, Failure> {
        loop {
            let turn = self
                .store
                .take_turn(host, self.lease)
                .await
                .map_err(|error| {
                    tracing::warn!(%error, %host, "no turn could be asked for");
                    Failure::new(FailKind::Internal, "the store does not answer")
                })?;
            match turn {
                Turn::Granted { id, delay } => {
                    // Held from here on: a caller who goes away while it waits gives it back.
                    let held = HeldTurn {
                        store: self.store.clone(),
                        id,
                    };
                    tokio::time::sleep(delay).await;
                    return Ok(held);
                }
                Turn::Later(wait) if wait > LONGEST_WAIT => {
                    let words = format!("asks for a pause of {} s", wait.as_secs());
                    return Err(Failure::new(FailKind::RateLimited, words));
                }
                Turn::Later(wait) => tokio::time::sleep(wait).await,
            }
        }
    }
}

impl<S: Store> Fetch for PoliteFetch<S> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let host = request.url.host_key();
        if self.refuses(host.as_str()) {
            // The dialer says so, in its own words; a browser would only come to the same.
            let js = JsPolicy::Never;
            return self.fetch.fetch(FetchRequest { js, ..request }).await;
        }
        let _turn = self.turn(&host).await?;
        // Never closed; without a place we would only be more.
        let _place = self.room.acquire().await;
        let fetched = self.fetch.fetch(request).await?;
        if fetched.status >= 400
            && let Some(pause) = fetched.retry_after
        {
            let told = self.store.pause_host(&host, pause).await;
            if let Err(error) = told {
                tracing::warn!(%error, %host, "a host's pause could not be kept");
            }
        }
        Ok(fetched)
    }
}

/// A slot of a host, given back when it is dropped, however the request ended.
struct HeldTurn<S: Store> {
    store: S,
    id: TurnId,
}

impl<S: Store> Drop for HeldTurn<S> {
    fn drop(&mut self) {
        let (store, id) = (self.store.clone(), self.id);
        tokio::spawn(async move {
            // Lost, it is free again when its lease is over.
            if let Err(error) = store.end_turn(id).await {
                tracing::warn!(%error, "a host's slot could not be given back");
            }
        });
    }
}
