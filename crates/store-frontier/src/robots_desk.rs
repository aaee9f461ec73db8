//! Each origin's robots.txt: from the store's memory, else asked for once.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use frontier::{Moment, RobotsErrand};
use model::{FailKind, Failure};
use sitefiles::{Robots, robots_token};
use store::{RobotsText, StoredRobots};
use weburl::{CrawlUrl, Origin};

/// How long rules are good for, as RFC 9309 asks.
const FRESH: Duration = Duration::from_hours(24);
/// How long a failure is believed.
const FRESH_FAILURE: Duration = Duration::from_mins(1);
/// Origins remembered before all but those being asked are forgotten.
const MOST_ORIGINS: usize = 2_000;

/// What an origin's robots.txt says.
#[derive(Debug)]
pub(crate) enum Known {
    /// Rules to obey.
    Rules(Robots),
    /// A server error.
    Unavailable(Failure),
    /// No answer at all.
    Unreachable(Failure),
}

#[derive(Debug)]
enum Entry {
    /// Being asked; these tasks wait for it.
    Asked(Vec<u64>),
    Known {
        known: Known,
        until: Moment,
    },
}

/// Each origin's robots.txt.
#[derive(Debug, Default)]
pub(crate) struct RobotsDesk {
    origins: HashMap<Origin, Entry>,
    /// To be asked of the sites themselves, not before then.
    errands: VecDeque<(Moment, RobotsErrand)>,
    /// Tasks that wait for one of them.
    waiting: usize,
}

/// The answer to "what does it say?".
#[derive(Debug)]
pub(crate) enum Look<'a> {
    Known(&'a Known),
    /// The task waits; `ask`: nobody has asked the store yet.
    Wait {
        ask: bool,
    },
}

impl RobotsDesk {
    /// What the origin says; the task waits if that is not known yet.
    pub(crate) fn look(&mut self, origin: &Origin, ticket: u64, now: Moment) -> Look<'_> {
        let stale = |entry: &Entry| matches!(entry, Entry::Known { until, .. } if *until <= now);
        if self.origins.get(origin).is_some_and(stale) {
            self.origins.remove(origin);
        }
        if self.origins.len() >= MOST_ORIGINS && !self.origins.contains_key(origin) {
            self.origins
                .retain(|_, entry| matches!(entry, Entry::Asked(_)));
        }
        let mut ask = false;
        let entry = self.origins.entry(origin.clone()).or_insert_with(|| {
            ask = true;
            Entry::Asked(Vec::new())
        });
        match entry {
            Entry::Asked(waiting) => {
                waiting.push(ticket);
                self.waiting += 1;
                Look::Wait { ask }
            }
            Entry::Known { known, .. } => Look::Known(known),
        }
    }

    /// The sitemaps that an origin's robots.txt names.
    pub(crate) fn sitemaps(&self, origin: &Origin) -> Vec<String> {
        match self.origins.get(origin) {
            Some(Entry::Known {
                known: Known::Rules(rules),
                ..
            }) => rules.sitemaps().to_vec(),
            _ => Vec::new(),
        }
    }

    /// The store's memory of it: taken if it is fresh, else the site is asked. Returns the crawl-delay and who waited.
    pub(crate) fn remembered(
        &mut self,
        origin: &Origin,
        stored: Option<StoredRobots>,
        agent: &str,
        now: Moment,
    ) -> (Option<Duration>, Vec<u64>) {
        let fresh = stored.and_then(|stored| {
            let (known, fresh) = match stored.robots {
                RobotsText::Text(text) => {
                    let rules = Robots::parse(text.as_bytes(), robots_token(agent));
                    (Known::Rules(rules), FRESH)
                }
                RobotsText::Absent => (Known::Rules(Robots::allow_all()), FRESH),
                RobotsText::Unavailable(words) => {
                    let failure = Failure::new(FailKind::ServerError, words);
                    (Known::Unavailable(failure), FRESH_FAILURE)
                }
            };
            let left = fresh.checked_sub(stored.age)?;
            Some((known, left))
        });
        if let Some((known, left)) = fresh {
            return self.learn(origin, known, left, now);
        }
        if let Some(url) = CrawlUrl::from_normalised(&format!("{origin}/robots.txt")) {
            let errand = RobotsErrand {
                origin: origin.clone(),
                url,
                hops: 0,
                attempt: 0,
            };
            self.send(errand, now);
        }
        (None, Vec::new())
    }

    /// Asks a site, not before then.
    pub(crate) fn send(&mut self, errand: RobotsErrand, at: Moment) {
        self.errands.push_back((at, errand));
    }

    /// What the site itself said.
    pub(crate) fn answered(
        &mut self,
        origin: &Origin,
        known: Known,
        now: Moment,
    ) -> (Option<Duration>, Vec<u64>) {
        let fresh = match known {
            Known::Rules(_) => FRESH,
            _ => FRESH_FAILURE,
        };
        self.learn(origin, known, fresh, now)
    }

    fn learn(
        &mut self,
        origin: &Origin,
        known: Known,
        fresh: Duration,
        now: Moment,
    ) -> (Option<Duration>, Vec<u64>) {
        let delay = match &known {
            Known::Rules(rules) => rules.crawl_delay().filter(|delay| !delay.is_zero()),
            _ => None,
        };
        let until = now + fresh;
        let before = self
            .origins
            .insert(origin.clone(), Entry::Known { known, until });
        match before {
            Some(Entry::Asked(waiting)) => {
                self.waiting -= waiting.len();
                (delay, waiting)
            }
            _ => (delay, Vec::new()),
        }
    }

    /// The errands whose time has come, up to `most`; `opens_at` says when a host may be asked.
    pub(crate) fn due(
        &mut self,
        most: usize,
        now: Moment,
        opens_at: impl Fn(&CrawlUrl) -> Moment,
    ) -> Vec<RobotsErrand> {
        let mut due = Vec::new();
        for _ in 0..self.errands.len() {
            let Some((at, mut errand)) = self.errands.pop_front() else {
                break;
            };
            let at = at.max(opens_at(&errand.url));
            if due.len() < most && at <= now {
                errand.attempt += 1;
                due.push(errand);
            } else {
                self.errands.push_back((at, errand));
            }
        }
        due
    }

    /// Tasks that wait; some of them may be lost by now.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// When the next errand is due.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.errands.iter().map(|(at, _)| *at).min()
    }
}
