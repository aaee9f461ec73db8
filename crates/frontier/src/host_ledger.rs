//! What is owed to a host: pauses between requests, backing off, being left alone.

use std::time::Duration;

use weburl::HostKey;

use crate::backoff;
use crate::chance::Chance;
use crate::frontier::Moment;

/// A host that asks for a longer pause than this is left alone for the rest of the crawl.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_hours(1);
/// A host that answers "too many requests" this often in a row, with pauses between, is left alone.
const MOST_THROTTLES: u32 = 8;

/// One host's politeness.
#[derive(Debug)]
pub(crate) struct HostLedger {
    pub(crate) host: HostKey,
    pub(crate) in_flight: u32,
    /// Least time between two request starts.
    interval: Duration,
    next_start: Moment,
    paused_until: Moment,
    throttled_at: Moment,
    throttles: u32,
    parked: Option<String>,
}

/// What a throttling answer led to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Throttled {
    /// Nothing new: the host is paused already.
    AlreadyPaused,
    /// It is paused for this long.
    Paused(Duration),
    /// It is left alone, for this reason.
    Parked(String),
}

impl HostLedger {
    pub(crate) fn new(host: HostKey) -> Self {
        Self {
            host,
            in_flight: 0,
            interval: Duration::ZERO,
            next_start: Duration::ZERO,
            paused_until: Duration::ZERO,
            throttled_at: Duration::ZERO,
            throttles: 0,
            parked: None,
        }
    }

    /// When a request may start: `None` when only a report can tell.
    pub(crate) fn opens_at(&self) -> Option<Moment> {
        // While a host is throttling, one request at a time finds out whether it still does.
        if self.parked.is_some() || (self.throttles > 0 && self.in_flight > 0) {
            return None;
        }
        Some(self.next_start.max(self.paused_until))
    }

    pub(crate) fn is_open(&self, now: Moment) -> bool {
        self.opens_at().is_some_and(|opens| opens <= now)
    }

    pub(crate) fn start(&mut self, now: Moment) {
        self.in_flight += 1;
        self.next_start = now + self.interval;
    }

    pub(crate) fn end(&mut self) {
        self.in_flight -= 1;
    }

    /// robots.txt asks for a pause between requests. The last request counts.
    pub(crate) fn slow_to(&mut self, interval: Duration, now: Moment) -> Option<String> {
        if self.parked.is_some() {
            return None;
        }
        if interval > LONGEST_PAUSE {
            let words = format!("asks for {} s between requests", interval.as_secs());
            self.parked = Some(words.clone());
            return Some(words);
        }
        self.interval = self.interval.max(interval);
        self.next_start = self.next_start.max(now + self.interval);
        None
    }

    /// The host said "too many requests" or "come back later" to a request begun at `begun`.
    pub(crate) fn throttle(
        &mut self,
        asked: Option<Duration>,
        begun: Moment,
        now: Moment,
        chance: &mut Chance,
    ) -> Throttled {
        // Of requests that were in flight together, only the first says something new.
        let news = self.throttles == 0 || begun >= self.throttled_at;
        if news {
            self.throttles += 1;
            self.throttled_at = now;
        }
        let pause = asked.unwrap_or_else(|| backoff::for_host(self.throttles, chance));
        if pause > LONGEST_PAUSE {
            let words = format!("asked to be left alone for {} s", pause.as_secs());
            self.parked = Some(words.clone());
            return Throttled::Parked(words);
        }
        if self.throttles > MOST_THROTTLES {
            let words = format!(
                "answered \"too many requests\" {} times in a row",
                self.throttles
            );
            self.parked = Some(words.clone());
            return Throttled::Parked(words);
        }
        let until = now + pause;
        if (news || asked.is_some()) && until > self.paused_until {
            self.paused_until = until;
            if news {
                return Throttled::Paused(pause);
            }
        }
        Throttled::AlreadyPaused
    }

    /// The host answered normally.
    pub(crate) fn relax(&mut self) {
        self.throttles = 0;
    }

    pub(crate) fn parked(&self) -> Option<&str> {
        self.parked.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn ledger() -> (HostLedger, Chance) {
        (HostLedger::new(HostKey::new("a")), Chance::new(1))
    }

    #[test]
    fn the_interval_counts_from_the_last_start() {
        let (mut host, _) = ledger();
        assert_eq!(host.slow_to(2 * SECOND, SECOND), None);
        assert!(!host.is_open(2 * SECOND));
        assert!(host.is_open(3 * SECOND));
        host.start(4 * SECOND);
        assert!(!host.is_open(5 * SECOND));
        assert!(host.is_open(6 * SECOND));
    }

    #[test]
    fn a_burst_of_throttles_counts_once() {
        let (mut host, mut chance) = ledger();
        for _ in 0..20 {
            host.start(Duration::ZERO);
        }
        let first = host.throttle(None, Duration::ZERO, SECOND, &mut chance);
        assert!(matches!(first, Throttled::Paused(_)));
        for _ in 0..19 {
            let again = host.throttle(None, Duration::ZERO, SECOND, &mut chance);
            assert_eq!(again, Throttled::AlreadyPaused);
        }
        assert_eq!(host.throttles, 1);
    }

    #[test]
    fn an_asked_pause_is_obeyed_and_a_huge_one_parks() {
        let (mut host, mut chance) = ledger();
        let answer = host.throttle(Some(30 * SECOND), Duration::ZERO, SECOND, &mut chance);
        assert_eq!(answer, Throttled::Paused(30 * SECOND));
        assert!(!host.is_open(30 * SECOND));
        assert!(host.is_open(31 * SECOND));
        let answer = host.throttle(Some(4_000 * SECOND), 40 * SECOND, 41 * SECOND, &mut chance);
        assert!(matches!(answer, Throttled::Parked(_)));
        assert_eq!(host.opens_at(), None);
    }

    #[test]
    fn a_host_that_never_relents_is_asked_at_most_twenty_times_in_ten_minutes() {
        let (mut host, mut chance) = ledger();
        let (mut now, mut asked) = (Duration::ZERO, 0);
        while now < 600 * SECOND {
            let Some(opens) = host.opens_at() else { break };
            now = now.max(opens);
            host.start(now);
            asked += 1;
            host.end();
            host.throttle(None, now, now, &mut chance);
        }
        assert!(asked <= 20, "{asked}");
        assert!(host.parked().is_some());
    }

    #[test]
    fn one_probe_at_a_time_while_throttled() {
        let (mut host, mut chance) = ledger();
        host.throttle(Some(SECOND), Duration::ZERO, Duration::ZERO, &mut chance);
        host.start(2 * SECOND);
        assert!(!host.is_open(9 * SECOND));
        host.end();
        host.relax();
        host.start(9 * SECOND);
        assert!(host.is_open(9 * SECOND));
    }
}
