//! The sitemaps of seeds: read one after the other while the seed's lease is held, so that a crash loses nothing.

use std::collections::{HashMap, HashSet, VecDeque};

use crawler_frontier::{Moment, SitemapTask};
use crawler_model::site_rules::MAX_SITEMAPS;
use crawler_store::NewTask;
use crawler_weburl::{CrawlUrl, HostKey};

use crate::host_paces::HostPaces;
use crate::pick::max_lateness;

/// Maximum number of URLs taken from the sitemaps of a seed.
const MAX_LISTED: usize = 50_000;

/// One seed's sitemaps.
#[derive(Debug, Default)]
struct SeedSitemaps {
    queue: VecDeque<(Moment, SitemapTask)>,
    /// One is being fetched, or a start is being reserved for the next one.
    busy: bool,
    /// The start of its host that is reserved for the next file.
    slot: Option<Moment>,
    /// Number of starts that passed unused.
    missed: u32,
    known: HashSet<CrawlUrl>,
    listed: Vec<NewTask>,
    problem: Option<String>,
}

/// What may happen with the sitemaps of a seed now.
#[derive(Debug)]
pub(crate) enum DueSitemap {
    /// Fetch this file.
    File(SitemapTask),
    /// Reserve a start of this host, for the next file.
    Start(HostKey),
}

/// The sitemaps of all seeds held, by ticket.
#[derive(Debug, Default)]
pub(crate) struct SitemapReader {
    by_ticket: HashMap<u64, SeedSitemaps>,
}

impl SitemapReader {
    /// Starts reading the sitemaps of a seed.
    pub(crate) fn begin(&mut self, ticket: u64) {
        self.by_ticket.insert(ticket, SeedSitemaps::default());
    }

    pub(crate) fn forget(&mut self, ticket: u64) {
        self.by_ticket.remove(&ticket);
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
        let Some(sitemaps) = self.by_ticket.get_mut(&ticket) else {
            return;
        };
        if sitemaps.known.len() < MAX_SITEMAPS && sitemaps.known.insert(url.clone()) {
            let site_file = SitemapTask {
                url,
                level,
                named,
                hops: 0,
                attempt: 0,
                ticket,
            };
            sitemaps.queue.push_back((now, site_file));
        }
    }

    /// Queues the same file again, at another URL or later.
    pub(crate) fn requeue(&mut self, site_file: SitemapTask, at: Moment) {
        if let Some(sitemaps) = self.by_ticket.get_mut(&site_file.ticket) {
            sitemaps.queue.push_front((at, site_file));
        }
    }

    /// Records that a fetch has ended.
    pub(crate) fn fetch_ended(&mut self, ticket: u64) {
        if let Some(sitemaps) = self.by_ticket.get_mut(&ticket) {
            sitemaps.busy = false;
        }
    }

    /// Records why a file could not be read; the first reason is kept.
    pub(crate) fn note_problem(&mut self, ticket: u64, problem: String) {
        if let Some(sitemaps) = self.by_ticket.get_mut(&ticket) {
            sitemaps.problem.get_or_insert(problem);
        }
    }

    /// Adds a page that a sitemap lists; false if the limit is reached.
    pub(crate) fn list(&mut self, ticket: u64, task: NewTask) -> bool {
        let Some(sitemaps) = self.by_ticket.get_mut(&ticket) else {
            return false;
        };
        let has_room = sitemaps.listed.len() < MAX_LISTED;
        if has_room {
            sitemaps.listed.push(task);
        }
        has_room
    }

    /// The pages that a seed's sitemaps list, once all are read, and why one of them could not be read.
    pub(crate) fn finished(&mut self, ticket: u64) -> Option<(Vec<NewTask>, Option<String>)> {
        let sitemaps = self.by_ticket.get(&ticket)?;
        if sitemaps.busy || !sitemaps.queue.is_empty() {
            return None;
        }
        let sitemaps = self.by_ticket.remove(&ticket)?;
        Some((sitemaps.listed, sitemaps.problem))
    }

    /// Whether the sitemaps of a seed are being read.
    pub(crate) fn is_reading(&self, ticket: u64) -> bool {
        self.by_ticket.contains_key(&ticket)
    }

    /// Takes in the start that was reserved for a seed's next file. Without one, another is reserved at `retry_at`.
    pub(crate) fn note_start(&mut self, ticket: u64, slot: Option<Moment>, retry_at: Moment) {
        if let Some(sitemaps) = self.by_ticket.get_mut(&ticket) {
            sitemaps.busy = false;
            sitemaps.slot = slot;
            if let Some((at, _)) = sitemaps.queue.front_mut() {
                *at = slot.unwrap_or(retry_at);
            }
        }
    }

    /// The seeds with a file that is due.
    pub(crate) fn due_tickets(&self, now: Moment) -> impl Iterator<Item = u64> {
        let due = self.by_ticket.iter();
        let due = due.filter(move |(_, sitemaps)| sitemaps.next().is_some_and(|at| at <= now));
        due.map(|(ticket, _)| *ticket)
    }

    /// What may happen with the next file of a seed. Where the requests to a host are spaced out, a file needs a start of its own.
    pub(crate) fn due(
        &mut self,
        ticket: u64,
        now: Moment,
        hosts: &HostPaces,
    ) -> Option<DueSitemap> {
        let sitemaps = self.by_ticket.get_mut(&ticket)?;
        let (at, site_file) = sitemaps.queue.front_mut().filter(|_| !sitemaps.busy)?;
        let host = site_file.url.host_key();
        *at = (*at).max(hosts.opens_at(&host));
        if *at > now {
            return None;
        }
        sitemaps.busy = true;
        if hosts.is_paced(&host) && !sitemaps.use_slot(now) {
            return Some(DueSitemap::Start(host));
        }
        let (_, mut site_file) = sitemaps.queue.pop_front()?;
        site_file.attempt += 1;
        Some(DueSitemap::File(site_file))
    }

    /// When the next file is due that is not due yet.
    pub(crate) fn next(&self, now: Moment) -> Option<Moment> {
        let later = self.by_ticket.values().filter_map(SeedSitemaps::next);
        later.filter(|at| *at > now).min()
    }
}

impl SeedSitemaps {
    /// When the next file is due.
    fn next(&self) -> Option<Moment> {
        let next = self.queue.front().filter(|_| !self.busy);
        next.map(|(at, _)| *at)
    }

    /// Uses the reserved start, unless there is none or it has passed.
    fn use_slot(&mut self, now: Moment) -> bool {
        let Some(slot) = self.slot.take() else {
            return false;
        };
        let in_time = now <= slot + max_lateness(self.missed);
        self.missed = if in_time { 0 } else { self.missed + 1 };
        in_time
    }
}
