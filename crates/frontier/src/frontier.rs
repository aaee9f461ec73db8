//! The contract between the crawl loop and whoever keeps the URLs.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use model::{CrawlPlan, Notice, PageReport, StopReason, Summary, Task};
use weburl::CrawlUrl;

use crate::{Errand, ErrandReport};

/// A point in time, as the time since the crawl began.
pub type Moment = Duration;

/// Something for a worker to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Work {
    /// Fetch a page and return its report.
    Page(Task),
    /// Fetch a site's own file: robots.txt or a sitemap.
    Errand(Errand),
}

/// Something for the sink.
#[derive(Debug)]
pub enum Delivery {
    /// A finished page: exactly one per admitted URL.
    Page(Box<PageReport>),
    /// Something else worth telling.
    Notice(Notice),
    /// What happened up to here, for a sink that keeps it: encoded, the business of who wrote it.
    Mark(Vec<u8>),
}

/// What the loop does when it has handed out a turn's work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Wait for a report.
    Report,
    /// Wait for a report, or until then.
    Until(Moment),
    /// Nothing is left, in flight or waiting.
    Finished(StopReason),
}

/// The answer to "what now?".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// To be handed out now.
    pub work: Vec<Work>,
    /// And then.
    pub next: Next,
}

/// The numbers a progress display shows; cheap to take.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Glance {
    /// Pages reported.
    pub pages: u64,
    /// Of those, failed.
    pub failed: u64,
    /// Known and not begun, or waiting to be tried again.
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

/// Who keeps the URLs. What is to be delivered is appended to `out`, in order.
pub trait Frontier: Send {
    /// Up to `most` pieces of work that may start now.
    fn take(
        &mut self,
        most: usize,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> impl Future<Output = Result<Turn, FrontierError>> + Send;

    /// The plan that a piece of work is done by.
    fn plan(&self, work: &Work) -> Arc<CrawlPlan>;

    /// Waits until the frontier has heard of something that is worth another [`take`](Self::take), besides
    /// reports and time. Dropped and called again at will.
    fn news(&mut self) -> impl Future<Output = ()> + Send {
        std::future::pending()
    }

    /// Takes in a page's report: retry or finish, admit its links.
    fn settle(
        &mut self,
        report: PageReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> impl Future<Output = Result<(), FrontierError>> + Send;

    /// Takes in an errand's report.
    fn settle_errand(
        &mut self,
        report: ErrandReport,
        now: Moment,
        out: &mut Vec<Delivery>,
    ) -> impl Future<Output = Result<(), FrontierError>> + Send;

    /// No more work is given out; what is in flight may still settle.
    fn stop(&mut self, reason: StopReason);

    /// What must still reach the sink, however the crawl ended; called once, before the end.
    fn close(&mut self, _out: &mut Vec<Delivery>) {}

    /// The numbers so far, for a progress display.
    fn glance(&self) -> Glance;

    /// The numbers so far.
    fn summary(&self, now: Moment) -> Summary;

    /// URLs known but not finished; called once, at the end.
    fn left(&mut self, each: &mut dyn FnMut(&CrawlUrl));
}
