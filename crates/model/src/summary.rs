//! The totals of a crawl.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{FailGroup, RefuseReason, SeedProblem, StopReason};

/// The totals of a crawl.
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
    /// Fetched pages that are not HTML.
    pub not_html: u64,
    /// Fetched pages that were not read to their end.
    pub truncated: u64,
    /// Redirects.
    pub redirected: u64,
    /// Pages that failed, by group.
    pub failed: BTreeMap<FailGroup, u64>,
    /// URLs skipped because of robots.txt.
    pub skipped: u64,
    /// Links not followed, by reason.
    pub refused: BTreeMap<RefuseReason, u64>,
    /// Web links found, including duplicates.
    pub links: u64,
    /// Known URLs that were not visited because the crawl ended first.
    pub left: u64,
    /// Bytes of bodies received, before decoding.
    pub bytes: u64,
    /// Number of retries.
    pub retries: u64,
    /// Duration of the crawl.
    pub elapsed: Duration,
}

impl Summary {
    /// Returns the number of pages that failed.
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }

    /// Returns the number of links refused as traps.
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
            truncated: 0,
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
