//! The sitemaps of seeds: read one after the other while the seed's lease is held, so that a crash loses nothing.

use std::collections::{HashMap, HashSet, VecDeque};

use crawler_frontier::{Moment, SitemapTask};
use crawler_store::NewTask;
use crawler_weburl::CrawlUrl;

/// Maximum number of sitemap files per seed.
const MAX_SITEMAPS: usize = 200;
/// Maximum number of URLs taken from them.
const MAX_LISTED: usize = 50_000;

/// One seed's sitemaps.
#[derive(Debug, Default)]
struct Reading {
    queue: VecDeque<(Moment, SitemapTask)>,
    /// One is being fetched.
    fetching: bool,
    known: HashSet<CrawlUrl>,
    listed: Vec<NewTask>,
    problem: Option<String>,
}

/// The sitemaps of all seeds held, by ticket.
#[derive(Debug, Default)]
pub(crate) struct SitemapReader {
    readings: HashMap<u64, Reading>,
}

impl SitemapReader {
    /// Starts reading the sitemaps of a seed.
    pub(crate) fn begin(&mut self, ticket: u64) {
        self.readings.insert(ticket, Reading::default());
    }

    pub(crate) fn forget(&mut self, ticket: u64) {
        self.readings.remove(&ticket);
    }

    /// Queues a file of a seed, unless it is known.
    pub(crate) fn queue(
        &mut self,
        ticket: u64,
        url: CrawlUrl,
        level: u32,
        named: bool,
        now: Moment,
    ) {
        let Some(reading) = self.readings.get_mut(&ticket) else {
            return;
        };
        if reading.known.len() < MAX_SITEMAPS && reading.known.insert(url.clone()) {
            let site_file = SitemapTask {
                url,
                level,
                named,
                hops: 0,
                attempt: 0,
                ticket,
            };
            reading.queue.push_back((now, site_file));
        }
    }

    /// Queues the same file again, at another URL or later.
    pub(crate) fn requeue(&mut self, site_file: SitemapTask, at: Moment) {
        if let Some(reading) = self.readings.get_mut(&site_file.ticket) {
            reading.queue.push_front((at, site_file));
        }
    }

    /// Records that a fetch has ended.
    pub(crate) fn fetch_ended(&mut self, ticket: u64) {
        if let Some(reading) = self.readings.get_mut(&ticket) {
            reading.fetching = false;
        }
    }

    /// Records why a file could not be read; the first reason is kept.
    pub(crate) fn note_problem(&mut self, ticket: u64, problem: String) {
        if let Some(reading) = self.readings.get_mut(&ticket) {
            reading.problem.get_or_insert(problem);
        }
    }

    /// Adds a page that a sitemap lists; false if the limit is reached.
    pub(crate) fn list(&mut self, ticket: u64, task: NewTask) -> bool {
        let Some(reading) = self.readings.get_mut(&ticket) else {
            return false;
        };
        let has_room = reading.listed.len() < MAX_LISTED;
        if has_room {
            reading.listed.push(task);
        }
        has_room
    }

    /// The pages that a seed's sitemaps list, once all are read, and why one of them could not be read.
    pub(crate) fn finished(&mut self, ticket: u64) -> Option<(Vec<NewTask>, Option<String>)> {
        let reading = self.readings.get(&ticket)?;
        if reading.fetching || !reading.queue.is_empty() {
            return None;
        }
        let reading = self.readings.remove(&ticket)?;
        Some((reading.listed, reading.problem))
    }

    /// The files that are due, up to `max`; `opens_at` returns when a host may be requested.
    pub(crate) fn due(
        &mut self,
        max: usize,
        now: Moment,
        opens_at: impl Fn(&CrawlUrl) -> Moment,
    ) -> Vec<SitemapTask> {
        let mut due = Vec::new();
        for reading in self
            .readings
            .values_mut()
            .filter(|reading| !reading.fetching)
        {
            if due.len() >= max {
                break;
            }
            let Some((at, site_file)) = reading.queue.front_mut() else {
                continue;
            };
            *at = (*at).max(opens_at(&site_file.url));
            if *at <= now
                && let Some((_, mut site_file)) = reading.queue.pop_front()
            {
                site_file.attempt += 1;
                reading.fetching = true;
                due.push(site_file);
            }
        }
        due
    }

    /// When the next file is due.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.readings
            .values()
            .filter(|reading| !reading.fetching)
            .filter_map(|reading| reading.queue.front().map(|(at, _)| *at))
            .min()
    }
}
