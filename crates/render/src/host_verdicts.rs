//! What rendering did for the pages of a host so far, and what follows for the next one.
//!
//! A host is an origin here: another port is another application. Pure: time comes in as an argument. Bounded: a verdict
//! lasts a day from its first page, however many came since, and of more than [`MOST_HOSTS`] the oldest are forgotten. A host
//! whose pages are all plain is not in it at all. No verdict is beyond correction: one page in [`ASKED_AGAIN`] is had in
//! the other way.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use model::{RenderNeed, RenderReason};
use weburl::Origin;

/// After this many pages in a row that gained by it, a host's pages go straight to the browser …
const GAINS: u32 = 3;
/// … but for one in this many, which is asked for by HTTP first, so that a host that changed is noticed. As many are
/// rendered nevertheless where rendering brought nothing.
const ASKED_AGAIN: u32 = 20;
/// After this many likely pages in a row that gained nothing, *likely* is not enough …
const IDLE_LIKELY: u32 = 2;
/// … and after this many certain ones, *certain* is not either.
const IDLE_CERTAIN: u32 = 5;
/// After this many in a row that were not ready in time no page is rendered for [`SPARED`]: it may be the host, and it may
/// be that we have too much to do, which is no verdict about the host.
const LATE: u32 = 5;
const SPARED: Duration = Duration::from_mins(5);
/// How long a verdict lasts from its first page.
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
    /// Nothing in time, which may be our own doing.
    Late,
    /// The reader was sent elsewhere: no waste, and no sign for the other pages.
    Elsewhere,
}

/// What is known of all hosts.
#[derive(Debug, Default)]
pub struct HostVerdicts {
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
    /// Pages in need that were not rendered since one was last.
    passed_over: u32,
    /// Pages in a row that were late.
    late: u32,
    /// No page is rendered before.
    spared_until: Option<Instant>,
    begun: Instant,
}

impl Verdict {
    fn new(now: Instant) -> Self {
        Self {
            gains: 0,
            straight: 0,
            idle_likely: 0,
            idle_certain: 0,
            passed_over: 0,
            late: 0,
            spared_until: None,
            begun: now,
        }
    }

    fn holds(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.begun) < LASTS
    }

    fn is_spared(&self, now: Instant) -> bool {
        self.spared_until.is_some_and(|then| now < then)
    }

    /// Whether a page of that need has to be passed over: what is known speaks against rendering it, and it is not the one
    /// that is rendered nevertheless.
    fn passes_over(&mut self, need: RenderNeed, now: Instant) -> bool {
        let is_idle = match need {
            RenderNeed::Plain => false,
            RenderNeed::Likely(_) => self.idle_likely >= IDLE_LIKELY,
            RenderNeed::Certain(_) => self.idle_certain >= IDLE_CERTAIN,
        };
        if !is_idle && !self.is_spared(now) {
            return false;
        }
        self.passed_over += 1;
        if self.passed_over < ASKED_AGAIN {
            return true;
        }
        self.passed_over = 0;
        false
    }
}

