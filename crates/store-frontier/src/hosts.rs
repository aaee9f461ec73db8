//! What this worker owes to hosts beyond what the store's buckets say: no request before a pause is over, and requests
//! without a start of their own one by one.

use std::collections::HashMap;
use std::time::Duration;

use frontier::Moment;
use weburl::HostKey;

/// Hosts remembered before those at rest are forgotten.
const MOST_HOSTS: usize = 10_000;

#[derive(Debug, Default)]
struct Pace {
    next_start: Moment,
    paused_until: Moment,
    interval: Duration,
    /// "Too many requests" in a row.
    throttles: u32,
}

/// Every host's pace.
#[derive(Debug)]
pub(crate) struct Hosts {
    paces: HashMap<HostKey, Pace>,
    interval: Duration,
}

impl Hosts {
    pub(crate) fn new(interval: Duration) -> Self {
        Self {
            paces: HashMap::new(),
            interval,
        }
    }

    fn pace(&mut self, host: &HostKey, now: Moment) -> &mut Pace {
        if self.paces.len() >= MOST_HOSTS && !self.paces.contains_key(host) {
            self.paces
                .retain(|_, pace| pace.next_start.max(pace.paused_until) > now);
        }
        self.paces.entry(host.clone()).or_default()
    }

    /// When a request may start.
    pub(crate) fn opens_at(&self, host: &HostKey) -> Moment {
        let known = self.paces.get(host);
        known.map_or(Moment::ZERO, |pace| pace.next_start.max(pace.paused_until))
    }

    /// When the pause that the host asked for is over.
    pub(crate) fn paused_until(&self, host: &HostKey) -> Moment {
        let known = self.paces.get(host);
        known.map_or(Moment::ZERO, |pace| pace.paused_until)
    }

    /// Whether its requests are to be some time apart.
    pub(crate) fn is_paced(&self, host: &HostKey) -> bool {
        let asked = self.paces.get(host).map(|pace| pace.interval);
        !self.interval.max(asked.unwrap_or_default()).is_zero()
    }

    /// A request starts.
    pub(crate) fn start(&mut self, host: &HostKey, now: Moment) {
        let least = self.interval;
        let pace = self.pace(host, now);
        pace.next_start = pace
            .next_start
            .max(now.saturating_add(pace.interval.max(least)));
    }

    /// At least this long between two requests, from now on.
    pub(crate) fn slow(&mut self, host: &HostKey, interval: Duration, now: Moment) {
        let pace = self.pace(host, now);
        pace.interval = pace.interval.max(interval);
        pace.paused_until = pace.paused_until.max(now.saturating_add(interval));
    }

    /// No request for so long.
    pub(crate) fn pause(&mut self, host: &HostKey, pause: Duration, now: Moment) {
        let pace = self.pace(host, now);
        pace.paused_until = pace.paused_until.max(now.saturating_add(pause));
    }

    /// One more "too many requests"; how many in a row.
    pub(crate) fn throttled(&mut self, host: &HostKey, now: Moment) -> u32 {
        let pace = self.pace(host, now);
        pace.throttles += 1;
        pace.throttles
    }

    /// An ordinary answer.
    pub(crate) fn relax(&mut self, host: &HostKey) {
        if let Some(pace) = self.paces.get_mut(host) {
            pace.throttles = 0;
        }
    }
}
