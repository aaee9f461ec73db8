//! The crawl loop.
//!
//! One owner of all state. It takes work from the frontier, hands it to workers, takes their reports in
//! batches, and passes finished pages to the writer. The end is counted, never timed.

use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::Fetch;
use crawler_frontier::{Delivery, Dispatch, Frontier, Moment, Next};
use crawler_model::{StopReason, Summary};
use crawler_weburl::CrawlUrl;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::output_writer::WriterEnded;
use crate::worker_pool::{FinishedWork, Report, WorkerPool};
use crate::{DriveError, OutputWriter, Progress, Stop, StopLevel};

/// Limit on the reports settled before the frontier is asked for work again.
const BATCH: usize = 64;
/// URLs left over that are passed to the writer together.
const LEFT_BATCH: usize = 1_024;

/// Runs a crawl to its end, with up to `workers` pages in flight at once, and closes the output, if there is one. `Err`
/// means that we could not do our job; a site that cannot be fetched is `Ok`, with the problem in the summary.
pub async fn drive<F: Frontier, T: Fetch>(
    frontier: F,
    fetch: Arc<T>,
    workers: usize,
    writer: Option<OutputWriter>,
    stop: Stop,
    progress: Arc<Progress>,
) -> Result<Summary, DriveError> {
    drive_from(
        Moment::ZERO,
        frontier,
        fetch,
        workers,
        writer,
        stop,
        progress,
    )
    .await
}

/// Runs a resumed crawl: its clock begins at `from`.
pub async fn drive_from<F: Frontier, T: Fetch>(
    from: Moment,
    frontier: F,
    fetch: Arc<T>,
    workers: usize,
    writer: Option<OutputWriter>,
    stop: Stop,
    progress: Arc<Progress>,
) -> Result<Summary, DriveError> {
    let (finished, reports) = mpsc::unbounded_channel();
    let mut crawl = Crawl {
        begun: Instant::now(),
        from,
        frontier,
        pool: WorkerPool::new(fetch, finished),
        workers,
        writer,
        stop,
        progress,
        reports,
        out: Vec::new(),
        behind: false,
    };
    let ended = crawl.run().await;
    crawl.end(ended).await
}

/// Why the loop ended.
enum Ended {
    Finished,
    AtOnce,
    OutputClosed,
}

struct Crawl<F, T> {
    begun: Instant,
    /// The crawl's time at `begun`.
    from: Moment,
    frontier: F,
    pool: WorkerPool<T>,
    /// Limit on busy workers.
    workers: usize,
    writer: Option<OutputWriter>,
    stop: Stop,
    progress: Arc<Progress>,
    /// Never more waiting than there are workers.
    reports: mpsc::UnboundedReceiver<FinishedWork>,
    out: Vec<Delivery>,
    /// Whether something finished did not reach the writer.
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
            let (free, now) = (self.workers - self.pool.busy(), self.now());
            let Dispatch { work, next } = self.frontier.take(free, now, &mut self.out).await?;
            for work in work {
                let plan = self.frontier.plan(&work);
                self.pool.dispatch(work, plan);
            }
            self.progress.set(self.frontier.progress_counts());
            if self.deliver().await == Err(WriterEnded) {
                return Ok(Ended::OutputClosed);
            }
            let until = match next {
                Next::Finished(_) => return Ok(Ended::Finished),
                Next::Until(at) => Some(Instant::now() + at.saturating_sub(now).min(FAR_AWAY)),
                Next::Report => None,
            };
            self.wait(&mut batch, until).await;
            for finished_work in batch.drain(..) {
                let now = self.now();
                match self.pool.collect(finished_work) {
                    Report::Page(report) => {
                        self.frontier.settle(*report, now, &mut self.out).await?;
                    }
                    Report::SiteFile(report) => {
                        self.frontier
                            .settle_site_file(*report, now, &mut self.out)
                            .await?;
                    }
                }
            }
        }
    }

    /// Waits for reports, for a point in time, or for a stop.
    async fn wait(&mut self, batch: &mut Vec<FinishedWork>, until: Option<Instant>) {
        let asked = match self.stop.level() {
            StopLevel::Run => StopLevel::Drain,
            _ => StopLevel::AtOnce,
        };
        let sleep = tokio::time::sleep_until(until.unwrap_or_else(|| Instant::now() + FAR_AWAY));
        tokio::select! {
            biased;
            _ = self.reports.recv_many(batch, BATCH) => {
                // Other workers are about to report: let them go first, since a turn of the loop costs the same for
                // many reports as for one.
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

    /// Passes everything finished to the writer, waiting while the writer is behind.
    async fn deliver(&mut self) -> Result<(), WriterEnded> {
        if self.out.is_empty() {
            return Ok(());
        }
        let finished = std::mem::replace(&mut self.out, Vec::with_capacity(BATCH));
        let Some(writer) = &self.writer else {
            return Ok(());
        };
        tokio::select! {
            biased;
            put = writer.put(finished) => put,
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
            // A writer that ended reports why when it is closed.
            let _ = self.deliver().await;
        }
        if matches!(ended, Ended::Finished) {
            self.put_left().await;
        }
        let mut summary = self.frontier.summary(self.now());
        let Some(writer) = self.writer else {
            return Ok(summary);
        };
        match writer.close(&summary).await {
            Ok(()) => Ok(summary),
            Err(error) if error.is_closed_pipe() => {
                summary.stop = StopReason::OutputClosed;
                Ok(summary)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn put_left(&mut self) {
        let Some(writer) = self.writer.as_ref().filter(|writer| writer.wants_left()) else {
            return;
        };
        let mut left: Vec<CrawlUrl> = Vec::new();
        self.frontier.left(&mut |url| left.push(url.clone()));
        for urls in left.chunks(LEFT_BATCH) {
            if writer.put_left(urls.to_vec()).await == Err(WriterEnded) {
                return;
            }
        }
    }
}

/// A sleep needs an end even when it is not awaited.
const FAR_AWAY: Duration = Duration::from_hours(24);
