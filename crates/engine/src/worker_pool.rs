//! The worker tasks, each with a channel of its own: as many as were ever busy at once.
//!
//! They are reused: a task per page would be created, moved and dropped with each page, which costs as much as finding
//! its links.

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

/// A report and its worker.
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
    /// A pool without workers; finished work is sent to `reports`.
    pub(crate) fn new(fetch: Arc<T>, reports: mpsc::UnboundedSender<FinishedWork>) -> Self {
        Self {
            fetch,
            senders: Vec::new(),
            idle: Vec::new(),
            reports,
        }
    }

    /// The number of busy workers.
    pub(crate) fn busy(&self) -> usize {
        self.senders.len() - self.idle.len()
    }

    /// Hands work to an idle or a new worker.
    pub(crate) fn dispatch(&mut self, work: Work, plan: Arc<CrawlRules>) {
        let mut order = (work, plan);
        loop {
            let worker = self.idle.pop().unwrap_or_else(|| self.spawn_worker());
            match self.senders[worker].send(order) {
                Ok(()) => return,
                // The worker is gone, and no longer listed as idle: try another.
                Err(mpsc::error::SendError(back)) => order = back,
            }
        }
    }

    /// Takes a report; its worker is idle again.
    pub(crate) fn collect(&mut self, finished_work: FinishedWork) -> Report {
        self.idle.push(finished_work.worker);
        finished_work.report
    }

    fn spawn_worker(&mut self) -> usize {
        let worker = self.senders.len();
        let (sender, orders) = mpsc::unbounded_channel();
        self.senders.push(sender);
        let (fetch, reports) = (Arc::clone(&self.fetch), self.reports.clone());
        tokio::spawn(work(worker, orders, fetch, reports));
        worker
    }
}

/// Does what it is sent, until the channel closes.
async fn work<T: Fetch>(
    worker: usize,
    mut orders: mpsc::UnboundedReceiver<Assignment>,
    fetch: Arc<T>,
    reports: mpsc::UnboundedSender<FinishedWork>,
) {
    while let Some((work, plan)) = orders.recv().await {
        let report = match work {
            Work::Page(task) => Report::Page(Box::new(page::report_on(task, &*fetch, &plan).await)),
            Work::SiteFile(site_file) => {
                Report::SiteFile(Box::new(site_file::run(site_file, &*fetch, &plan).await))
            }
        };
        // The receiver may be gone: then the crawl was stopped at once.
        let _ = reports.send(FinishedWork { report, worker });
    }
}
