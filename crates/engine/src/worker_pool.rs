//! The worker tasks, each with its own channel. A worker is spawned only if all others are busy.
//!
//! Workers are reused, because spawning a task for each page costs as much as finding the page's links.

use std::sync::Arc;

use crawler_fetch::Fetch;
use crawler_frontier::{SiteFileReport, Work};
use crawler_model::{CrawlRules, PageReport};
use tokio::sync::mpsc;

use crate::{page, site_file};

/// The report of a piece of work.
pub(crate) enum Report {
    Page(Box<PageReport>),
    SiteFile(Box<SiteFileReport>),
}

/// A report and the index of its worker.
pub(crate) struct FinishedWork {
    pub(crate) report: Report,
    worker: usize,
}

type Assignment = (Work, Arc<CrawlRules>);

pub(crate) struct WorkerPool<T> {
    fetch: Arc<T>,
    senders: Vec<mpsc::UnboundedSender<Assignment>>,
    idle: Vec<usize>,
    reports: mpsc::UnboundedSender<FinishedWork>,
}

impl<T: Fetch> WorkerPool<T> {
    /// Creates a pool without workers; reports are sent to `reports`.
    pub(crate) fn new(fetch: Arc<T>, reports: mpsc::UnboundedSender<FinishedWork>) -> Self {
        Self {
            fetch,
            senders: Vec::new(),
            idle: Vec::new(),
            reports,
        }
    }

    /// Returns the number of busy workers.
    pub(crate) fn busy(&self) -> usize {
        self.senders.len() - self.idle.len()
    }

    /// Hands work to an idle or a new worker.
    pub(crate) fn dispatch(&mut self, work: Work, plan: Arc<CrawlRules>) {
        let mut assignment = (work, plan);
        loop {
            let worker = self.idle.pop().unwrap_or_else(|| self.spawn_worker());
            match self.senders[worker].send(assignment) {
                Ok(()) => return,
                // The worker has ended and is no longer listed as idle: try another.
                Err(mpsc::error::SendError(unsent)) => assignment = unsent,
            }
        }
    }

    /// Marks the worker of a report as idle and returns the report.
    pub(crate) fn collect(&mut self, finished_work: FinishedWork) -> Report {
        self.idle.push(finished_work.worker);
        finished_work.report
    }

    fn spawn_worker(&mut self) -> usize {
        let worker = self.senders.len();
        let (sender, assignments) = mpsc::unbounded_channel();
        self.senders.push(sender);
        let (fetch, reports) = (Arc::clone(&self.fetch), self.reports.clone());
        tokio::spawn(work(worker, assignments, fetch, reports));
        worker
    }
}

/// Runs a worker until its channel closes.
async fn work<T: Fetch>(
    worker: usize,
    mut assignments: mpsc::UnboundedReceiver<Assignment>,
    fetch: Arc<T>,
    reports: mpsc::UnboundedSender<FinishedWork>,
) {
    while let Some((work, plan)) = assignments.recv().await {
        let report = match work {
            Work::Page(task) => Report::Page(Box::new(page::report_on(task, &*fetch, &plan).await)),
            Work::SiteFile(site_file) => {
                Report::SiteFile(Box::new(site_file::run(site_file, &*fetch, &plan).await))
            }
        };
        // The receiver is gone if the crawl was stopped at once.
        let _ = reports.send(FinishedWork { report, worker });
    }
}
