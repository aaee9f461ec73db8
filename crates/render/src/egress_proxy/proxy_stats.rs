//! Counters and failures of a proxy.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crawler_model::{FailKind, Failure, lock};

use crate::budget_meter::BudgetMeter;

/// Maximum number of failures recorded per page.
const MAX_FAILURES: usize = 1_000;

/// Counters and failures, shared by a proxy and its connections.
#[derive(Debug)]
pub(super) struct ProxyStats {
    meter: Arc<BudgetMeter>,
    bytes_in: AtomicU64,
    refused: AtomicU64,
    requests: Arc<AtomicU64>,
    failures: Mutex<HashMap<(String, u16), Failure>>,
}

impl ProxyStats {
    /// Counts requests in a counter that other proxies may share.
    pub(super) fn new(meter: Arc<BudgetMeter>, requests: Arc<AtomicU64>) -> Self {
        Self {
            meter,
            bytes_in: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            requests,
            failures: Mutex::default(),
        }
    }

    pub(super) fn begin_page(&self) {
        self.bytes_in.store(0, Ordering::Relaxed);
        lock(&self.failures).clear();
    }

    /// Counts bytes received from the network. Returns whether the page may go on.
    pub(super) fn add_bytes_in(&self, bytes: u64) -> bool {
        self.bytes_in.fetch_add(bytes, Ordering::Relaxed);
        self.meter.add_bytes(bytes)
    }

    /// Counts bytes sent to the network. Returns whether the page may go on.
    pub(super) fn add_bytes_out(&self, bytes: u64) -> bool {
        self.meter.add_bytes(bytes)
    }

    /// Counts a request or tunnel to a host for the page's budgets. Returns whether the page may go on.
    pub(super) fn admit(&self, host: &str) -> bool {
        self.meter.admit(host)
    }

    /// Counts a request or tunnel.
    pub(super) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Records why a host could not be reached.
    pub(super) fn record_failure(&self, host: &str, port: u16, failure: Failure) {
        if failure.kind == FailKind::AddressRefused {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        let mut failures = lock(&self.failures);
        if failures.len() < MAX_FAILURES {
            failures.entry(key(host, port)).or_insert(failure);
        }
    }

    pub(super) fn failure_of(&self, host: &str, port: u16) -> Option<Failure> {
        lock(&self.failures).get(&key(host, port)).cloned()
    }

    pub(super) fn bytes_in(&self) -> u64 {
        self.bytes_in.load(Ordering::Relaxed)
    }

    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }
}

fn key(host: &str, port: u16) -> (String, u16) {
    (host.to_ascii_lowercase(), port)
}
