//! What `/v1/scrape` shares with the workers through the store: the limits per host, whose turns its requests take, and the
//! robots.txt files.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crawler_engine::{HostGate, RobotsMemory, TurnRefused};
use crawler_fetch::Guard;
use crawler_frontier::{HostResponse, Rng};
use crawler_model::site_rules::MAX_WAIT;
use crawler_model::{FailKind, Failure, lock};
use crawler_sitefiles::{RobotsFetch, RobotsFile};
use crawler_store::{HostTurn, Store};
use crawler_store_frontier::{HostPaces, robots_fetches, robots_text};
use crawler_weburl::{CrawlUrl, Origin};

use super::scrape_turn::{self, Awaited};
use crate::address_limits::AddressLimits;
use crate::host_slot::HostSlot;

/// When to try again at least, if it is not known when a slot of the host is free: the store only says how soon to ask it again.
const UNKNOWN_RETRY: Duration = Duration::from_secs(5);

/// Delays each request until the store grants a turn for its host.
#[derive(Debug)]
pub(super) struct StoreHostGate<S> {
    store: S,
    guard: Guard,
    addresses: AddressLimits<S>,
    /// Time after which the slot of a process that died is freed.
    lease: Duration,
    started_at: Instant,
    /// How often each host has throttled, and the random numbers of its pauses.
    paces: Mutex<(HostPaces, Rng)>,
}

impl<S: Store> StoreHostGate<S> {
    pub(super) fn new(
        store: S,
        guard: Guard,
        addresses: AddressLimits<S>,
        lease: Duration,
        rng_seed: u64,
    ) -> Self {
        Self {
            store,
            guard,
            addresses,
            lease,
            started_at: Instant::now(),
            // The store spaces out the requests.
            paces: Mutex::new((HostPaces::new(Duration::ZERO), Rng::new(rng_seed))),
        }
    }
}

/// The failure of a scrape that needs the store.
fn no_response() -> Failure {
    Failure::new(FailKind::Internal, "the store does not respond")
}

/// The robots.txt files that the workers use.
impl<S: Store> RobotsMemory for StoreHostGate<S> {
    async fn stored_robots(
        &self,
        origin: &Origin,
        user_agent: &str,
    ) -> Result<Vec<RobotsFetch>, Failure> {
        match self.store.robots(origin.as_str()).await {
            Ok(stored) => {
                Ok(stored.map_or_else(Vec::new, |stored| robots_fetches(stored, user_agent)))
            }
            Err(error) if error.retryable() => {
                tracing::warn!(%error, %origin, "cannot get a robots.txt from the store");
                Err(no_response())
            }
            // It will never be read, so it is fetched and replaced.
            Err(error) => {
                tracing::warn!(%error, %origin, "a stored robots.txt cannot be read");
                Ok(Vec::new())
            }
        }
    }

    async fn save_robots(
        &self,
        origin: &Origin,
        file: &RobotsFile,
        text: Option<String>,
    ) -> Result<(), Failure> {
        let saved = self
            .store
            .save_robots(origin.as_str(), robots_text(file, text));
        saved.await.map_err(|error| {
            tracing::warn!(%error, %origin, "cannot store a robots.txt");
            no_response()
        })
    }
}

impl<S: Store> HostGate for StoreHostGate<S> {
    /// The slots of the host, and of its address if others share it. None for a URL that the guard refuses: nothing is sent
    /// to it.
    type Turn = [Option<HostSlot<S>>; 2];

    async fn bounded<W: Future + Send>(&self, wait: W) -> Result<W::Output, Failure>
    where
        W::Output: Send,
    {
        scrape_turn::wait(Awaited::Host, wait).await
    }

    /// Waits for the host's turn, as long as the request may wait.
    async fn turn(&self, url: &CrawlUrl) -> Result<Self::Turn, TurnRefused> {
        let pause = async |length, retry_in| {
            let paused = scrape_turn::pause(Awaited::Host, length, retry_in).await;
            paused.map_err(TurnRefused::Failed)
        };
        let host = url.host_key();
        if self.guard.refuses(url.parts()) {
            return Ok([None, None]);
        }
        loop {
            let turn = self.store.take_turn(&host, self.lease).await;
            let turn = turn.map_err(|error| {
                tracing::warn!(%error, %host, "cannot get a turn from the store");
                TurnRefused::Failed(no_response())
            })?;
            match turn {
                HostTurn::Granted { id, delay } => {
                    // Created before the delay: if the caller is canceled meanwhile, dropping it frees the slot.
                    let slot = HostSlot::new(self.store.clone(), id);
                    pause(delay, delay).await?;
                    let same_address = self.addresses.turn(url);
                    let same_address = scrape_turn::wait(Awaited::Host, same_address).await;
                    return Ok([Some(slot), same_address.map_err(TurnRefused::Failed)?]);
                }
                HostTurn::Later { pause, .. } if pause > MAX_WAIT => {
                    return Err(TurnRefused::Parked(pause));
                }
                HostTurn::Later {
                    wait,
                    pause: host_pause,
                } => pause(wait, wait.max(host_pause).max(UNKNOWN_RETRY)).await?,
            }
        }
    }

    async fn note_response(&self, url: &CrawlUrl, response: HostResponse) {
        let host = url.host_key();
        let now = self.started_at.elapsed();
        let throttle = {
            let mut paces = lock(&self.paces);
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
