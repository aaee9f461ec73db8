//! The sitemaps of seeds: read one after the other while the seed's lease is held, so that a worker's end loses nothing.

use std::collections::{HashMap, HashSet, VecDeque};

use frontier::{Moment, SitemapErrand};
use store::NewTask;
use weburl::CrawlUrl;

/// Most sitemap files read for one seed.
const MOST_SITEMAPS: usize = 200;
/// Most URLs taken from them.
const MOST_LISTED: usize = 50_000;

/// One seed's sitemaps.
#[derive(Debug, Default)]
struct Reading {
    queue: VecDeque<(Moment, SitemapErrand)>,
    /// One is being fetched.
    out: bool,
    known: HashSet<CrawlUrl>,
    listed: Vec<NewTask>,
}

/// The sitemaps of all seeds held, by ticket.
#[derive(Debug, Default)]
pub(crate) struct SitemapDesk {
    readings: HashMap<u64, Reading>,
}

impl SitemapDesk {
    /// A seed waits for its sitemaps.
    pub(crate) fn begin(&mut self, ticket: u64) {
        self.readings.insert(ticket, Reading::default());
    }

    pub(crate) fn forget(&mut self, ticket: u64) {
        self.readings.remove(&ticket);
    }

    /// One more file of a seed's, each once.
    pub(crate) fn ask(&mut self, ticket: u64, url: CrawlUrl, level: u32, named: bool, now: Moment) {
        let Some(reading) = self.readings.get_mut(&ticket) else {
            return;
        };
        if reading.known.len() < MOST_SITEMAPS && reading.known.insert(url.clone()) {
            let errand = SitemapErrand {
                url,
                level,
                named,
                hops: 0,
                attempt: 0,
                ticket,
            };
            reading.queue.push_back((now, errand));
        }
    }

    /// The same file, elsewhere or later.
    pub(crate) fn ask_again(&mut self, errand: SitemapErrand, at: Moment) {
        if let Some(reading) = self.readings.get_mut(&errand.ticket) {
            reading.queue.push_front((at, errand));
        }
    }

    /// A file was fetched, or could not be.
    pub(crate) fn back(&mut self, ticket: u64) {
        if let Some(reading) = self.readings.get_mut(&ticket) {
            reading.out = false;
        }
    }

    /// A page that a sitemap names; false when no more are taken.
    pub(crate) fn list(&mut self, ticket: u64, task: NewTask) -> bool {
        let Some(reading) = self.readings.get_mut(&ticket) else {
            return false;
        };
        let room = reading.listed.len() < MOST_LISTED;
        if room {
            reading.listed.push(task);
        }
        room
    }

    /// What a seed's sitemaps named, once all are read.
    pub(crate) fn finished(&mut self, ticket: u64) -> Option<Vec<NewTask>> {
        let reading = self.readings.get(&ticket)?;
        if reading.out || !reading.queue.is_empty() {
            return None;
        }
        self.readings.remove(&ticket).map(|reading| reading.listed)
    }

    /// The files whose time has come, up to `most`; `opens_at` says when a host may be asked.
    pub(crate) fn due(
        &mut self,
        most: usize,
        now: Moment,
        opens_at: impl Fn(&CrawlUrl) -> Moment,
    ) -> Vec<SitemapErrand> {
        let mut due = Vec::new();
        for reading in self.readings.values_mut().filter(|reading| !reading.out) {
            if due.len() >= most {
                break;
            }
            let Some((at, errand)) = reading.queue.front_mut() else {
                continue;
            };
            *at = (*at).max(opens_at(&errand.url));
            if *at <= now
                && let Some((_, mut errand)) = reading.queue.pop_front()
            {
                errand.attempt += 1;
                reading.out = true;
                due.push(errand);
            }
        }
        due
    }

    /// When the next file is due.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.readings
            .values()
            .filter(|reading| !reading.out)
            .filter_map(|reading| reading.queue.front().map(|(at, _)| *at))
            .min()
    }
}
