//! The robots.txt of each origin: from the store, else fetched once.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crawler_frontier::{Moment, RobotsTask};
use crawler_model::{FailKind, Failure};
use crawler_sitefiles::{Robots, RobotsFile, robots_token};
use crawler_store::{RobotsText, StoredRobots};
use crawler_weburl::{CrawlUrl, Origin};

/// Maximum number of origins; above it, all but the pending ones are dropped.
const MAX_ORIGINS: usize = 2_000;

#[derive(Debug)]
enum Entry {
    /// Being looked up or fetched; these tasks wait for it.
    Pending(Vec<u64>),
    Known {
        known: RobotsFile,
        until: Moment,
    },
}

/// The robots.txt of each origin.
#[derive(Debug, Default)]
pub(crate) struct RobotsQueue {
    origins: HashMap<Origin, Entry>,
    /// To be fetched, not before this time.
    site_files: VecDeque<(Moment, RobotsTask)>,
    /// Number of tasks that wait for one of them.
    waiting: usize,
}

/// The result of a lookup.
#[derive(Debug)]
pub(crate) enum RobotsLookup<'a> {
    Known(&'a RobotsFile),
    /// The task waits; `query_store` if the store has not been queried yet.
    Wait {
        query_store: bool,
    },
}

impl RobotsQueue {
    /// Looks up an origin; the task waits if its robots.txt is not known yet.
    pub(crate) fn lookup(&mut self, origin: &Origin, ticket: u64, now: Moment) -> RobotsLookup<'_> {
        let stale = |entry: &Entry| matches!(entry, Entry::Known { until, .. } if *until <= now);
        if self.origins.get(origin).is_some_and(stale) {
            self.origins.remove(origin);
        }
        if self.origins.len() >= MAX_ORIGINS && !self.origins.contains_key(origin) {
            self.origins
                .retain(|_, entry| matches!(entry, Entry::Pending(_)));
        }
        let mut query_store = false;
        let entry = self.origins.entry(origin.clone()).or_insert_with(|| {
            query_store = true;
            Entry::Pending(Vec::new())
        });
        match entry {
            Entry::Pending(waiting) => {
                waiting.push(ticket);
                self.waiting += 1;
                RobotsLookup::Wait { query_store }
            }
            Entry::Known { known, .. } => RobotsLookup::Known(known),
        }
    }

    /// The sitemaps that an origin's robots.txt names.
    pub(crate) fn sitemaps(&self, origin: &Origin) -> Vec<String> {
        match self.origins.get(origin) {
            Some(Entry::Known { known, .. }) => known.sitemaps().to_vec(),
            _ => Vec::new(),
        }
    }

    /// Uses a stored robots.txt if it is fresh, else fetches it. Returns the crawl-delay and the tasks that waited.
    pub(crate) fn use_stored(
        &mut self,
        origin: &Origin,
        stored: Option<StoredRobots>,
        agent: &str,
        now: Moment,
    ) -> (Option<Duration>, Vec<u64>) {
        let fresh = stored.and_then(|stored| {
            let known = match stored.robots {
                RobotsText::Text(text) => {
                    RobotsFile::Rules(Robots::parse(text.as_bytes(), robots_token(agent)))
                }
                RobotsText::Absent => RobotsFile::without_rules(),
                RobotsText::Unavailable(message) => {
                    RobotsFile::Unavailable(Failure::new(FailKind::ServerError, message))
                }
            };
            let left = known.fresh_for().checked_sub(stored.age)?;
            Some((known, left))
        });
        if let Some((known, left)) = fresh {
            return self.insert(origin, known, left, now);
        }
        if let Some(url) = CrawlUrl::from_normalised(&format!("{origin}/robots.txt")) {
            let site_file = RobotsTask {
                origin: origin.clone(),
                url,
                hops: 0,
                attempt: 0,
            };
            self.queue_fetch(site_file, now);
        }
        (None, Vec::new())
    }

    /// Queues a fetch, not before this time.
    pub(crate) fn queue_fetch(&mut self, site_file: RobotsTask, at: Moment) {
        self.site_files.push_back((at, site_file));
    }

    /// Takes in a fetched robots.txt.
    pub(crate) fn use_fetched(
        &mut self,
        origin: &Origin,
        known: RobotsFile,
        now: Moment,
    ) -> (Option<Duration>, Vec<u64>) {
        let fresh = known.fresh_for();
        self.insert(origin, known, fresh, now)
    }

    fn insert(
        &mut self,
        origin: &Origin,
        known: RobotsFile,
        fresh: Duration,
        now: Moment,
    ) -> (Option<Duration>, Vec<u64>) {
        let delay = known.crawl_delay();
        let until = now + fresh;
        let before = self
            .origins
            .insert(origin.clone(), Entry::Known { known, until });
        match before {
            Some(Entry::Pending(waiting)) => {
                self.waiting -= waiting.len();
                (delay, waiting)
            }
            _ => (delay, Vec::new()),
        }
    }

    /// The site-file tasks that are due, up to `max`; `opens_at` returns when a host may be requested.
    pub(crate) fn due(
        &mut self,
        max: usize,
        now: Moment,
        opens_at: impl Fn(&CrawlUrl) -> Moment,
    ) -> Vec<RobotsTask> {
        let mut due = Vec::new();
        for _ in 0..self.site_files.len() {
            let Some((at, mut site_file)) = self.site_files.pop_front() else {
                break;
            };
            let at = at.max(opens_at(&site_file.url));
            if due.len() < max && at <= now {
                site_file.attempt += 1;
                due.push(site_file);
            } else {
                self.site_files.push_back((at, site_file));
            }
        }
        due
    }

    /// Number of waiting tasks; some of them may be lost by now.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// When the next site-file task is due.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.site_files.iter().map(|(at, _)| *at).min()
    }
}
