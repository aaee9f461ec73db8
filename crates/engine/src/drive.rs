//! The loop: the only one in the product.
//!
//! One owner of all state. It takes work from the frontier, hands it to workers, takes their reports in
//! batches, and puts finished pages on the shelf. The end is counted, never timed.

use std::sync::Arc;
use std::time::Duration;

use fetch::Fetch;
use frontier::{Delivery, Frontier, Moment, Next, Turn};
use model::{StopReason, Summary};
use tokio::sync::mpsc;
use tokio::time::Instant;
use weburl::CrawlUrl;

use crate::crew::{Crew, Handed, Report};
use crate::shelf::WriterEnded;
use crate::{DriveError, Progress, Shelf, Stop, StopLevel};

/// Most reports taken in before the next look at the frontier.
const BATCH: usize = 64;
/// How many left-over URLs travel together.
const LEFT_BATCH: usize = 1_024;

/// Runs a crawl to its end, with so many pages in flight at once, and closes the output. `Err` means that we could not do our job; a site that
/// cannot be fetched is `Ok`, with the problem in the summary.
pub async fn drive<F: Frontier, T: Fetch>(
    frontier: F,
    fetch: Arc<T>,
    workers: usize,
    shelf: Shelf,
    stop: Stop,
    progress: Arc<Progress>,
) -> Result<Summary, DriveError> {
    drive_from(
        Moment::ZERO,
        frontier,
        fetch,
        workers,
        shelf,
        stop,
        progress,
    )
    .await
}

/// Runs a crawl that goes on: its clock begins at `from`.
pub async fn drive_from<F: Frontier, T: Fetch>(
    from: Moment,
    frontier: F,
    fetch: Arc<T>,
    workers: usize,
    shelf: Shelf,
    stop: Stop,
    progress: Arc<Progress>,
) -> Result<Summary, DriveError> {
    let (handing_in, reports) = mpsc::unbounded_channel();
    let mut crawl = Crawl {
        begun: Instant::now(),
        from,
        frontier,
        crew: Crew::new(fetch, handing_in),
        workers,
        shelf,
        stop,
        progress,
        reports,
        out: Vec::new(),
        behind: false,
    };
    let ended = crawl.run().await;
    crawl.end(ended).await
}

/// Why the loop was left.
enum Ended {
    Finished,
    AtOnce,
    OutputClosed,
}

struct Crawl<F, T> {
    begun: Instant,
    /// The crawl's time when it began here.
    from: Moment,
    frontier: F,
    crew: Crew<T>,
    /// Most that are at work at once.
    workers: usize,
    shelf: Shelf,
    stop: Stop,
    progress: Arc<Progress>,
    /// Never more waiting than there are workers.
    reports: mpsc::UnboundedReceiver<Handed>,
    out: Vec<Delivery>,
    /// Something finished did not reach the writer.
    behind: bool,
}

impl<F: Frontier, T: Fetch> Crawl<F, T> {
    fn now(&self) -> Moment {
        self.from + self.begun.elapsed()
    }

    async fn run(&mut self) -> Result<Ended, DriveError> {
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            match self.stop.level() {
                StopLevel::Run => (),
                StopLevel::Drain => self.frontier.stop(StopReason::Signal),
                StopLevel::AtOnce => return Ok(Ended::AtOnce),
            }
            let (free, now) = (self.workers - self.crew.busy(), self.now());
            let Turn { work, next } = self.frontier.take(free, now, &mut self.out).await?;
            for work in work {
                let plan = self.frontier.plan(&work);
                self.crew.hand_out(work, plan);
            }
            self.progress.set(self.frontier.glance());
            if self.deliver().await == Err(WriterEnded) {
                return Ok(Ended::OutputClosed);
            }
            let until = match next {
                Next::Finished(_) => return Ok(Ended::Finished),
                Next::Until(at) => Some(Instant::now() + at.saturating_sub(now).min(FAR_AWAY)),
                Next::Report => None,
            };
            self.wait(&mut batch, until).await;
            for handed in batch.drain(..) {
                let now = self.now();
                match self.crew.take_back(handed) {
                    Report::Page(report) => {
                        self.frontier.settle(*report, now, &mut self.out).await?;
                    }
                    Report::SiteFile(report) => {
                        self.frontier
                            .settle_errand(*report, now, &mut self.out)
                            .await?;
                    }
                }
            }
        }
    }

    /// Waits for reports, for a point in time, or for somebody to ask for an end.
    async fn wait(&mut self, batch: &mut Vec<Handed>, until: Option<Instant>) {
        let asked = match self.stop.level() {
            StopLevel::Run => StopLevel::Drain,
            _ => StopLevel::AtOnce,
        };
        let sleep = tokio::time::sleep_until(until.unwrap_or_else(|| Instant::now() + FAR_AWAY));
        tokio::select! {
            biased;
            _ = self.reports.recv_many(batch, BATCH) => {
                // Where one report is, others are about to be: those who are ready to make them go first, and a turn of
                // the loop costs the same for all.
                tokio::task::yield_now().await;
                while batch.len() < BATCH && let Ok(report) = self.reports.try_recv() {
                    batch.push(report);
                }
            }
            () = self.stop.reached(asked) => (),
            () = self.frontier.news() => (),
            () = sleep, if until.is_some() => (),
        }
    }

    /// Puts everything finished on the shelf, waiting while the writer is behind.
    async fn deliver(&mut self) -> Result<(), WriterEnded> {
        if self.out.is_empty() {
            return Ok(());
        }
        let finished = std::mem::replace(&mut self.out, Vec::with_capacity(BATCH));
        tokio::select! {
            biased;
            put = self.shelf.put(finished) => put,
            // A reader that does not read must not keep us from stopping at once.
            () = self.stop.reached(StopLevel::AtOnce) => {
                self.behind = true;
                Ok(())
            }
        }
    }

    async fn end(mut self, ended: Result<Ended, DriveError>) -> Result<Summary, DriveError> {
        let ended = ended?;
        match ended {
            Ended::Finished => (),
            Ended::AtOnce => self.frontier.stop(StopReason::Signal),
            Ended::OutputClosed => self.frontier.stop(StopReason::OutputClosed),
        }
        if !self.behind && !matches!(ended, Ended::OutputClosed) {
            self.frontier.close(&mut self.out);
            // A writer that ended says why when it is closed.
            let _ = self.deliver().await;
        }
        if matches!(ended, Ended::Finished) && self.shelf.wants_left() {
            self.put_left().await;
        }
        let mut summary = self.frontier.summary(self.now());
        match self.shelf.close(&summary).await {
            Ok(()) => Ok(summary),
            Err(error) if error.is_closed_pipe() => {
                summary.stop = StopReason::OutputClosed;
                Ok(summary)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn put_left(&mut self) {
        let mut left: Vec<CrawlUrl> = Vec::new();
        self.frontier.left(&mut |url| left.push(url.clone()));
        for urls in left.chunks(LEFT_BATCH) {
            if self.shelf.put_left(urls.to_vec()).await == Err(WriterEnded) {
                return;
            }
        }
    }
}

/// A sleep needs an end even when nobody waits for it.
const FAR_AWAY: Duration = Duration::from_hours(24);
