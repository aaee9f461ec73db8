//! What rendering did for the pages of a host so far, and what follows for the next one.
//!
//! A host is an origin here: another port is another application. Pure: time comes in as an argument. Bounded: a verdict
//! lasts a day from when it was last learned, and of more than [`MOST_HOSTS`] the oldest are forgotten. A host whose pages
//! are all plain is not in it at all.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use model::{RenderNeed, RenderReason};
use weburl::Origin;

/// After this many pages in a row that gained by it, a host's pages go straight to the browser …
const GAINS: u32 = 3;
/// … but for one in this many, which is asked for by HTTP first, so that a host that changed is noticed.
const ASKED_AGAIN: u32 = 20;
/// After this many likely pages in a row that gained nothing, *likely* is not enough …
const IDLE_LIKELY: u32 = 2;
/// … and after this many certain ones, *certain* is not either.
const IDLE_CERTAIN: u32 = 5;
/// How long a verdict lasts from when it was last learned.
const LASTS: Duration = Duration::from_hours(24);
/// Hosts that are remembered.
const MOST_HOSTS: usize = 10_000;

/// What rendering a page brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Brought {
    /// Substantially more than HTTP did.
    More,
    /// Nothing of substance.
    Nothing,
    /// The reader was sent elsewhere: no waste, and no sign for the other pages.
    Elsewhere,
}

/// What is known of all hosts.
#[derive(Debug, Default)]
pub(crate) struct HostVerdicts {
    hosts: HashMap<Origin, Verdict>,
}

#[derive(Debug)]
struct Verdict {
    /// Pages in a row that gained.
    gains: u32,
    /// Pages that went straight to the browser since HTTP was last asked.
    straight: u32,
    /// Likely pages in a row that gained nothing.
    idle_likely: u32,
    /// Certain pages in a row that gained nothing.
    idle_certain: u32,
    learned: Instant,
}

impl HostVerdicts {
    /// Whether the next page of this host goes straight to the browser.
    pub(crate) fn goes_straight(&mut self, host: &Origin, now: Instant) -> bool {
        let Some(verdict) = self.current(host, now) else {
            return false;
        };
        if verdict.gains < GAINS {
            return false;
        }
        verdict.straight += 1;
        if verdict.straight >= ASKED_AGAIN {
            verdict.straight = 0;
            return false;
        }
        true
    }

    /// Whether a page of that need is rendered, and why or why not.
    pub(crate) fn decide(
        &mut self,
        host: &Origin,
        need: RenderNeed,
        now: Instant,
    ) -> Result<RenderReason, RenderReason> {
        let mut known = self.current(host, now);
        if need == RenderNeed::Plain
            && let Some(verdict) = &mut known
        {
            verdict.gains = 0;
        }
        let (likely, certain) =
            known.map_or((0, 0), |known| (known.idle_likely, known.idle_certain));
        match need {
            RenderNeed::Plain => Err(RenderReason::Readable),
            RenderNeed::Likely(_) if likely >= IDLE_LIKELY => Err(RenderReason::HostPlain),
            RenderNeed::Certain(_) if certain >= IDLE_CERTAIN => Err(RenderReason::HostPlain),
            RenderNeed::Likely(reason) | RenderNeed::Certain(reason) => Ok(reason),
        }
    }

    /// A page of that need was rendered, and this is what it brought.
    pub(crate) fn learn(
        &mut self,
        host: &Origin,
        need: RenderNeed,
        brought: Brought,
        now: Instant,
    ) {
        if self.current(host, now).is_none() {
            self.make_room(now);
        }
        let verdict = self.hosts.entry(host.clone()).or_insert(Verdict {
            gains: 0,
            straight: 0,
            idle_likely: 0,
            idle_certain: 0,
            learned: now,
        });
        verdict.learned = now;
        match (brought, need) {
            (Brought::More, _) => {
                verdict.gains = verdict.gains.saturating_add(1);
                verdict.idle_likely = 0;
                verdict.idle_certain = 0;
            }
            (Brought::Elsewhere, _) => verdict.idle_certain = 0,
            (Brought::Nothing, RenderNeed::Certain(_)) => {
                verdict.gains = 0;
                verdict.idle_certain += 1;
            }
            (Brought::Nothing, _) => {
                verdict.gains = 0;
                verdict.idle_likely += 1;
            }
        }
    }

    /// What is known of a host and still holds.
    fn current(&mut self, host: &Origin, now: Instant) -> Option<&mut Verdict> {
        let holds = |verdict: &Verdict| now.saturating_duration_since(verdict.learned) < LASTS;
        if self.hosts.get(host).is_some_and(|known| !holds(known)) {
            self.hosts.remove(host);
        }
        self.hosts.get_mut(host)
    }

