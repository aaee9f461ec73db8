//! The tasks that do the work, each with a door of its own: as many as were ever busy at once.
//!
//! They stay: a task for each page would be made, moved and dropped with each page, which costs as much as finding its
//! links.

use std::sync::Arc;

use fetch::Fetch;
use frontier::{ErrandReport, Work};
use model::{CrawlPlan, PageReport};
use tokio::sync::mpsc;

use crate::{page, site_file};

/// What became of a piece of work.
pub(crate) enum Report {
    Page(Box<PageReport>),
    SiteFile(Box<ErrandReport>),
}

/// A report, and whose it is.
pub(crate) struct Handed {
    pub(crate) report: Report,
    worker: usize,
}

type Order = (Work, Arc<CrawlPlan>);

pub(crate) struct Crew<T> {
    fetch: Arc<T>,
    doors: Vec<mpsc::UnboundedSender<Order>>,
    idle: Vec<usize>,
    reports: mpsc::UnboundedSender<Handed>,
}

impl<T: Fetch> Crew<T> {
    /// Nobody yet; what they do is told to `reports`.
    pub(crate) fn new(fetch: Arc<T>, reports: mpsc::UnboundedSender<Handed>) -> Self {
        Self {
            fetch,
            doors: Vec::new(),
            idle: Vec::new(),
            reports,
        }
    }

    /// How many are at work.
    pub(crate) fn busy(&self) -> usize {
        self.doors.len() - self.idle.len()
    }

    /// Has somebody do it.
    pub(crate) fn hand_out(&mut self, work: Work, plan: Arc<CrawlPlan>) {
        let mut order = (work, plan);
        loop {
            let worker = self.idle.pop().unwrap_or_else(|| self.hire());
            match self.doors[worker].send(order) {
                Ok(()) => return,
                // It is gone, and so not idle any more either: somebody else does it.
                Err(mpsc::error::SendError(back)) => order = back,
            }
        }
    }

    /// Takes a report; who made it is free again.
    pub(crate) fn take_back(&mut self, handed: Handed) -> Report {
        self.idle.push(handed.worker);
        handed.report
    }

    fn hire(&mut self) -> usize {
        let worker = self.doors.len();
        let (door, orders) = mpsc::unbounded_channel();
        self.doors.push(door);
        let (fetch, reports) = (Arc::clone(&self.fetch), self.reports.clone());
        tokio::spawn(work(worker, orders, fetch, reports));
        worker
    }
}

/// Does what comes through the door, until nobody is behind it any more.
async fn work<T: Fetch>(
    worker: usize,
    mut orders: mpsc::UnboundedReceiver<Order>,
    fetch: Arc<T>,
    reports: mpsc::UnboundedSender<Handed>,
) {
    while let Some((work, plan)) = orders.recv().await {
        let report = match work {
            Work::Page(task) => Report::Page(Box::new(page::report_on(task, &*fetch, &plan).await)),
            Work::Errand(errand) => {
                Report::SiteFile(Box::new(site_file::run(errand, &*fetch, &plan).await))
            }
        };
        // Whoever waits for it may be gone: then the crawl was stopped at once.
        let _ = reports.send(Handed { report, worker });
    }
}
