//! The per-host limits of `/v1/scrape`: its requests take turns in the store, together with those of the workers.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crawler_engine::{HostGate, TurnRefused};
use crawler_fetch::Guard;
use crawler_frontier::{HostResponse, Rng};
use crawler_model::site_rules::MAX_WAIT;
use crawler_model::{FailKind, Failure};
use crawler_store::{HostTurn, Store, TurnId};
use crawler_store_frontier::HostPaces;
use crawler_weburl::CrawlUrl;

use super::bounded_fetch::refuses;

/// Delays each request until the store grants a turn for its host.
#[derive(Debug)]
pub(super) struct StoreHostGate<S> {
    store: S,
    guard: Guard,
    /// Time after which the slot of a process that died is freed.
    lease: Duration,
    started_at: Instant,
    /// How often each host has throttled, and the random numbers of its pauses.
    paces: Mutex<(HostPaces, Rng)>,
}

impl<S: Store> StoreHostGate<S> {
    pub(super) fn new(store: S, guard: Guard, lease: Duration, rng_seed: u64) -> Self {
        Self {
            store,
            guard,
            lease,
            started_at: Instant::now(),
            // The store spaces out the requests.
            paces: Mutex::new((HostPaces::new(Duration::ZERO), Rng::new(rng_seed))),
        }
    }
}

impl<S: Store> HostGate for StoreHostGate<S> {
    /// `None` for a host that the guard refuses: nothing is sent to it.
    type Turn = Option<HostSlot<S>>;

    /// Waits for the host's turn. The caller has a time limit.
    async fn turn(&self, url: &CrawlUrl) -> Result<Self::Turn, TurnRefused> {
        let host = url.host_key();
        if refuses(&self.guard, host.as_str()) {
            return Ok(None);
        }
        loop {
            let turn = self.store.take_turn(&host, self.lease).await;
            let turn = turn.map_err(|error| {
                tracing::warn!(%error, %host, "cannot get a turn from the store");
                let failure = Failure::new(FailKind::Internal, "the store does not respond");
                TurnRefused::Failed(failure)
            })?;
            match turn {
                HostTurn::Granted { id, delay } => {
                    // Created before the delay: if the caller is canceled meanwhile, dropping it frees the slot.
                    let slot = HostSlot {
                        store: self.store.clone(),
                        id,
                    };
                    tokio::time::sleep(delay).await;
                    return Ok(Some(slot));
                }
                HostTurn::Later { pause, .. } if pause > MAX_WAIT => {
                    return Err(TurnRefused::Parked(pause));
                }
                // The interval of the host is always waited for, whatever its length.
                HostTurn::Later { wait, .. } => tokio::time::sleep(wait).await,
            }
        }
    }

    async fn note_response(&self, url: &CrawlUrl, response: HostResponse) {
        let host = url.host_key();
        let now = self.started_at.elapsed();
        let throttle = {
            let mut paces = self.paces.lock().unwrap_or_else(PoisonError::into_inner);
            let (paces, rng) = &mut *paces;
            paces.note_response(&host, response, now, rng)
        };
        let Some(throttle) = throttle.filter(|throttle| throttle.extends) else {
            return;
        };
        if let Err(error) = self.store.pause_host(&host, throttle.pause).await {
            tracing::warn!(%error, %host, "cannot store a host's pause");
        }
    }

    async fn slow_to(&self, url: &CrawlUrl, interval: Duration) {
        let host = url.host_key();
        if let Err(error) = self.store.slow_host(&host, interval).await {
            tracing::warn!(%error, %host, "cannot store a crawl-delay");
        }
    }
}

/// A request slot of a host, freed on drop.
pub(super) struct HostSlot<S: Store> {
    store: S,
    id: TurnId,
}

impl<S: Store> Drop for HostSlot<S> {
    fn drop(&mut self) {
        let (store, id) = (self.store.clone(), self.id);
        tokio::spawn(async move {
            // If this fails, the slot is freed when its lease expires.
            if let Err(error) = store.end_turn(id).await {
                tracing::warn!(%error, "cannot free the slot of a host");
            }
        });
    }
}
