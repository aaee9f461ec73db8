//! The totals of a crawl.

use std::time::Duration;

use crawler_model::{FailGroup, RefuseReason, SeedProblem, StopReason, Summary};

/// The totals of a crawl.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrawlSummary(Summary);

impl CrawlSummary {
    pub(crate) fn new(summary: Summary) -> Self {
        Self(summary)
    }

    /// Returns why the crawl ended.
    pub fn stop_reason(&self) -> &StopReason {
        &self.0.stop
    }

    /// Returns why nothing was crawled: for example, the seed could not be fetched, or it redirects out of scope.
    pub fn seed_problem(&self) -> Option<&SeedProblem> {
        self.0.seed_problem.as_ref()
    }

    /// Returns the number of URLs that were requested: fetched, redirected or failed.
    pub fn pages(&self) -> u64 {
        self.0.pages
    }

    /// Returns the number of pages that were fetched.
    pub fn fetched(&self) -> u64 {
        self.0.fetched
    }

    /// Returns the number of redirects.
    pub fn redirected(&self) -> u64 {
        self.0.redirected
    }

    /// Returns the number of pages that failed.
    pub fn failed(&self) -> u64 {
        self.0.failures()
    }

    /// Returns the number of pages that failed, by kind.
    pub fn failures(&self) -> impl ExactSizeIterator<Item = (FailGroup, u64)> {
        self.0.failed.iter().map(|(group, count)| (*group, *count))
    }

    /// Returns the number of URLs that were not requested because of robots.txt.
    pub fn skipped(&self) -> u64 {
        self.0.skipped
    }

    /// Returns the number of links that were not followed, by reason.
    pub fn refused(&self) -> impl ExactSizeIterator<Item = (RefuseReason, u64)> {
        let refused = self.0.refused.iter();
        refused.map(|(reason, count)| (*reason, *count))
    }

    /// Returns the number of links on all pages, including duplicates.
    pub fn links(&self) -> u64 {
        self.0.links
    }

    /// Returns the number of known URLs that were not visited because the crawl ended first.
    pub fn left(&self) -> u64 {
        self.0.left
    }

    /// Returns the number of body bytes received, before decompression.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Returns the number of retries.
    pub fn retries(&self) -> u64 {
        self.0.retries
    }

    /// Returns the duration of the crawl.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed
    }
}
