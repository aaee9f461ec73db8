//! Remembers for each host whether rendering helped, and decides about its next page.
//!
//! A host is an origin here: another port is another application. Pure: time is an argument. Bounded: an entry expires a
//! day after its first page, and if there are more than [`MAX_HOSTS`] entries, the oldest are removed. A host whose pages
//! are all plain has no entry. Every decision is rechecked: one page in [`RECHECK_EVERY`] is fetched the other way.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crawler_model::{RenderNeed, RenderReason};
use crawler_weburl::Origin;

/// After this many improved pages in a row, the pages of a host are rendered without fetching them by HTTP first.
const DIRECT_AFTER: u32 = 3;
/// One page in this many is fetched by HTTP first nevertheless, or rendered nevertheless, to notice that a host has
/// changed.
const RECHECK_EVERY: u32 = 20;
/// After this many unchanged pages in a row that likely needed rendering, such pages are no longer rendered.
const MAX_UNCHANGED_LIKELY: u32 = 2;
/// The same for pages that certainly needed rendering.
const MAX_UNCHANGED_CERTAIN: u32 = 5;
/// After this many timeouts in a row, no page is rendered for [`PAUSE_AFTER_TIMEOUTS`]: either the host is slow or this
/// machine is overloaded.
const MAX_TIMEOUTS: u32 = 5;
const PAUSE_AFTER_TIMEOUTS: Duration = Duration::from_mins(5);
/// Lifetime of an entry from its first page.
const HISTORY_TTL: Duration = Duration::from_hours(24);
/// Maximum number of entries.
const MAX_HOSTS: usize = 10_000;

/// The effect of rendering a page, compared with HTTP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RenderEffect {
    /// Substantially more content.
    Improved,
    /// No substantial difference.
    Unchanged,
    /// Not finished in time, possibly because of our own load.
    TimedOut,
    /// A redirect, which says nothing about other pages.
    Redirected,
}

/// The history of all hosts.
#[derive(Debug, Default)]
pub struct RenderHistory {
    hosts: HashMap<Origin, HostHistory>,
}

#[derive(Debug)]
struct HostHistory {
    /// Improved pages in a row.
    improved_streak: u32,
    /// Pages rendered without HTTP since the last recheck.
    browser_first: u32,
    /// Unchanged pages in a row that likely needed rendering.
    unchanged_likely: u32,
    /// Unchanged pages in a row that certainly needed rendering.
    unchanged_certain: u32,
    /// Pages skipped since the last recheck.
    skipped: u32,
    /// Timeouts in a row.
    timeouts: u32,
    /// No page is rendered before this time.
    paused_until: Option<Instant>,
    started: Instant,
}

impl HostHistory {
    fn new(now: Instant) -> Self {
        Self {
            improved_streak: 0,
            browser_first: 0,
            unchanged_likely: 0,
            unchanged_certain: 0,
            skipped: 0,
            timeouts: 0,
            paused_until: None,
            started: now,
        }
    }

    fn is_current(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.started) < HISTORY_TTL
    }

    fn is_paused(&self, now: Instant) -> bool {
        self.paused_until.is_some_and(|then| now < then)
    }

    /// Whether to skip rendering a page with this need: rendering did not help before, and it is not a recheck.
    fn skips(&mut self, need: RenderNeed, now: Instant) -> bool {
        let is_idle = match need {
            RenderNeed::Plain => false,
            RenderNeed::Likely(_) => self.unchanged_likely >= MAX_UNCHANGED_LIKELY,
            RenderNeed::Certain(_) => self.unchanged_certain >= MAX_UNCHANGED_CERTAIN,
        };
        if !is_idle && !self.is_paused(now) {
            return false;
        }
        self.skipped += 1;
        if self.skipped < RECHECK_EVERY {
            return true;
        }
        self.skipped = 0;
        false
    }
}

