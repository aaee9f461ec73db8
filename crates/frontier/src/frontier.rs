//! The contract between the crawl loop and the frontier.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use crawler_model::{CrawlRules, Notice, PageReport, StopReason, Summary, Task};
use crawler_weburl::CrawlUrl;

use crate::{SiteFileReport, SiteFileTask};

/// A point in time, as the time since the crawl began.
pub type Moment = Duration;

/// Something for a worker to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Work {
    /// Fetch a page and return its report.
    Page(Task),
    /// Fetch a site's own file: robots.txt or a sitemap.
    SiteFile(SiteFileTask),
}

/// Something for the sink.
#[derive(Debug)]
pub enum Delivery {
    /// A finished page: exactly one per admitted URL.
    Page(Box<PageReport>),
    /// A message for the user.
    Notice(Notice),
    /// Encoded events up to here, for a sink that stores them.
    Mark(Vec<u8>),
}

/// What the loop waits for after it has handed out the work of a dispatch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Wait for a report.
    Report,
    /// Wait for a report, or until this time.
    Until(Moment),
    /// Nothing is left, in flight or waiting.
    Finished(StopReason),
}

/// The work to hand out, and what to wait for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispatch {
    /// Work to hand out now.
    pub work: Vec<Work>,
    /// What to wait for afterward.
    pub next: Next,
}

/// The numbers a progress display shows; cheap to take.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ProgressCounts {
    /// Pages reported.
    pub pages: u64,
    /// Pages that failed.
    pub failed: u64,
    /// Known and not started, or waiting for a retry.
    pub queued: u64,
    /// With a worker.
    pub in_flight: u64,
    /// Body bytes over the wire.
    pub bytes: u64,
}

/// The frontier could not do its job.
#[derive(Debug)]
pub struct FrontierError(pub String);

impl fmt::Display for FrontierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FrontierError {}

/// Holds the URLs of a crawl. Deliveries are appended to `out`, in order.
pub trait Frontier: Send {
    /// Takes up to `max` pieces of work that may start now.
    fn take(
        &mut self,
        max: usize,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> impl Future<Output = Result<Dispatch, FrontierError>> + Send;

    /// The rules for a piece of work.
    fn plan(&self, work: &Work) -> Arc<CrawlRules>;

    /// Waits until something other than a report or a point in time requires another [`take`](Self::take). Cancel-safe.
    fn changed(&mut self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }

    /// Takes in a page's report: retry or finish, admit its links.
    fn settle(
        &mut self,
        report: PageReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> impl Future<Output = Result<(), FrontierError>> + Send;

    /// Takes in a site-file task's report.
    fn settle_site_file(
        &mut self,
        report: SiteFileReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> impl Future<Output = Result<(), FrontierError>> + Send;

    /// Stops handing out work; what is in flight may still settle.
    fn stop(&mut self, reason: StopReason);

    /// Delivers what must still reach the sink, however the crawl ended; called once, before the end.
    fn close(&mut self, _out: &mut Vec<Delivery>) {}

    /// The numbers so far, for a progress display.
    fn progress_counts(&self) -> ProgressCounts;

    /// The numbers so far.
    fn summary(&self, now: Moment) -> Summary;

    /// URLs known but not finished; called once, at the end.
    fn left(&mut self, each: &mut dyn FnMut(&CrawlUrl));
}
