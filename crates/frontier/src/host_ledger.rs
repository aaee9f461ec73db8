//! Politeness per host: delays between requests, pauses, and parking (no further requests in this crawl).

use std::time::Duration;

use crawler_model::counted;
use crawler_model::site_rules::MAX_HOST_PAUSE;
use crawler_weburl::HostKey;

use crate::frontier::Moment;
use crate::host_pace::HostPace;
use crate::host_response::HostResponse;
use crate::rng::Rng;

/// A host that throttles more often than this in a row, with pauses between, is parked.
const MAX_THROTTLES: u32 = 8;

/// The politeness state of one host.
#[derive(Debug)]
pub(crate) struct HostLedger {
    pub(crate) host: HostKey,
    pub(crate) in_flight: u32,
    pace: HostPace,
    /// Why the host is parked.
    parked: Option<String>,
}

/// What a throttling response led to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Throttled {
    /// The host is paused for this long.
    Paused(Duration),
    /// It is parked, for this reason.
    Parked(String),
}

impl HostLedger {
    pub(crate) fn new(host: HostKey) -> Self {
        Self {
            host,
            in_flight: 0,
            pace: HostPace::default(),
            parked: None,
        }
    }

    /// When a request may start; `None` if that depends on a report, or if the host is parked.
    pub(crate) fn opens_at(&self) -> Option<Moment> {
        if self.parked.is_some() || !self.pace.may_start(self.in_flight) {
            return None;
        }
        Some(self.pace.opens_at())
    }

    pub(crate) fn is_open(&self, now: Moment) -> bool {
        self.opens_at().is_some_and(|opens| opens <= now)
    }

    pub(crate) fn start(&mut self, now: Moment) {
        self.in_flight += 1;
        self.pace.start(now);
    }

    pub(crate) fn end(&mut self) {
        self.in_flight -= 1;
    }

    /// Applies the crawl delay of a robots.txt.
    pub(crate) fn slow_to(&mut self, interval: Duration, now: Moment) {
        self.pace.slow_to(interval, now);
    }

    /// Sends nothing more to the host, for this reason. Returns false if it is parked already.
    pub(crate) fn park(&mut self, reason: &str) -> bool {
        let is_new = self.parked.is_none();
        self.parked.get_or_insert_with(|| reason.to_owned());
        is_new
    }

    /// Takes in a response. Returns what it led to, if that is new.
    pub(crate) fn note_response(
        &mut self,
        response: HostResponse,
        now: Moment,
        rng: &mut Rng,
    ) -> Option<Throttled> {
        if self.parked.is_some() {
            return None;
        }
        let throttle = self.pace.note_response(response, now, rng)?;
        let message = if throttle.pause > MAX_HOST_PAUSE {
            let seconds = throttle.pause.as_secs();
            format!("asked for a pause of {seconds} s")
        } else if throttle.times > MAX_THROTTLES {
            format!(
                "responded \"too many requests\" {} in a row",
                counted(throttle.times, "time")
            )
        } else {
            let is_new = throttle.is_new && throttle.extends;
            return is_new.then_some(Throttled::Paused(throttle.pause));
        };
        self.park(&message);
        Some(Throttled::Parked(message))
    }

    pub(crate) fn parked(&self) -> Option<&str> {
        self.parked.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn ledger() -> (HostLedger, Rng) {
        (HostLedger::new(HostKey::new("a")), Rng::new(1))
    }

    fn response(status: u16, retry_after: Option<Duration>, elapsed: Duration) -> HostResponse {
        HostResponse {
            status,
            retry_after,
            elapsed,
        }
    }

    #[test]
    fn the_interval_counts_from_the_last_start() {
        let (mut host, _) = ledger();
        host.slow_to(2 * SECOND, SECOND);
        assert!(!host.is_open(2 * SECOND));
        assert!(host.is_open(3 * SECOND));
        host.start(4 * SECOND);
        assert!(!host.is_open(5 * SECOND));
        assert!(host.is_open(6 * SECOND));
    }

    #[test]
    fn a_burst_of_throttles_counts_once() {
        let (mut host, mut rng) = ledger();
        for _ in 0..20 {
            host.start(Duration::ZERO);
        }
        let throttling = response(429, None, SECOND);
        let first = host.note_response(throttling, SECOND, &mut rng);
        assert!(matches!(first, Some(Throttled::Paused(_))));
        for _ in 0..19 {
            let again = host.note_response(throttling, SECOND, &mut rng);
            assert_eq!(again, None);
        }
    }

    #[test]
    fn a_requested_pause_is_obeyed_and_a_huge_one_parks_the_host() {
        let (mut host, mut rng) = ledger();
        let throttling = response(429, Some(30 * SECOND), SECOND);
        let answer = host.note_response(throttling, SECOND, &mut rng);
        assert_eq!(answer, Some(Throttled::Paused(30 * SECOND)));
        assert!(!host.is_open(30 * SECOND));
        assert!(host.is_open(31 * SECOND));
        let throttling = response(429, Some(4_000 * SECOND), SECOND);
        let answer = host.note_response(throttling, 41 * SECOND, &mut rng);
        assert!(matches!(answer, Some(Throttled::Parked(_))));
        assert_eq!(host.opens_at(), None);
    }

    #[test]
    fn a_host_that_always_throttles_gets_at_most_twenty_requests_in_ten_minutes() {
        let (mut host, mut rng) = ledger();
        let (mut now, mut requests) = (Duration::ZERO, 0);
        while now < 600 * SECOND {
            let Some(opens) = host.opens_at() else { break };
            now = now.max(opens);
            host.start(now);
            requests += 1;
            host.end();
            host.note_response(response(429, None, Duration::ZERO), now, &mut rng);
        }
        assert!(requests <= 20, "{requests}");
        assert!(host.parked().is_some());
    }

    #[test]
    fn one_probe_at_a_time_while_throttled() {
        let (mut host, mut rng) = ledger();
        let throttling = response(429, Some(SECOND), Duration::ZERO);
        host.note_response(throttling, Duration::ZERO, &mut rng);
        host.start(2 * SECOND);
        assert!(!host.is_open(9 * SECOND));
        host.end();
        let page = response(200, None, SECOND);
        host.note_response(page, 9 * SECOND, &mut rng);
        host.start(9 * SECOND);
        assert!(host.is_open(9 * SECOND));
    }
}