impl RenderHistory {
    /// Whether the next page of this host is rendered without fetching it by HTTP first.
    pub(crate) fn goes_to_browser_first(&mut self, host: &Origin, now: Instant) -> bool {
        let Some(host_history) = self.current(host, now) else {
            return false;
        };
        if host_history.improved_streak < DIRECT_AFTER || host_history.is_paused(now) {
            return false;
        }
        host_history.browser_first += 1;
        if host_history.browser_first >= RECHECK_EVERY {
            host_history.browser_first = 0;
            return false;
        }
        true
    }

    /// Decides whether a page with this need is rendered: `Ok` with the reason, or `Err` with the reason against it.
    pub(crate) fn decide(
        &mut self,
        host: &Origin,
        need: RenderNeed,
        now: Instant,
    ) -> Result<RenderReason, RenderReason> {
        let host_history = self.current(host, now);
        match need {
            RenderNeed::Plain => {
                if let Some(host_history) = host_history {
                    host_history.improved_streak = 0;
                }
                Err(RenderReason::Readable)
            }
            RenderNeed::Likely(reason) | RenderNeed::Certain(reason) => {
                if host_history.is_some_and(|host_history| host_history.skips(need, now)) {
                    return Err(RenderReason::HostPlain);
                }
                Ok(reason)
            }
        }
    }

    /// Records the effect of rendering a page.
    pub(crate) fn record(
        &mut self,
        host: &Origin,
        need: RenderNeed,
        effect: RenderEffect,
        now: Instant,
    ) {
        if self.current(host, now).is_none() {
            self.evict(now);
        }
        let host_history = self.hosts.entry(host.clone());
        let host_history = host_history.or_insert_with(|| HostHistory::new(now));
        if effect != RenderEffect::TimedOut {
            host_history.timeouts = 0;
            host_history.paused_until = None;
        }
        match (effect, need) {
            (RenderEffect::TimedOut, _) => {
                host_history.timeouts += 1;
                if host_history.timeouts >= MAX_TIMEOUTS {
                    host_history.timeouts = 0;
                    host_history.paused_until = Some(now + PAUSE_AFTER_TIMEOUTS);
                }
            }
            (RenderEffect::Improved, _) => {
                host_history.improved_streak = host_history.improved_streak.saturating_add(1);
                host_history.unchanged_likely = 0;
                host_history.unchanged_certain = 0;
            }
            (RenderEffect::Redirected, _) => host_history.unchanged_certain = 0,
            (RenderEffect::Unchanged, RenderNeed::Certain(_)) => {
                host_history.improved_streak = 0;
                host_history.unchanged_certain = host_history.unchanged_certain.saturating_add(1);
            }
            (RenderEffect::Unchanged, _) => {
                host_history.improved_streak = 0;
                host_history.unchanged_likely = host_history.unchanged_likely.saturating_add(1);
            }
        }
    }

    /// Returns the entry of a host, unless it has expired.
    fn current(&mut self, host: &Origin, now: Instant) -> Option<&mut HostHistory> {
        if self
            .hosts
            .get(host)
            .is_some_and(|entry| !entry.is_current(now))
        {
            self.hosts.remove(host);
        }
        self.hosts.get_mut(host)
    }

    /// Removes expired entries and, when full, the oldest tenth.
    fn evict(&mut self, now: Instant) {
        if self.hosts.len() < MAX_HOSTS {
            return;
        }
        let mut started: Vec<Instant> = self.hosts.values().map(|entry| entry.started).collect();
        let (_, tenth, _) = started.select_nth_unstable(MAX_HOSTS / 10);
        let tenth = *tenth;
        self.hosts
            .retain(|_, entry| entry.started > tenth && entry.is_current(now));
    }
}

#[cfg(test)]
mod tests {
    use crawler_model::RenderNeed::{Certain, Likely, Plain};
    use crawler_model::RenderReason::{EmptyRoot, HostPlain, LittleText, Readable};

    use super::*;

    fn host(name: &str) -> Origin {
        Origin::new(&format!("https://{name}"))
    }

    #[test]
    fn plain_pages_leave_no_entry() {
        let (mut history, now, host) = (RenderHistory::default(), Instant::now(), host("plain"));
        for _ in 0..1_000 {
            assert!(!history.goes_to_browser_first(&host, now));
            assert_eq!(history.decide(&host, Plain, now), Err(Readable));
        }
        assert!(history.hosts.is_empty());
    }

