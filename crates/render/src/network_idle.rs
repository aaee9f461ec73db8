//! Detects when the network of a page is idle; a pure state machine with time as an argument.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// Maximum number of scrolls to the end of a page: once, and again as long as that causes requests.
const MAX_SCROLLS: u32 = 5;
/// Maximum number of open requests tracked; a page with more ends at its deadline.
const MAX_REQUESTS: usize = 10_000;

/// The open requests of a page and the time of the last change.
#[derive(Debug)]
pub(crate) struct NetworkIdle {
    /// Time without requests until the page counts as idle.
    idle_timeout: Duration,
    open: HashSet<String>,
    since: Instant,
    scrolls: u32,
    /// Whether a request was started since the last scroll.
    requested_since_scroll: bool,
}

/// What to wait for next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IdleState {
    /// Requests are open.
    Busy,
    /// Check again at this time.
    WaitUntil(Instant),
    /// Half of the idle time has passed: scroll down to load more.
    Scroll,
    /// The network is idle.
    Idle,
}

impl NetworkIdle {
    pub(crate) fn new(idle_timeout: Duration, now: Instant) -> Self {
        Self {
            idle_timeout,
            open: HashSet::new(),
            since: now,
            scrolls: 0,
            requested_since_scroll: false,
        }
    }

    /// Records the start of a request.
    pub(crate) fn begin(&mut self, request: String, now: Instant) {
        if self.open.len() < MAX_REQUESTS {
            self.open.insert(request);
        }
        self.since = now;
        self.requested_since_scroll = true;
    }

    /// Records the end of a request.
    pub(crate) fn end(&mut self, request: &str, now: Instant) {
        if self.open.remove(request) {
            self.since = now;
        }
    }

    /// Resets the state for a reload.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.open.clear();
        self.since = now;
    }

    /// Records that the document is parsed: idle time counts from here.
    pub(crate) fn ready(&mut self, now: Instant) {
        self.since = now;
    }

    /// Returns the current state.
    pub(crate) fn state(&self, now: Instant) -> IdleState {
        if !self.open.is_empty() {
            return IdleState::Busy;
        }
        let idle_time = now.saturating_duration_since(self.since);
        if idle_time >= self.idle_timeout {
            return IdleState::Idle;
        }
        let wants_scroll =
            self.scrolls == 0 || (self.requested_since_scroll && self.scrolls < MAX_SCROLLS);
        match wants_scroll {
            true if idle_time >= self.idle_timeout / 2 => IdleState::Scroll,
            true => IdleState::WaitUntil(self.since + self.idle_timeout / 2),
            false => IdleState::WaitUntil(self.since + self.idle_timeout),
        }
    }

    /// Records a scroll.
    pub(crate) fn scrolled(&mut self) {
        self.scrolls += 1;
        self.requested_since_scroll = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE_TIMEOUT: Duration = Duration::from_millis(500);

    #[test]
    fn idle_time_counts_from_the_last_request_and_the_page_scrolls_halfway() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut network = NetworkIdle::new(IDLE_TIMEOUT, start);
        network.begin("1".into(), at(0));
        assert_eq!(network.state(at(5_000)), IdleState::Busy);
        network.end("1", at(5_000));
        assert_eq!(network.state(at(5_000)), IdleState::WaitUntil(at(5_250)));
        assert_eq!(network.state(at(5_250)), IdleState::Scroll);
        network.scrolled();
        assert_eq!(network.state(at(5_250)), IdleState::WaitUntil(at(5_500)));
        // Scrolling loaded nothing: idle at the same time as without it.
        assert_eq!(network.state(at(5_500)), IdleState::Idle);
    }

    #[test]
    fn an_endless_page_is_scrolled_a_limited_number_of_times() {
        let start = Instant::now();
        let mut now = start;
        let mut network = NetworkIdle::new(IDLE_TIMEOUT, start);
        let mut scrolls = 0;
        loop {
            match network.state(now) {
                IdleState::Idle => break,
                IdleState::WaitUntil(then) => now = then,
                IdleState::Scroll => {
                    network.scrolled();
                    scrolls += 1;
                    network.begin(scrolls.to_string(), now);
                    now += Duration::from_millis(30);
                    network.end(&scrolls.to_string(), now);
                }
                IdleState::Busy => unreachable!(),
            }
        }
        assert_eq!(scrolls, MAX_SCROLLS);
        assert!(now - start < IDLE_TIMEOUT * (MAX_SCROLLS + 1));
    }

    #[test]
    fn the_end_of_an_unknown_request_is_ignored() {
        let start = Instant::now();
        let mut network = NetworkIdle::new(IDLE_TIMEOUT, start);
        network.end("request of the previous page", start + IDLE_TIMEOUT);
        network.scrolled();
        assert_eq!(network.state(start + IDLE_TIMEOUT), IdleState::Idle);
    }
}
