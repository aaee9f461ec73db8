//! The request log of a server, for assertions in tests. Benchmarks reduce it to totals, which costs three atomic additions
//! per request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::Request;

/// How much a server records about requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogDetail {
    /// Totals only.
    Totals,
    /// Totals, and counts per target.
    Counts,
    /// Counts, and every request with its headers and time.
    #[default]
    Requests,
}

/// A received request.
#[derive(Debug, Clone)]
pub struct LoggedRequest {
    /// `GET`, `HEAD`, …
    pub method: String,
    /// The target as sent.
    pub path_and_query: String,
    /// The headers, in order.
    pub headers: Vec<(String, String)>,
    /// Time when its head was complete.
    pub at: Instant,
}

#[derive(Debug, Default)]
pub(crate) struct TargetCounts {
    hits: AtomicU64,
    sent: AtomicU64,
}

#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    log_detail: LogDetail,
    pub(crate) connections: AtomicU64,
    total: AtomicU64,
    sent: AtomicU64,
    in_flight: AtomicU64,
    most_in_flight: AtomicU64,
    targets: Mutex<HashMap<String, Arc<TargetCounts>>>,
    hits: Mutex<Vec<LoggedRequest>>,
}

impl RequestLog {
    pub(crate) fn new(log_detail: LogDetail) -> Self {
        Self {
            log_detail,
            ..Self::default()
        }
    }

    /// Records a request; it is in flight until the entry is dropped.
    pub(crate) fn open(self: &Arc<Self>, request: &Request) -> LogEntry {
        self.total.fetch_add(1, Relaxed);
        let in_flight = self.in_flight.fetch_add(1, Relaxed) + 1;
        self.most_in_flight.fetch_max(in_flight, Relaxed);
        if self.log_detail == LogDetail::Requests {
            self.hits.lock().unwrap().push(LoggedRequest {
                method: request.method().to_owned(),
                path_and_query: request.target().to_owned(),
                headers: request
                    .headers()
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
                at: Instant::now(),
            });
        }
        let counts =
            (self.log_detail != LogDetail::Totals).then(|| self.target_counts(request.target()));
        if let Some(counts) = &counts {
            counts.hits.fetch_add(1, Relaxed);
        }
        LogEntry {
            log: Arc::clone(self),
            counts,
        }
    }

    fn target_counts(&self, target: &str) -> Arc<TargetCounts> {
        let mut targets = self.targets.lock().unwrap();
        if let Some(counts) = targets.get(target) {
            return Arc::clone(counts);
        }
        let counts = Arc::new(TargetCounts::default());
        targets.insert(target.to_owned(), Arc::clone(&counts));
        counts
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

    pub(crate) fn hits(&self) -> Vec<LoggedRequest> {
        self.hits.lock().unwrap().clone()
    }

    /// Returns the requests and bytes sent, summed over the targets accepted by `filter`.
    pub(crate) fn sum(&self, filter: impl Fn(&str) -> bool) -> (u64, u64) {
        let targets = self.targets.lock().unwrap();
        targets.iter().filter(|(target, _)| filter(target)).fold(
            (0, 0),
            |(hits, sent), (_, counts)| {
                (
                    hits + counts.hits.load(Relaxed),
                    sent + counts.sent.load(Relaxed),
                )
            },
        )
    }

    /// Clears all requests except those in flight; connections are still counted.
    pub(crate) fn forget(&self) {
        self.total.store(0, Relaxed);
        self.most_in_flight
            .store(self.in_flight.load(Relaxed), Relaxed);
        self.sent.store(0, Relaxed);
        self.targets.lock().unwrap().clear();
        self.hits.lock().unwrap().clear();
    }

    /// Returns all targets with their number of requests, sorted.
    pub(crate) fn counts(&self) -> Vec<(String, u64)> {
        let targets = self.targets.lock().unwrap();
        let mut counts: Vec<_> = targets
            .iter()
            .map(|(target, counts)| (target.clone(), counts.hits.load(Relaxed)))
            .collect();
        counts.sort();
        counts
    }
}

/// A request that is being served.
#[derive(Debug)]
pub(crate) struct LogEntry {
    log: Arc<RequestLog>,
    counts: Option<Arc<TargetCounts>>,
}

impl LogEntry {
    /// Counts bytes sent for this request.
    pub(crate) fn sent(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.log.sent.fetch_add(bytes, Relaxed);
        if let Some(counts) = &self.counts {
            counts.sent.fetch_add(bytes, Relaxed);
        }
    }
}

impl Drop for LogEntry {
    fn drop(&mut self) {
        self.log.in_flight.fetch_sub(1, Relaxed);
    }
}
