//! What went through a proxy, and what did not and why.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{FailKind, Failure};

/// Hosts of one page whose failure is remembered.
const MOST_FAILURES: usize = 1_000;
/// Requests that are written down.
const MOST_LINES: usize = 1_000;
/// A line is cut after this many bytes.
const MOST_OF_A_LINE: usize = 200;

/// A proxy's numbers. Its proxy and all its connections write to it.
#[derive(Default, Debug)]
pub(super) struct Ledger {
    bytes_in: AtomicU64,
    refused: AtomicU64,
    asked: AtomicU64,
    log: Mutex<Vec<String>>,
    failures: Mutex<HashMap<(String, u16), Failure>>,
}

impl Ledger {
    pub(super) fn begin_page(&self) {
        self.bytes_in.store(0, Ordering::Relaxed);
        locked(&self.failures).clear();
    }

    /// Bytes came from the network.
    pub(super) fn came(&self, bytes: u64) {
        self.bytes_in.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Something was asked for.
    pub(super) fn ask(&self, what: &str) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut log = locked(&self.log);
        if log.len() < MOST_LINES {
            log.push(what[..what.floor_char_boundary(MOST_OF_A_LINE)].to_owned());
        }
    }

    /// A host could not be had.
    pub(super) fn fail(&self, host: &str, port: u16, failure: Failure) {
        if failure.kind == FailKind::AddressRefused {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        let mut failures = locked(&self.failures);
        if failures.len() < MOST_FAILURES {
            failures.entry(key(host, port)).or_insert(failure);
        }
    }

    pub(super) fn failure_of(&self, host: &str, port: u16) -> Option<Failure> {
        locked(&self.failures).get(&key(host, port)).cloned()
    }

    pub(super) fn bytes_in(&self) -> u64 {
        self.bytes_in.load(Ordering::Relaxed)
    }

    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    pub(super) fn log(&self) -> Vec<String> {
        locked(&self.log).clone()
    }
}

fn key(host: &str, port: u16) -> (String, u16) {
    (host.to_ascii_lowercase(), port)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
