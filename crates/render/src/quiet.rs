//! Whether a page's network has been quiet for long enough; a pure state machine with time as an argument.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// Times a page is scrolled to its end at most: once, and again as long as that brought something.
const SCROLLS: u32 = 5;
/// Requests of one page that are kept apart; beyond that it is never quiet, and ends by its deadline.
const MOST_REQUESTS: usize = 10_000;

/// What a page is waiting for.
#[derive(Debug)]
pub(crate) struct Quiet {
    /// As long as this is quiet.
    enough: Duration,
    open: HashSet<String>,
    since: Instant,
    scrolls: u32,
    /// A request began since the last scroll.
    stirred: bool,
}

/// What to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rest {
    /// Something is under way.
    Busy,
    /// Look again then.
    Until(Instant),
    /// Halfway through: time to see whether the page has more below.
    Scroll,
    /// It is over.
    Over,
}

impl Quiet {
    pub(crate) fn new(enough: Duration, now: Instant) -> Self {
        Self {
            enough,
            open: HashSet::new(),
            since: now,
            scrolls: 0,
            stirred: false,
        }
    }

    /// A request begins.
    pub(crate) fn begin(&mut self, request: String, now: Instant) {
        if self.open.len() < MOST_REQUESTS {
            self.open.insert(request);
        }
        self.since = now;
        self.stirred = true;
    }

    /// A request ended.
    pub(crate) fn end(&mut self, request: &str, now: Instant) {
        if self.open.remove(request) {
            self.since = now;
        }
    }

    /// The document begins anew.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.open.clear();
        self.since = now;
    }

    /// The document is there: from here on silence counts.
    pub(crate) fn ready(&mut self, now: Instant) {
        self.since = now;
    }

    /// Where we stand.
    pub(crate) fn rest(&self, now: Instant) -> Rest {
        if !self.open.is_empty() {
            return Rest::Busy;
        }
        let quiet = now.saturating_duration_since(self.since);
        if quiet >= self.enough {
            return Rest::Over;
        }
        let wants_scroll = self.scrolls == 0 || (self.stirred && self.scrolls < SCROLLS);
        match wants_scroll {
            true if quiet >= self.enough / 2 => Rest::Scroll,
            true => Rest::Until(self.since + self.enough / 2),
            false => Rest::Until(self.since + self.enough),
        }
    }

    /// The page was scrolled.
    pub(crate) fn scrolled(&mut self) {
        self.scrolls += 1;
        self.stirred = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENOUGH: Duration = Duration::from_millis(500);

    #[test]
    fn silence_is_counted_from_the_last_request_and_halfway_it_scrolls() {
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        let mut quiet = Quiet::new(ENOUGH, begun);
        quiet.begin("1".into(), at(0));
        assert_eq!(quiet.rest(at(5_000)), Rest::Busy);
        quiet.end("1", at(5_000));
        assert_eq!(quiet.rest(at(5_000)), Rest::Until(at(5_250)));
        assert_eq!(quiet.rest(at(5_250)), Rest::Scroll);
        quiet.scrolled();
        assert_eq!(quiet.rest(at(5_250)), Rest::Until(at(5_500)));
        // Nothing below: over at the same time as without it.
        assert_eq!(quiet.rest(at(5_500)), Rest::Over);
    }

    #[test]
    fn a_page_without_end_is_scrolled_so_often_and_no_more() {
        let begun = Instant::now();
        let mut now = begun;
        let mut quiet = Quiet::new(ENOUGH, begun);
        let mut scrolls = 0;
        loop {
            match quiet.rest(now) {
                Rest::Over => break,
                Rest::Until(then) => now = then,
                Rest::Scroll => {
                    quiet.scrolled();
                    scrolls += 1;
                    quiet.begin(scrolls.to_string(), now);
                    now += Duration::from_millis(30);
                    quiet.end(&scrolls.to_string(), now);
                }
                Rest::Busy => unreachable!(),
            }
        }
        assert_eq!(scrolls, SCROLLS);
        assert!(now - begun < ENOUGH * (SCROLLS + 1));
    }

    #[test]
    fn an_unknown_end_is_no_stir() {
        let begun = Instant::now();
        let mut quiet = Quiet::new(ENOUGH, begun);
        quiet.end("of the page before", begun + ENOUGH);
        quiet.scrolled();
        assert_eq!(quiet.rest(begun + ENOUGH), Rest::Over);
    }
}
