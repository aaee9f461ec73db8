//! What this worker owes to hosts beyond what the store's buckets say: tasks that had to wait start one by one.

use std::collections::HashMap;
use std::time::Duration;

use frontier::Moment;
use weburl::HostKey;

/// Hosts remembered before those at rest are forgotten.
const MOST_HOSTS: usize = 10_000;

#[derive(Debug, Default)]
struct Pace {
    next_start: Moment,
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
            self.paces.retain(|_, pace| pace.next_start > now);
        }
        self.paces.entry(host.clone()).or_default()
    }

    /// When a request may start.
    pub(crate) fn opens_at(&self, host: &HostKey) -> Moment {
        self.paces
            .get(host)
            .map_or(Moment::ZERO, |pace| pace.next_start)
    }

    /// A request starts.
    pub(crate) fn start(&mut self, host: &HostKey, now: Moment) {
        let least = self.interval;
        let pace = self.pace(host, now);
        pace.next_start = pace.next_start.max(now + pace.interval.max(least));
    }

    /// At least this long between two requests, from now on.
    pub(crate) fn slow(&mut self, host: &HostKey, interval: Duration, now: Moment) {
        let pace = self.pace(host, now);
        pace.interval = pace.interval.max(interval);
        pace.next_start = pace.next_start.max(now + interval);
    }

    /// No request for so long.
    pub(crate) fn pause(&mut self, host: &HostKey, pause: Duration, now: Moment) {
        let pace = self.pace(host, now);
        pace.next_start = pace.next_start.max(now + pause);
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