    #[test]
    fn after_three_improved_pages_the_browser_comes_first_except_every_twentieth() {
        let (mut history, now, host) = (RenderHistory::default(), Instant::now(), host("app"));
        for _ in 0..3 {
            assert!(!history.goes_to_browser_first(&host, now));
            let need = Certain(EmptyRoot);
            assert_eq!(history.decide(&host, need, now), Ok(EmptyRoot));
            history.record(&host, need, RenderEffect::Improved, now);
        }
        for round in 0..3 {
            for page in 0..19 {
                assert!(history.goes_to_browser_first(&host, now), "{round} {page}");
            }
            assert!(!history.goes_to_browser_first(&host, now), "{round}");
        }
        // The host has changed: the HTTP page is readable.
        assert_eq!(history.decide(&host, Plain, now), Err(Readable));
        assert!(!history.goes_to_browser_first(&host, now));
    }

    #[test]
    fn improved_pages_must_be_in_a_row_and_redirects_do_not_count() {
        let (mut history, now, host) = (RenderHistory::default(), Instant::now(), host("mixed"));
        let need = Certain(EmptyRoot);
        for effect in [
            RenderEffect::Improved,
            RenderEffect::Improved,
            RenderEffect::Unchanged,
            RenderEffect::Improved,
        ] {
            history.record(&host, need, effect, now);
        }
        assert!(!history.goes_to_browser_first(&host, now));
        for _ in 0..10 {
            history.record(&host, need, RenderEffect::Redirected, now);
            assert!(!history.goes_to_browser_first(&host, now));
        }
    }

    #[test]
    fn rendering_stops_after_two_likely_or_five_certain_unchanged_pages() {
        let (mut history, now, host) = (RenderHistory::default(), Instant::now(), host("idle"));
        let (likely, certain) = (Likely(LittleText), Certain(EmptyRoot));
        history.record(&host, likely, RenderEffect::Unchanged, now);
        assert_eq!(history.decide(&host, likely, now), Ok(LittleText));
        history.record(&host, likely, RenderEffect::Unchanged, now);
        assert_eq!(history.decide(&host, likely, now), Err(HostPlain));
        for _ in 0..5 {
            assert_eq!(history.decide(&host, certain, now), Ok(EmptyRoot));
            history.record(&host, certain, RenderEffect::Unchanged, now);
        }
        assert_eq!(history.decide(&host, certain, now), Err(HostPlain));
        // Another host is not affected.
        let other = super::tests::host("other");
        assert_eq!(history.decide(&other, likely, now), Ok(LittleText));
        // The entry expires after a day.
        let later = now + HISTORY_TTL;
        assert_eq!(history.decide(&host, certain, later), Ok(EmptyRoot));
        assert_eq!(history.decide(&host, likely, later), Ok(LittleText));
        assert!(history.hosts.is_empty());
    }

    #[test]
    fn one_page_in_twenty_is_rendered_as_a_recheck() {
        let (mut history, now, host) = (RenderHistory::default(), Instant::now(), host("idle"));
        for (need, idle, reason) in [
            (Likely(LittleText), MAX_UNCHANGED_LIKELY, LittleText),
            (Certain(EmptyRoot), MAX_UNCHANGED_CERTAIN, EmptyRoot),
        ] {
            for _ in 0..idle {
                history.record(&host, need, RenderEffect::Unchanged, now);
            }
            for round in 0..3 {
                for page in 0..19 {
                    let decided = history.decide(&host, need, now);
                    assert_eq!(decided, Err(HostPlain), "{round} {page}");
                }
                assert_eq!(history.decide(&host, need, now), Ok(reason), "{round}");
                history.record(&host, need, RenderEffect::Unchanged, now);
            }
            history.record(&host, need, RenderEffect::Improved, now);
            assert_eq!(history.decide(&host, need, now), Ok(reason));
        }
    }

