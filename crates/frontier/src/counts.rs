//! The counts of a crawl and their invariant.

use crawler_model::{FailGroup, Outcome, PageReport, RefuseReason, SkipReason};

#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) admitted: u64,
    pub(crate) finished: u64,
    pub(crate) queued: u64,
    pub(crate) delayed: u64,
    pub(crate) in_flight: u64,
    /// Started and not reported yet: these count toward the maximum number of pages.
    pub(crate) started: u64,
    pub(crate) pages: u64,
    pub(crate) fetched: u64,
    pub(crate) not_html: u64,
    pub(crate) truncated: u64,
    pub(crate) redirected: u64,
    pub(crate) skipped: u64,
    pub(crate) failed: [u64; 11],
    pub(crate) refused: [u64; RefuseReason::ALL.len()],
    pub(crate) links: u64,
    pub(crate) bytes: u64,
    pub(crate) retries: u64,
}

impl Counts {
    pub(crate) fn refuse(&mut self, reason: RefuseReason) {
        self.refused[reason as usize] += 1;
    }

    /// Counts a final report.
    pub(crate) fn finish(&mut self, report: &PageReport) {
        self.finished += 1;
        if report.counts_as_page() {
            self.pages += 1;
        }
        self.links += report.links.web_len();
        match &report.outcome {
            Outcome::Fetched { html } => {
                self.fetched += 1;
                self.not_html += u64::from(!html);
                self.truncated += u64::from(report.truncated);
            }
            Outcome::Redirected { .. } => self.redirected += 1,
            Outcome::Skipped(SkipReason::Trap(reason)) => self.refuse(*reason),
            Outcome::Skipped(_) => self.skipped += 1,
            Outcome::Failed(failure) => self.failed[failure.kind.group() as usize] += 1,
        }
    }

    /// URLs known but not finished.
    pub(crate) fn left(&self) -> u64 {
        self.queued + self.delayed + self.in_flight
    }

    pub(crate) fn failed_by_group(&self) -> impl Iterator<Item = (FailGroup, u64)> {
        const GROUPS: [FailGroup; 11] = [
            FailGroup::DeadLink,
            FailGroup::ClientError,
            FailGroup::ServerError,
            FailGroup::Timeout,
            FailGroup::RateLimited,
            FailGroup::Network,
            FailGroup::Redirects,
            FailGroup::BadResponse,
            FailGroup::Refused,
            FailGroup::Browser,
            FailGroup::Internal,
        ];
        GROUPS
            .into_iter()
            .map(|group| (group, self.failed[group as usize]))
            .filter(|(_, n)| *n > 0)
    }

    /// Checks the invariant.
    pub(crate) fn check(&self) {
        debug_assert_eq!(
            self.admitted,
            self.finished + self.queued + self.delayed + self.in_flight,
            "a URL was lost or counted twice: {self:?}"
        );
    }
}
