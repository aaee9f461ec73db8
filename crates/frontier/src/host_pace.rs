//! When requests to one host may start: the arithmetic behind every in-process politeness rule.
//!
//! Pure: time and randomness are arguments. The frontier in memory, the frontier over a store and the scraper's
//! local gate each have one per host, and count concurrent requests themselves.

use std::time::Duration;

use crawler_model::site_rules::throttles_host;

use crate::backoff::host_pause;
use crate::frontier::Moment;
use crate::host_response::HostResponse;
use crate::rng::Rng;

/// The pace of requests to one host.
#[derive(Clone, Default, Debug)]
pub struct HostPace {
    /// Minimum time between two request starts.
    interval: Duration,
    next_start: Moment,
    paused_until: Moment,
    throttled_at: Moment,
    throttles: u32,
}

/// What a throttling response led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Throttle {
    /// How long no request may start.
    pub pause: Duration,
    /// Throttling responses in a row, not counting those to requests that were in flight together.
    pub times: u32,
    /// False if the request was sent before the host began to throttle.
    pub is_new: bool,
    /// Whether the host is paused for longer than before.
    pub extends: bool,
}

impl HostPace {
    /// The pace of a host that has not throttled: requests start at least `interval` apart.
    pub fn new(interval: Duration) -> Self {
        Self {
            interval,
            ..Self::default()
        }
    }

    /// The earliest start of the next request.
    pub fn opens_at(&self) -> Moment {
        self.next_start.max(self.paused_until)
    }

    /// The end of the pause that the host asked for.
    pub fn paused_until(&self) -> Moment {
        self.paused_until
    }

    /// Minimum time between two request starts.
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// Whether a request may start beside those in flight: while the host throttles, one at a time probes whether it
    /// still does.
    pub fn may_start(&self, in_flight: u32) -> bool {
        self.throttles == 0 || in_flight == 0
    }

    /// Records that a request starts.
    pub fn start(&mut self, now: Moment) {
        self.next_start = self.next_start.max(now.saturating_add(self.interval));
    }

    /// Raises the interval; the next request starts at least that long after `now`.
    pub fn slow_to(&mut self, interval: Duration, now: Moment) {
        self.interval = self.interval.max(interval);
        self.next_start = self.next_start.max(now.saturating_add(self.interval));
    }

    /// Pauses the host for this long. Returns whether that extends its pause.
    pub fn pause(&mut self, pause: Duration, now: Moment) -> bool {
        let until = now.saturating_add(pause);
        let extends = until > self.paused_until;
        self.paused_until = self.paused_until.max(until);
        extends
    }

    /// Takes in a response. Returns what it led to, if it throttles.
    pub fn note_response(
        &mut self,
        response: HostResponse,
        now: Moment,
        rng: &mut Rng,
    ) -> Option<Throttle> {
        let HostResponse {
            status,
            retry_after,
            elapsed,
        } = response;
        if !throttles_host(status, retry_after.is_some()) {
            self.throttles = 0;
            return None;
        }
        Some(self.throttle(retry_after, now.saturating_sub(elapsed), now, rng))
    }

    /// Takes in a throttling response to a request sent at `sent`.
    fn throttle(
        &mut self,
        retry_after: Option<Duration>,
        sent: Moment,
        now: Moment,
        rng: &mut Rng,
    ) -> Throttle {
        // Of requests that were in flight together, only the first counts.
        let is_new = self.throttles == 0 || sent >= self.throttled_at;
        if is_new {
            self.throttles += 1;
            self.throttled_at = now;
        }
        let pause = retry_after.unwrap_or_else(|| host_pause(self.throttles, rng));
        let extends = (is_new || retry_after.is_some()) && self.pause(pause, now);
        Throttle {
            pause,
            times: self.throttles,
            is_new,
            extends,
        }
    }
}
