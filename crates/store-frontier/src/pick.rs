//! The way out to page workers: time, robots.txt, the host's pace.

use std::time::Duration;

use frontier::{Errand, Moment, Work};
use model::{FailKind, Found, Notice, RobotsErrors, RobotsPolicy, SitemapPolicy, SkipReason};
use sitefiles::RobotsVerdict;
use store::{Store, StoreError, StoredRobots, Verdict};
use weburl::{CrawlUrl, Origin};

use crate::StoreFrontier;
use crate::held::Stage;
use crate::robots_desk::{Known, Look};
use crate::worker_counts::add;

/// A task whose host asks for a longer pause is handed back: the store knows of the pause too.
const LONGEST_HOLD: Duration = Duration::from_secs(5);
/// A task that would start later than this after its host's start was given takes another one: by then the next request,
/// of whichever worker, may be under way.
const LATE: Duration = Duration::from_millis(15);
/// Nobody waits longer between two requests, as on the command line.
const LONGEST_DELAY: Duration = Duration::from_hours(1);
/// How long a task waits to hear whether its lease is still ours.
const CERTAINTY: Duration = Duration::from_millis(100);

/// Whether a task may start.
enum Leave {
    Granted,
    /// It waits for its site's robots.txt.
    Wait,
    Refused(Verdict),
}

impl<S: Store> StoreFrontier<S> {
    pub(crate) fn pick(&mut self, most: usize, now: Moment) -> Vec<Work> {
        let mut work = self.pick_errands(most, now);
        while work.len() < most {
            let Some((at, ticket)) = self.ready.first().copied() else {
                break;
            };
            if at > now {
                break;
            }
            self.ready.pop_first();
            if let Some(task) = self.start(ticket, now) {
                work.push(task);
            }
        }
        // A task may have sent for a robots.txt that the store had not to be asked about.
        let more = most - work.len();
        work.extend(self.pick_errands(more, now));
        work
    }

    fn pick_errands(&mut self, most: usize, now: Moment) -> Vec<Work> {
        let hosts = &self.hosts;
        let due = self
            .robots
            .due(most, now, |url| hosts.opens_at(&url.host_key()));
        let mut errands: Vec<Errand> = due.into_iter().map(Errand::Robots).collect();
        let more = most - errands.len();
        let due = self
            .sitemaps
            .due(more, now, |url| hosts.opens_at(&url.host_key()));
        for errand in &due {
            // A robots.txt is asked for in its page's place. Sitemaps are many, and others are to make room for them.
            if self.hosts.is_paced(&errand.url.host_key()) {
                self.clerk.take_start(errand.url.host_key());
            }
        }
        errands.extend(due.into_iter().map(Errand::Sitemap));
        for errand in &errands {
            self.hosts.start(&errand.url().host_key(), now);
        }
        errands.into_iter().map(Work::Errand).collect()
    }

    /// Starts a task whose time has come, if nothing else is in its way.
    fn start(&mut self, ticket: u64, now: Moment) -> Option<Work> {
        let held = self.held.get(&ticket)?;
        if held.stage != Stage::Waiting {
            return None;
        }
        if held.sure_until <= now {
            // The process slept, or the store was away: whose it is has to be heard first.
            self.renewals.due = self.renewals.due.min(now);
            self.ready.insert((now + CERTAINTY, ticket));
            return None;
        }
        let host = held.host();
        let pause = self.hosts.paused_until(&host);
        if pause > now + LONGEST_HOLD {
            self.conclude(ticket, Verdict::HandBack, now);
            return None;
        }
        match self.leave(ticket, now) {
            Leave::Wait => return None,
            Leave::Refused(verdict) => {
                self.conclude(ticket, verdict, now);
                return None;
            }
            Leave::Granted if self.wants_sitemaps(ticket) => {
                let origin = self.held.get(&ticket)?.url.origin();
                let named = self.robots.sitemaps(&origin);
                self.ask_sitemaps(ticket, &named, now);
                return None;
            }
            Leave::Granted if pause > now => {
                self.ready.insert((pause, ticket));
                return None;
            }
            Leave::Granted => (),
        }
        if self.hosts.is_paced(&host) && !self.is_in_time(ticket, now) {
            self.held.get_mut(&ticket)?.missed += 1;
            self.clerk.reserve_start(host, ticket);
            return None;
        }
        self.hosts.start(&host, now);
        let held = self.held.get_mut(&ticket)?;
        held.slot = None;
        held.stage = Stage::InFlight;
        self.in_flight += 1;
        Some(Work::Page(held.task(ticket)))
    }

    /// Whether a task's start has not passed, and nothing of ours has used it. One that missed several gets more time
    /// each: a machine that is always late is not to ask for ever.
    fn is_in_time(&self, ticket: u64, now: Moment) -> bool {
        let Some(held) = self.held.get(&ticket) else {
            return false;
        };
        let late = LATE * (1 << held.missed.min(6));
        let unused = self.hosts.opens_at(&held.host()) <= now + late;
        unused && held.slot.is_some_and(|slot| now <= slot + late)
    }

