//! The per-host limits of `/v1/scrape`: its requests take turns in the store, together with those of the workers.

use std::time::Duration;

use crawler_engine::{HostGate, NoTurn};
use crawler_fetch::Guard;
use crawler_model::site_rules::{MAX_HOST_PAUSE, MAX_WAIT};
use crawler_model::{FailKind, Failure};
use crawler_store::{HostTurn, Store, TurnId};
use crawler_weburl::CrawlUrl;

use super::bounded_fetch::refuses;

/// Delays each request until the store grants a turn for its host.
#[derive(Debug)]
pub(super) struct StoreHostGate<S> {
    store: S,
    guard: Guard,
    /// Time after which the slot of a process that died is freed.
    lease: Duration,
}

impl<S: Store> StoreHostGate<S> {
    pub(super) fn new(store: S, guard: Guard, lease: Duration) -> Self {
        Self {
            store,
            guard,
            lease,
        }
    }
}

impl<S: Store> HostGate for StoreHostGate<S> {
    /// `None` for a host that the guard refuses: nothing is sent to it.
    type Turn = Option<HostSlot<S>>;

    /// Waits for the host's turn. The caller has a time limit.
    async fn turn(&self, url: &CrawlUrl) -> Result<Self::Turn, NoTurn> {
        let host = url.host_key();
        if refuses(&self.guard, host.as_str()) {
            return Ok(None);
        }
        loop {
            let turn = self.store.take_turn(&host, self.lease).await;
            let turn = turn.map_err(|error| {
                tracing::warn!(%error, %host, "cannot get a turn from the store");
                let failure = Failure::new(FailKind::Internal, "the store does not respond");
                NoTurn::Failed(failure)
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
                HostTurn::Later(wait) if wait > MAX_WAIT => return Err(NoTurn::Parked(wait)),
                HostTurn::Later(wait) => tokio::time::sleep(wait).await,
            }
        }
    }

    async fn pause(&self, url: &CrawlUrl, pause: Duration) {
        let host = url.host_key();
        let paused = self.store.pause_host(&host, pause.min(MAX_HOST_PAUSE));
        if let Err(error) = paused.await {
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
