//! The access log of a server. Tests ask it what was really requested; benchmarks switch it down
//! to totals, where it costs three atomic additions a request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::Request;

/// How much a server remembers about the requests it answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// Totals alone.
    Totals,
    /// Totals, and counts per target.
    Counts,
    /// Counts, and every request with its headers and time.
    #[default]
    Hits,
}

/// One request that arrived.
#[derive(Debug, Clone)]
pub struct Hit {
    /// `GET`, `HEAD`, …
    pub method: String,
    /// The target as it was sent.
    pub path_and_query: String,
    /// The headers in their order.
    pub headers: Vec<(String, String)>,
    /// When its head was complete.
    pub at: Instant,
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    hits: AtomicU64,
    sent: AtomicU64,
}

#[derive(Debug, Default)]
pub(crate) struct Journal {
    keep: Keep,
    pub(crate) connections: AtomicU64,
    total: AtomicU64,
    sent: AtomicU64,
    in_flight: AtomicU64,
    most_in_flight: AtomicU64,
    tallies: Mutex<HashMap<String, Arc<Tally>>>,
    hits: Mutex<Vec<Hit>>,
}

impl Journal {
    pub(crate) fn new(keep: Keep) -> Self {
        Self {
            keep,
            ..Self::default()
        }
    }

    /// Notes a request; it is in flight until the entry is dropped.
    pub(crate) fn open(self: &Arc<Self>, request: &Request) -> Entry {
        self.total.fetch_add(1, Relaxed);
        let in_flight = self.in_flight.fetch_add(1, Relaxed) + 1;
        self.most_in_flight.fetch_max(in_flight, Relaxed);
        if self.keep == Keep::Hits {
            self.hits.lock().unwrap().push(Hit {
                method: request.method().to_owned(),
                path_and_query: request.target().to_owned(),
                headers: request
                    .headers()
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
                at: Instant::now(),
            });
        }
        let tally = (self.keep != Keep::Totals).then(|| self.tally(request.target()));
        if let Some(tally) = &tally {
            tally.hits.fetch_add(1, Relaxed);
        }
        Entry {
            journal: Arc::clone(self),
            tally,
        }
    }

    fn tally(&self, target: &str) -> Arc<Tally> {
        let mut tallies = self.tallies.lock().unwrap();
        if let Some(tally) = tallies.get(target) {
            return Arc::clone(tally);
        }
        let tally = Arc::new(Tally::default());
        tallies.insert(target.to_owned(), Arc::clone(&tally));
        tally
    }

    pub(crate) fn total(&self) -> u64 {
        self.total.load(Relaxed)
    }

    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    pub(crate) fn most_in_flight(&self) -> u64 {
        self.most_in_flight.load(Relaxed)
    }

    pub(crate) fn hits(&self) -> Vec<Hit> {
        self.hits.lock().unwrap().clone()
    }

    /// Requests and bytes sent, summed over the targets that `wanted` picks.
    pub(crate) fn sum(&self, wanted: impl Fn(&str) -> bool) -> (u64, u64) {
        let tallies = self.tallies.lock().unwrap();
        tallies.iter().filter(|(target, _)| wanted(target)).fold(
            (0, 0),
            |(hits, sent), (_, tally)| {
                (
                    hits + tally.hits.load(Relaxed),
                    sent + tally.sent.load(Relaxed),
                )
            },
        )
    }

    /// Forgets the requests; connections are as they are.
    pub(crate) fn forget(&self) {
        self.total.store(0, Relaxed);
        self.sent.store(0, Relaxed);
        self.tallies.lock().unwrap().clear();
        self.hits.lock().unwrap().clear();
    }

    /// All targets with their number of requests, sorted.
    pub(crate) fn counts(&self) -> Vec<(String, u64)> {
        let tallies = self.tallies.lock().unwrap();
        let mut counts: Vec<_> = tallies
            .iter()
            .map(|(target, tally)| (target.clone(), tally.hits.load(Relaxed)))
            .collect();
        counts.sort();
        counts
    }
}

/// A request being answered.
#[derive(Debug)]
pub(crate) struct Entry {
    journal: Arc<Journal>,
    tally: Option<Arc<Tally>>,
}

impl Entry {
    /// Notes bytes that went out for this request.
    pub(crate) fn sent(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.journal.sent.fetch_add(bytes, Relaxed);
        if let Some(tally) = &self.tally {
            tally.sent.fetch_add(bytes, Relaxed);
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.journal.in_flight.fetch_sub(1, Relaxed);
    }
}