impl HostVerdicts {
    /// Whether the next page of this host goes straight to the browser.
    pub(crate) fn goes_straight(&mut self, host: &Origin, now: Instant) -> bool {
        let Some(verdict) = self.current(host, now) else {
            return false;
        };
        if verdict.gains < GAINS || verdict.is_spared(now) {
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
        let known = self.current(host, now);
        match need {
            RenderNeed::Plain => {
                if let Some(verdict) = known {
                    verdict.gains = 0;
                }
                Err(RenderReason::Readable)
            }
            RenderNeed::Likely(reason) | RenderNeed::Certain(reason) => {
                if known.is_some_and(|verdict| verdict.passes_over(need, now)) {
                    return Err(RenderReason::HostPlain);
                }
                Ok(reason)
            }
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
        let verdict = self.hosts.entry(host.clone());
        let verdict = verdict.or_insert_with(|| Verdict::new(now));
        if brought != Brought::Late {
            verdict.late = 0;
            verdict.spared_until = None;
        }
        match (brought, need) {
            (Brought::Late, _) => {
                verdict.late += 1;
                if verdict.late >= LATE {
                    verdict.late = 0;
                    verdict.spared_until = Some(now + SPARED);
                }
            }
            (Brought::More, _) => {
                verdict.gains = verdict.gains.saturating_add(1);
                verdict.idle_likely = 0;
                verdict.idle_certain = 0;
            }
            (Brought::Elsewhere, _) => verdict.idle_certain = 0,
            (Brought::Nothing, RenderNeed::Certain(_)) => {
                verdict.gains = 0;
                verdict.idle_certain = verdict.idle_certain.saturating_add(1);
            }
            (Brought::Nothing, _) => {
                verdict.gains = 0;
                verdict.idle_likely = verdict.idle_likely.saturating_add(1);
            }
        }
    }

    /// What is known of a host and still holds.
    fn current(&mut self, host: &Origin, now: Instant) -> Option<&mut Verdict> {
        if self.hosts.get(host).is_some_and(|known| !known.holds(now)) {
            self.hosts.remove(host);
        }
        self.hosts.get_mut(host)
    }

    /// Forgets what no longer holds and, where that is not enough, the oldest tenth.
    fn make_room(&mut self, now: Instant) {
        if self.hosts.len() < MOST_HOSTS {
            return;
        }
        let mut begun: Vec<Instant> = self.hosts.values().map(|known| known.begun).collect();
        let (_, tenth, _) = begun.select_nth_unstable(MOST_HOSTS / 10);
        let tenth = *tenth;
        self.hosts
            .retain(|_, known| known.begun > tenth && known.holds(now));
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
    fn one_in_twenty_is_rendered_nevertheless_and_may_correct_the_verdict() {
        let (mut verdicts, now, host) = (HostVerdicts::default(), Instant::now(), host("idle"));
        for (need, idle, reason) in [
            (Likely(LittleText), IDLE_LIKELY, LittleText),
            (Certain(EmptyRoot), IDLE_CERTAIN, EmptyRoot),
        ] {
            for _ in 0..idle {
                verdicts.learn(&host, need, Brought::Nothing, now);
            }
            for round in 0..3 {
                for page in 0..19 {
                    let decided = verdicts.decide(&host, need, now);
                    assert_eq!(decided, Err(HostPlain), "{round} {page}");
                }
                assert_eq!(verdicts.decide(&host, need, now), Ok(reason), "{round}");
                verdicts.learn(&host, need, Brought::Nothing, now);
            }
            verdicts.learn(&host, need, Brought::More, now);
            assert_eq!(verdicts.decide(&host, need, now), Ok(reason));
        }
    }

    #[test]
    fn a_verdict_ends_although_pages_keep_coming() {
        let (mut verdicts, start, host) = (HostVerdicts::default(), Instant::now(), host("busy"));
        let need = Certain(EmptyRoot);
        let mut rendered = Vec::new();
        for minute in 0..2 * 24 * 60 {
            let now = start + Duration::from_mins(minute);
            if verdicts.decide(&host, need, now).is_ok() {
                rendered.push(minute);
                verdicts.learn(&host, need, Brought::Nothing, now);
            }
        }
        // five at the start of each day, and one in twenty between
        assert_eq!(rendered[..7], [0, 1, 2, 3, 4, 24, 44]);
        let second: Vec<u64> = rendered.into_iter().filter(|at| *at >= 1_440).collect();
        assert_eq!(second[..6], [1_440, 1_441, 1_442, 1_443, 1_444, 1_464]);
    }

    #[test]
    fn lateness_spares_a_host_for_a_while_and_is_no_verdict() {
        let (mut verdicts, now, host) = (HostVerdicts::default(), Instant::now(), host("late"));
        let need = Certain(EmptyRoot);
        for _ in 0..GAINS {
            verdicts.learn(&host, need, Brought::More, now);
        }
        // four, and then one that came: it begins anew
        for brought in [Brought::Late, Brought::Elsewhere, Brought::Late] {
            for _ in 0..LATE - 1 {
                verdicts.learn(&host, need, brought, now);
            }
            assert!(verdicts.goes_straight(&host, now));
            assert_eq!(verdicts.decide(&host, need, now), Ok(EmptyRoot));
        }
        verdicts.learn(&host, need, Brought::Late, now);
        let later = now + SPARED / 2;
        assert!(!verdicts.goes_straight(&host, later));
        assert_eq!(verdicts.decide(&host, need, later), Err(HostPlain));
        // those that are let through meanwhile and are late again do not make it longer
        for _ in 0..LATE - 1 {
            verdicts.learn(&host, need, Brought::Late, later);
        }
        let then = now + SPARED;
        assert_eq!(verdicts.decide(&host, need, then), Ok(EmptyRoot));
        // what was known before is known still
        assert!(verdicts.goes_straight(&host, then));
        verdicts.learn(&host, need, Brought::Late, then);
        assert!(!verdicts.goes_straight(&host, then));
        verdicts.learn(&host, need, Brought::More, then);
        assert!(verdicts.goes_straight(&host, then));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let (mut verdicts, start) = (HostVerdicts::default(), Instant::now());
        let need = Likely(LittleText);
        let at = |number: usize| start + Duration::from_millis(number as u64);
        // in an order that is not that of their age
        let order = (0..MOST_HOSTS).map(|number| number * 7_919 % MOST_HOSTS);
        for number in order {
            verdicts.learn(
                &host(&number.to_string()),
                need,
                Brought::Nothing,
                at(number),
            );
        }
        assert_eq!(verdicts.hosts.len(), MOST_HOSTS);
        let knows = |verdicts: &HostVerdicts, number: usize| {
            verdicts.hosts.contains_key(&host(&number.to_string()))
        };
        // one that is known needs no room
        verdicts.learn(&host("0"), need, Brought::Nothing, at(MOST_HOSTS));
        assert!(knows(&verdicts, 0));
        let newest = MOST_HOSTS;
        verdicts.learn(
            &host(&newest.to_string()),
            need,
            Brought::Nothing,
            at(newest),
        );
        let tenth = MOST_HOSTS / 10;
        for number in 0..=newest {
            assert_eq!(knows(&verdicts, number), number > tenth, "{number}");
        }
        for number in newest + 1..3 * MOST_HOSTS {
            verdicts.learn(
                &host(&number.to_string()),
                need,
                Brought::Nothing,
                at(number),
            );
            assert!(verdicts.hosts.len() <= MOST_HOSTS);
        }
        assert!(knows(&verdicts, 3 * MOST_HOSTS - 1));
    }
}
