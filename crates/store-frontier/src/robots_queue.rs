//! The robots.txt of each origin: from the store, else fetched once.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crawler_frontier::{Moment, RobotsTask, sitemaps_of};
use crawler_sitefiles::{KnownRobots, RobotsFetch, RobotsFile};
use crawler_store::StoredRobots;
use crawler_weburl::{CrawlUrl, Origin};

use crate::stored_robots::robots_fetches;

/// Maximum number of origins; above it, all but the pending ones are dropped.
const MAX_ORIGINS: usize = 2_000;

#[derive(Debug)]
enum Entry {
    /// Being looked up or fetched.
    Pending {
        /// Tasks that wait for it.
        waiting: Vec<u64>,
        /// What was known before.
        before: Option<KnownRobots>,
    },
    Known(KnownRobots),
}

/// The robots.txt of each origin.
#[derive(Debug, Default)]
pub(crate) struct RobotsQueue {
    origins: HashMap<Origin, Entry>,
    /// To be fetched, not before this time.
    site_files: VecDeque<(Moment, RobotsTask)>,
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
    /// Looks up an origin; the task waits if its robots.txt is not known, or has expired.
    pub(crate) fn lookup(&mut self, origin: &Origin, ticket: u64, now: Moment) -> RobotsLookup<'_> {
        if self.origins.len() >= MAX_ORIGINS && !self.origins.contains_key(origin) {
            // The store has the others.
            self.origins
                .retain(|_, entry| matches!(entry, Entry::Pending { .. }));
        }
        let mut query_store = false;
        let entry = self.origins.entry(origin.clone()).or_insert_with(|| {
            query_store = true;
            Entry::pending(None)
        });
        if let Entry::Known(known) = entry
            && known.is_expired(now)
        {
            // Another worker may have fetched it meanwhile.
            query_store = true;
            *entry = Entry::pending(Some(known.clone()));
        }
        match entry {
            Entry::Pending { waiting, .. } => {
                waiting.push(ticket);
                RobotsLookup::Wait { query_store }
            }
            Entry::Known(known) => RobotsLookup::Known(known.file()),
        }
    }

    /// The robots.txt of an origin, unless it has to be fetched first.
    pub(crate) fn known(&self, origin: &Origin, now: Moment) -> Option<&RobotsFile> {
        match self.origins.get(origin) {
            Some(Entry::Known(known)) if !known.is_expired(now) => Some(known.file()),
            _ => None,
        }
    }

    /// The sitemaps of an origin, and whether its robots.txt names them.
    pub(crate) fn sitemaps(&self, origin: &Origin) -> Vec<(CrawlUrl, bool)> {
        match self.origins.get(origin) {
            Some(Entry::Known(known)) => sitemaps_of(origin, known.file()),
            _ => sitemaps_of(origin, &RobotsFile::without_rules()),
        }
    }

    /// Uses a stored robots.txt if it has not expired, else fetches it. Returns the tasks that waited.
    pub(crate) fn use_stored(
        &mut self,
        origin: &Origin,
        stored: Option<StoredRobots>,
        agent: &str,
        lifetime: Duration,
        now: Moment,
    ) -> Vec<u64> {
        let before = match self.origins.get(origin) {
            Some(Entry::Pending { before, .. }) => before.clone(),
            _ => None,
        };
        let stored = stored.map_or_else(Vec::new, |stored| robots_fetches(stored, agent));
        if let Some(known) = KnownRobots::restored(stored, before, now, lifetime) {
            if !known.is_expired(now) {
                return self.insert(origin, known);
            }
            if let Some(Entry::Pending { before, .. }) = self.origins.get_mut(origin) {
                *before = Some(known);
            }
        }
        if let Some(url) = CrawlUrl::from_normalized(&format!("{origin}/robots.txt")) {
            let site_file = RobotsTask {
                origin: origin.clone(),
                url,
                hops: 0,
                attempt: 0,
            };
            self.queue_fetch(site_file, now);
        }
        Vec::new()
    }

    /// Queues a fetch, not before this time.
    pub(crate) fn queue_fetch(&mut self, site_file: RobotsTask, at: Moment) {
        self.site_files.push_back((at, site_file));
    }

    /// Takes in a fetched robots.txt. Returns the tasks that waited.
    pub(crate) fn use_fetched(
        &mut self,
        origin: &Origin,
        fetch: RobotsFetch,
        lifetime: Duration,
        now: Moment,
    ) -> Vec<u64> {
        let before = match self.origins.get(origin) {
            Some(Entry::Pending { before, .. }) => before.clone(),
            Some(Entry::Known(known)) => Some(known.clone()),
            None => None,
        };
        let known = KnownRobots::after(fetch, before, now, lifetime);
        self.insert(origin, known)
    }

    fn insert(&mut self, origin: &Origin, known: KnownRobots) -> Vec<u64> {
        match self.origins.insert(origin.clone(), Entry::Known(known)) {
            Some(Entry::Pending { waiting, .. }) => waiting,
            _ => Vec::new(),
        }
    }

    /// The site-file tasks that are due; `opens_at` returns when a host may be requested.
    pub(crate) fn due(
        &mut self,
        now: Moment,
        opens_at: impl Fn(&CrawlUrl) -> Moment,
    ) -> Vec<RobotsTask> {
        let mut due = Vec::new();
        for _ in 0..self.site_files.len() {
            let Some((at, site_file)) = self.site_files.pop_front() else {
                break;
            };
            let at = at.max(opens_at(&site_file.url));
            if at <= now {
                due.push(site_file);
            } else {
                self.site_files.push_back((at, site_file));
            }
        }
        due
    }

    /// The tasks that wait for an origin; some of them may be lost by now.
    pub(crate) fn waiting_for(&self, origin: &Origin) -> &[u64] {
        match self.origins.get(origin) {
            Some(Entry::Pending { waiting, .. }) => waiting,
            _ => &[],
        }
    }

    /// The origins whose site-file tasks are due.
    pub(crate) fn due_origins(&self, now: Moment) -> impl Iterator<Item = &Origin> {
        let due = self.site_files.iter().filter(move |(at, _)| *at <= now);
        due.map(|(_, site_file)| &site_file.origin)
    }

    /// When the next site-file task is due that is not due yet.
    pub(crate) fn next(&self, now: Moment) -> Option<Moment> {
        let later = self.site_files.iter().map(|(at, _)| *at);
        later.filter(|at| *at > now).min()
    }
}

impl Entry {
    fn pending(before: Option<KnownRobots>) -> Self {
        Self::Pending {
            waiting: Vec::new(),
            before,
        }
    }
}