    /// Forgets what no longer holds and, where that is not enough, the oldest tenth.
    fn make_room(&mut self, now: Instant) {
        if self.hosts.len() < MOST_HOSTS {
            return;
        }
        let mut learned: Vec<Instant> = self.hosts.values().map(|known| known.learned).collect();
        let (_, tenth, _) = learned.select_nth_unstable(MOST_HOSTS / 10);
        let eldest = *tenth;
        self.hosts.retain(|_, known| {
            known.learned > eldest && now.saturating_duration_since(known.learned) < LASTS
        });
    }
}

#[cfg(test)]
mod tests {
    use model::RenderNeed::{Certain, Likely, Plain};
    use model::RenderReason::{EmptyRoot, HostPlain, LittleText, Readable};

    use super::*;

    fn host(name: &str) -> Origin {
        Origin::new(&format!("https://{name}"))
    }

    #[test]
    fn a_thousand_plain_pages_cost_nothing_and_leave_nothing() {
        let (mut verdicts, now, host) = (HostVerdicts::default(), Instant::now(), host("plain"));
        for _ in 0..1_000 {
            assert!(!verdicts.goes_straight(&host, now));
            assert_eq!(verdicts.decide(&host, Plain, now), Err(Readable));
        }
        assert!(verdicts.hosts.is_empty());
    }

    #[test]
    fn after_three_gains_the_browser_and_http_for_every_twentieth() {
        let (mut verdicts, now, host) = (HostVerdicts::default(), Instant::now(), host("app"));
        for _ in 0..3 {
            assert!(!verdicts.goes_straight(&host, now));
            let need = Certain(EmptyRoot);
            assert_eq!(verdicts.decide(&host, need, now), Ok(EmptyRoot));
            verdicts.learn(&host, need, Brought::More, now);
        }
        for round in 0..3 {
            for page in 0..19 {
                assert!(verdicts.goes_straight(&host, now), "{round} {page}");
            }
            assert!(!verdicts.goes_straight(&host, now), "{round}");
        }
        // the host changed: what HTTP brings can be read
        assert_eq!(verdicts.decide(&host, Plain, now), Err(Readable));
        assert!(!verdicts.goes_straight(&host, now));
    }

    #[test]
    fn gains_must_be_in_a_row_and_a_move_is_none() {
        let (mut verdicts, now, host) = (HostVerdicts::default(), Instant::now(), host("mixed"));
        let need = Certain(EmptyRoot);
        for brought in [
            Brought::More,
            Brought::More,
            Brought::Nothing,
            Brought::More,
        ] {
            verdicts.learn(&host, need, brought, now);
        }
        assert!(!verdicts.goes_straight(&host, now));
        for _ in 0..10 {
            verdicts.learn(&host, need, Brought::Elsewhere, now);
            assert!(!verdicts.goes_straight(&host, now));
        }
    }

    #[test]
    fn likely_is_not_enough_after_two_idle_ones_and_certain_after_five() {
        let (mut verdicts, now, host) = (HostVerdicts::default(), Instant::now(), host("idle"));
        let (likely, certain) = (Likely(LittleText), Certain(EmptyRoot));
        verdicts.learn(&host, likely, Brought::Nothing, now);
        assert_eq!(verdicts.decide(&host, likely, now), Ok(LittleText));
        verdicts.learn(&host, likely, Brought::Nothing, now);
        assert_eq!(verdicts.decide(&host, likely, now), Err(HostPlain));
        for _ in 0..5 {
            assert_eq!(verdicts.decide(&host, certain, now), Ok(EmptyRoot));
            verdicts.learn(&host, certain, Brought::Nothing, now);
        }
        assert_eq!(verdicts.decide(&host, certain, now), Err(HostPlain));
        // another host is none the wiser
        let other = super::tests::host("other");
        assert_eq!(verdicts.decide(&other, likely, now), Ok(LittleText));
        // and tomorrow is another day
        let later = now + LASTS;
        assert_eq!(verdicts.decide(&host, certain, later), Ok(EmptyRoot));
        assert_eq!(verdicts.decide(&host, likely, later), Ok(LittleText));
        assert!(verdicts.hosts.is_empty());
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let (mut verdicts, start) = (HostVerdicts::default(), Instant::now());
        let mut now = start;
        for number in 0..3 * MOST_HOSTS {
            now = start + Duration::from_millis(number as u64);
            let host = host(&number.to_string());
            verdicts.learn(&host, Likely(LittleText), Brought::Nothing, now);
            verdicts.learn(&host, Likely(LittleText), Brought::Nothing, now);
            assert!(verdicts.hosts.len() <= MOST_HOSTS);
        }
        let last = host(&(3 * MOST_HOSTS - 1).to_string());
        assert_eq!(
            verdicts.decide(&last, Likely(LittleText), now),
            Err(HostPlain)
        );
        let first = host("0");
        assert_eq!(
            verdicts.decide(&first, Likely(LittleText), now),
            Ok(LittleText)
        );
    }
}