    /// The store gave a task another start of its host.
    pub(crate) fn note_start(
        &mut self,
        ticket: u64,
        answer: &Result<Duration, StoreError>,
        age: Duration,
        now: Moment,
    ) {
        let Some(held) = self.held.get_mut(&ticket) else {
            return;
        };
        if held.stage != Stage::Waiting {
            return;
        }
        match answer {
            Ok(delay) if *delay > LONGEST_HOLD => self.conclude(ticket, Verdict::HandBack, now),
            Ok(delay) => {
                let slot = now.saturating_sub(age) + *delay;
                held.slot = Some(slot);
                self.ready.insert((slot, ticket));
            }
            Err(_) => {
                add(&self.counts.store_errors, 1);
                self.ready.insert((now + CERTAINTY, ticket));
            }
        }
    }

    /// Whether a task is a seed whose sitemaps are to be read first.
    fn wants_sitemaps(&self, ticket: u64) -> bool {
        let plan = self.plan_of(ticket);
        let asked = plan.is_some_and(|plan| plan.sitemaps != SitemapPolicy::Skip);
        asked
            && self.held.get(&ticket).is_some_and(|held| {
                held.claimed.depth == 0
                    && held.claimed.found != Found::Sitemap
                    && held.listed.is_none()
            })
    }

    /// What robots.txt says about a task.
    fn leave(&mut self, ticket: u64, now: Moment) -> Leave {
        let plan = self
            .held
            .get(&ticket)
            .and_then(|held| Some((held, self.jobs.get(&held.claimed.job)?)))
            .and_then(|(held, desk)| Some((held, desk.plan.as_ref().ok()?)));
        let Some((held, plan)) = plan else {
            return Leave::Granted;
        };
        if plan.robots == RobotsPolicy::Ignore {
            return Leave::Granted;
        }
        let lenient = plan.robots_errors == RobotsErrors::Allow;
        let origin = held.url.origin();
        match self.robots.look(&origin, ticket, now) {
            Look::Wait { ask } => {
                if ask {
                    self.clerk.robots(origin);
                }
                Leave::Wait
            }
            Look::Known(Known::Rules(rules)) if rules.crawl_delay() > Some(LONGEST_DELAY) => {
                let asked = rules.crawl_delay().unwrap_or_default();
                Leave::Refused(Verdict::Failed {
                    kind: FailKind::RateLimited,
                    error: format!("the host asks for {} s between requests", asked.as_secs()),
                    bytes: 0,
                })
            }
            Look::Known(Known::Rules(rules)) => {
                match rules.verdict(held.url.parts().path_and_query()) {
                    RobotsVerdict::DisallowedBy(rule) => {
                        let rule = rule.to_owned();
                        Leave::Refused(skipped(&SkipReason::Robots { rule }))
                    }
                    _ => Leave::Granted,
                }
            }
            Look::Known(_) if lenient => Leave::Granted,
            Look::Known(Known::Unavailable(failure)) => {
                let words = failure.words.clone();
                Leave::Refused(skipped(&SkipReason::RobotsUnavailable { words }))
            }
            Look::Known(Known::Unreachable(failure)) => Leave::Refused(Verdict::Failed {
                kind: failure.kind,
                error: failure.words.clone(),
                bytes: 0,
            }),
        }
    }

    /// The store told what it remembers of a robots.txt.
    pub(crate) fn note_robots(
        &mut self,
        origin: &Origin,
        stored: Option<StoredRobots>,
        now: Moment,
    ) {
        let agent = &self.errand_plan.fetch.user_agent;
        let (delay, waiting) = self.robots.remembered(origin, stored, agent, now);
        self.learned(origin, delay, waiting, now);
    }

    /// A robots.txt is known: its crawl-delay holds, and its pages go on.
    pub(crate) fn learned(
        &mut self,
        origin: &Origin,
        delay: Option<Duration>,
        waiting: Vec<u64>,
        now: Moment,
    ) -> Option<Notice> {
        self.ready
            .extend(waiting.into_iter().map(|ticket| (now, ticket)));
        let pause = delay.filter(|_| !self.settings.own_crawl_delay)?;
        let host = CrawlUrl::from_normalised(&format!("{origin}/"))?.host_key();
        self.hosts.slow(&host, pause, now);
        self.clerk.slow_host(host, pause);
        let origin = origin.to_string();
        Some(Notice::CrawlDelay { origin, pause })
    }
}

fn skipped(reason: &SkipReason) -> Verdict {
    Verdict::Skipped {
        reason: reason.as_str().to_owned(),
        detail: reason.to_string(),
    }
}
