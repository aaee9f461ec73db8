//! The pace of each host as this worker knows it, besides the store's buckets: no request before a pause is over, and
//! requests without a start of their own (robots.txt, sitemaps) one by one.

use std::collections::HashMap;
use std::time::Duration;

use crawler_frontier::{HostPace, HostResponse, Moment, Rng, Throttle};
use crawler_model::site_rules::MAX_HOST_PAUSE;
use crawler_weburl::HostKey;

/// Maximum number of hosts; above it, those that are open are dropped.
const MAX_HOSTS: usize = 10_000;

/// The pace of every host.
#[derive(Debug)]
pub struct HostPaces {
    paces: HashMap<HostKey, HostPace>,
    interval: Duration,
}

impl HostPaces {
    /// Paces with this minimum time between two requests to a host.
    pub fn new(interval: Duration) -> Self {
        Self {
            paces: HashMap::new(),
            interval,
        }
    }

    fn pace(&mut self, host: &HostKey, now: Moment) -> &mut HostPace {
        if self.paces.len() >= MAX_HOSTS && !self.paces.contains_key(host) {
            self.paces.retain(|_, pace| pace.opens_at() > now);
        }
        let interval = self.interval;
        self.paces
            .entry(host.clone())
            .or_insert_with(|| HostPace::new(interval))
    }

    /// When a request may start.
    pub(crate) fn opens_at(&self, host: &HostKey) -> Moment {
        self.paces
            .get(host)
            .map_or(Moment::ZERO, HostPace::opens_at)
    }

    /// The end of the pause that the host asked for.
    pub(crate) fn paused_until(&self, host: &HostKey) -> Moment {
        self.paces
            .get(host)
            .map_or(Moment::ZERO, HostPace::paused_until)
    }

    /// Whether its requests are spaced out.
    pub(crate) fn is_paced(&self, host: &HostKey) -> bool {
        let pace = self.paces.get(host);
        !pace.map_or(self.interval, HostPace::interval).is_zero()
    }

    /// Records that a request starts.
    pub(crate) fn start(&mut self, host: &HostKey, now: Moment) {
        self.pace(host, now).start(now);
    }

    /// Sets the minimum time between two requests.
    pub(crate) fn slow(&mut self, host: &HostKey, interval: Duration, now: Moment) {
        let pace = self.pace(host, now);
        pace.slow_to(interval, now);
        // Pages get their starts from the store and check only the pause.
        pace.pause(interval, now);
    }

    /// Takes in a response. Returns what it led to, if it throttles. No host is paused for longer than [`MAX_HOST_PAUSE`].
    pub fn note_response(
        &mut self,
        host: &HostKey,
        mut response: HostResponse,
        now: Moment,
        rng: &mut Rng,
    ) -> Option<Throttle> {
        response.retry_after = response.retry_after.map(|pause| pause.min(MAX_HOST_PAUSE));
        self.pace(host, now).note_response(response, now, rng)
    }
}