    #[test]
    fn an_entry_expires_although_pages_keep_coming() {
        let (mut history, start, host) = (RenderHistory::default(), Instant::now(), host("busy"));
        let need = Certain(EmptyRoot);
        let mut rendered = Vec::new();
        for minute in 0..2 * 24 * 60 {
            let now = start + Duration::from_mins(minute);
            if history.decide(&host, need, now).is_ok() {
                rendered.push(minute);
                history.record(&host, need, RenderEffect::Unchanged, now);
            }
        }
        // Five at the start of each day, and one in twenty in between.
        assert_eq!(rendered[..7], [0, 1, 2, 3, 4, 24, 44]);
        let second: Vec<u64> = rendered.into_iter().filter(|at| *at >= 1_440).collect();
        assert_eq!(second[..6], [1_440, 1_441, 1_442, 1_443, 1_444, 1_464]);
    }

    #[test]
    fn timeouts_pause_rendering_for_a_while() {
        let (mut history, now, host) = (RenderHistory::default(), Instant::now(), host("timeouts"));
        let need = Certain(EmptyRoot);
        for _ in 0..DIRECT_AFTER {
            history.record(&host, need, RenderEffect::Improved, now);
        }
        // A page that did not time out resets the streak.
        for effect in [
            RenderEffect::TimedOut,
            RenderEffect::Redirected,
            RenderEffect::TimedOut,
        ] {
            for _ in 0..MAX_TIMEOUTS - 1 {
                history.record(&host, need, effect, now);
            }
            assert!(history.goes_to_browser_first(&host, now));
            assert_eq!(history.decide(&host, need, now), Ok(EmptyRoot));
        }
        history.record(&host, need, RenderEffect::TimedOut, now);
        let later = now + PAUSE_AFTER_TIMEOUTS / 2;
        assert!(!history.goes_to_browser_first(&host, later));
        assert_eq!(history.decide(&host, need, later), Err(HostPlain));
        // Rechecks that time out during the pause do not extend it.
        for _ in 0..MAX_TIMEOUTS - 1 {
            history.record(&host, need, RenderEffect::TimedOut, later);
        }
        let then = now + PAUSE_AFTER_TIMEOUTS;
        assert_eq!(history.decide(&host, need, then), Ok(EmptyRoot));
        // The earlier history is still valid.
        assert!(history.goes_to_browser_first(&host, then));
        history.record(&host, need, RenderEffect::TimedOut, then);
        assert!(!history.goes_to_browser_first(&host, then));
        history.record(&host, need, RenderEffect::Improved, then);
        assert!(history.goes_to_browser_first(&host, then));
    }

    #[test]
    fn the_oldest_entries_are_removed() {
        let (mut history, start) = (RenderHistory::default(), Instant::now());
        let need = Likely(LittleText);
        let at = |number: usize| start + Duration::from_millis(number as u64);
        // Inserted in another order than their age.
        let order = (0..MAX_HOSTS).map(|number| number * 7_919 % MAX_HOSTS);
        for number in order {
            history.record(
                &host(&number.to_string()),
                need,
                RenderEffect::Unchanged,
                at(number),
            );
        }
        assert_eq!(history.hosts.len(), MAX_HOSTS);
        let has_entry = |history: &RenderHistory, number: usize| {
            history.hosts.contains_key(&host(&number.to_string()))
        };
        // Updating an entry does not evict others.
        history.record(&host("0"), need, RenderEffect::Unchanged, at(MAX_HOSTS));
        assert!(has_entry(&history, 0));
        let newest = MAX_HOSTS;
        history.record(
            &host(&newest.to_string()),
            need,
            RenderEffect::Unchanged,
            at(newest),
        );
        let tenth = MAX_HOSTS / 10;
        for number in 0..=newest {
            assert_eq!(has_entry(&history, number), number > tenth, "{number}");
        }
        for number in newest + 1..3 * MAX_HOSTS {
            history.record(
                &host(&number.to_string()),
                need,
                RenderEffect::Unchanged,
                at(number),
            );
            assert!(history.hosts.len() <= MAX_HOSTS);
        }
        assert!(has_entry(&history, 3 * MAX_HOSTS - 1));
    }
}
