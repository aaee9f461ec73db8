//! The crawl loop.
//!
//! The loop owns all state. It takes work from the frontier, hands it to workers, settles their reports in batches, and
//! passes finished pages to the output. It ends when no work is left or in flight, never because of an idle timeout.

use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::Fetch;
use crawler_frontier::{Delivery, Dispatch, Frontier, Moment, Next};
use crawler_model::{StopReason, Summary};
use crawler_weburl::CrawlUrl;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::output::{Output, OutputEnded};
use crate::worker_pool::{FinishedWork, Report, WorkerPool};
use crate::{DriveError, Progress, Stop, StopLevel};

/// Maximum number of reports settled before more work is taken from the frontier.
const BATCH: usize = 64;
/// Number of unvisited URLs passed to the output at once.
const LEFT_BATCH: usize = 1_024;
/// Maximum time to sleep. Also the duration of the timer that is created, but not awaited, if there is nothing to wait until.
const MAX_SLEEP: Duration = Duration::from_hours(24);

/// Runs a crawl to its end, with up to `workers` pages in flight at once, and closes the output. `Err`
/// means that the crawl itself failed; a site that cannot be fetched is `Ok`, with the problem in the summary.
pub async fn drive<F: Frontier, T: Fetch, O: Output>(
    frontier: F,
    fetch: Arc<T>,
    workers: usize,
    output: O,
    stop: Stop,
    progress: Arc<Progress>,
) -> Result<Summary, DriveError> {
    drive_from(
        Moment::ZERO,
        frontier,
        fetch,
        workers,
        output,
        stop,
        progress,
    )
    .await
}

/// Runs a resumed crawl, whose clock starts at `from`.
pub async fn drive_from<F: Frontier, T: Fetch, O: Output>(
    from: Moment,
    frontier: F,
    fetch: Arc<T>,
    workers: usize,
    output: O,
    stop: Stop,
    progress: Arc<Progress>,
) -> Result<Summary, DriveError> {
    let (finished, reports) = mpsc::unbounded_channel();
    let mut crawl = CrawlLoop {
        started_at: Instant::now(),
        from,
        frontier,
        pool: WorkerPool::new(fetch, finished),
        workers,
        output,
        stop,
        progress,
        reports,
        out: Vec::new(),
        lost_output: false,
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

struct CrawlLoop<F, T, O> {
    started_at: Instant,
    /// Time on the crawl's clock at `started_at`.
    from: Moment,
    frontier: F,
    pool: WorkerPool<T>,
    /// Maximum number of busy workers.
    workers: usize,
    output: O,
    stop: Stop,
    progress: Arc<Progress>,
    /// Holds at most one report per worker.
    reports: mpsc::UnboundedReceiver<FinishedWork>,
    out: Vec<Delivery>,
    /// Whether finished pages did not reach the output.
    lost_output: bool,
}

impl<F: Frontier, T: Fetch, O: Output> CrawlLoop<F, T, O> {
    fn now(&self) -> Moment {
        self.from + self.started_at.elapsed()
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
            if self.deliver().await == Err(OutputEnded) {
                return Ok(Ended::OutputClosed);
            }
            let until = match next {
                Next::Finished(_) => return Ok(Ended::Finished),
                Next::Until(at) => Some(Instant::now() + at.saturating_sub(now).min(MAX_SLEEP)),
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
        let next_level = match self.stop.level() {
            StopLevel::Run => StopLevel::Drain,
            _ => StopLevel::AtOnce,
        };
        let sleep = tokio::time::sleep_until(until.unwrap_or_else(|| Instant::now() + MAX_SLEEP));
        tokio::select! {
            biased;
            _ = self.reports.recv_many(batch, BATCH) => {
                // Let other workers report first: one iteration of the loop costs about the same for many reports as
                // for one.
                tokio::task::yield_now().await;
                while batch.len() < BATCH && let Ok(report) = self.reports.try_recv() {
                    batch.push(report);
                }
            }
            () = self.stop.reached(next_level) => (),
            () = self.frontier.changed() => (),
            () = sleep, if until.is_some() => (),
        }
    }

    /// Passes finished pages to the output. Waits while it has no room.
    async fn deliver(&mut self) -> Result<(), OutputEnded> {
        if self.out.is_empty() {
            return Ok(());
        }
        let finished = std::mem::replace(&mut self.out, Vec::with_capacity(BATCH));
        tokio::select! {
            biased;
            put = self.output.put(finished) => put,
            // A blocked output must not delay an immediate stop.
            () = self.stop.reached(StopLevel::AtOnce) => {
                self.lost_output = true;
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
        if !self.lost_output && !matches!(ended, Ended::OutputClosed) {
            self.frontier.close(&mut self.out);
            // If the output has ended, `close` returns the reason.
            let _ = self.deliver().await;
        }
        if matches!(ended, Ended::Finished) {
            self.put_left().await;
        }
        let mut summary = self.frontier.summary(self.now());
        match self.output.close(&summary).await {
            Ok(()) => Ok(summary),
            Err(error) if error.is_closed_pipe() => {
                summary.stop = StopReason::OutputClosed;
                Ok(summary)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn put_left(&mut self) {
        if !self.output.wants_unvisited() {
            return;
        }
        let mut left: Vec<CrawlUrl> = Vec::new();
        self.frontier.left(&mut |url| left.push(url.clone()));
        for urls in left.chunks(LEFT_BATCH) {
            if self.output.put_left(urls.to_vec()).await == Err(OutputEnded) {
                return;
            }
        }
    }
}
