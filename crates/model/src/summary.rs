//! The crawl's closing numbers.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{FailGroup, RefuseReason, SeedProblem, StopReason};

/// The crawl's closing numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Why it ended.
    pub stop: StopReason,
    /// Why the seed could not be fetched, if so.
    pub seed_problem: Option<SeedProblem>,
    /// URLs reported as pages: fetched, redirected or failed.
    pub pages: u64,
    /// Pages fetched.
    pub fetched: u64,
    /// Of those, not HTML.
    pub not_html: u64,
    /// Redirects.
    pub redirected: u64,
    /// Pages that failed, by group.
    pub failed: BTreeMap<FailGroup, u64>,
    /// URLs skipped for robots.txt.
    pub skipped: u64,
    /// Links not followed, by reason.
    pub refused: BTreeMap<RefuseReason, u64>,
    /// Web links found, duplicates counted.
    pub links: u64,
    /// Known URLs that were not visited because the crawl ended first.
    pub left: u64,
    /// Bytes of body over the wire.
    pub bytes: u64,
    /// Attempts beyond the first.
    pub retries: u64,
    /// How long it took.
    pub elapsed: Duration,
}

impl Summary {
    /// Pages that failed.
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }

    /// Links refused as traps.
    pub fn traps(&self) -> u64 {
        self.refused
            .iter()
            .filter(|(reason, _)| reason.is_trap())
            .map(|(_, count)| count)
            .sum()
    }
}

impl Default for Summary {
    fn default() -> Self {
        Self {
            stop: StopReason::Done,
            seed_problem: None,
            pages: 0,
            fetched: 0,
            not_html: 0,
            redirected: 0,
            failed: BTreeMap::new(),
            skipped: 0,
            refused: BTreeMap::new(),
            links: 0,
            left: 0,
            bytes: 0,
            retries: 0,
            elapsed: Duration::ZERO,
        }
    }
}
