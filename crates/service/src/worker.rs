//! Who does the work: one loop over a store, for all of its jobs.
//!
//! A worker is `engine::drive` with a [`StoreFrontier`]; any number of them, in any number of processes, share a store.
//! What a job asked for becomes a plan here; everything else is the frontier's and the engine's.

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use engine::{DriveError, Progress, Shelf, Stop, drive};
use fetch::{Fetch, FetchSetupError, Guard, HttpFetch};
use model::{PageReport, Sink, SinkError, Summary};
use store::{JobKind, JobOrder, Rescue, Store, WorkerId};
use store_frontier::{Planner, StoreFrontier};
pub use store_frontier::{StoreFrontierSettings, WorkerCounts, WorkerNumbers};

use crate::config::Config;
use crate::job_params::{JobDefaults, JobParams, ParamsError};

/// How often lost leases are looked for, at least; more often when they are short.
const HOUSEKEEPING: Duration = Duration::from_secs(5);

/// What a worker is told.
#[derive(Clone, Debug, Default)]
pub struct WorkerSettings {
    /// Times and sizes.
    pub frontier: StoreFrontierSettings,
    /// What holds for jobs that do not say otherwise.
    pub jobs: JobDefaults,
    /// Nobody else works on this store: what a worker before this one held is taken over at once.
    pub sole_owner: bool,
}

impl WorkerSettings {
    /// What a configuration says.
    pub fn of(config: &Config, sole_owner: bool) -> Self {
        Self {
            frontier: StoreFrontierSettings {
                workers: config.worker.pool_size,
                lease: config.worker.lease,
                heartbeat: config.worker.heartbeat,
                host_interval: config.host_interval(),
                own_crawl_delay: config.crawl.crawl_delay.is_some(),
                housekeeping: (config.worker.lease / 6).min(HOUSEKEEPING),
                // The store has the rest of the time to take back what was not finished.
                drain: config
                    .worker
                    .drain
                    .saturating_sub(StoreFrontierSettings::GRACE),
                ..StoreFrontierSettings::default()
            },
            jobs: JobDefaults::from(config),
            sole_owner,
        }
    }
}

/// A worker that has not started.
pub struct Worker<S, T> {
    store: S,
    fetch: Arc<T>,
    frontier: StoreFrontier<S>,
    workers: usize,
    sole_owner: bool,
}

/// The fetcher all jobs of a process share.
pub fn http_fetch(
    jobs: &JobDefaults,
    workers: usize,
    guard: Guard,
) -> Result<HttpFetch, WorkerError> {
    let plan = JobParams::scrape("http://any.invalid/").plan(JobKind::Scrape, jobs)?;
    let fetch = HttpFetch::new(&plan.fetch, workers, guard, html::looks_like_html)?;
    Ok(fetch)
}

impl<S: Store, T: Fetch> Worker<S, T> {
    /// A worker on this store.
    pub fn new(store: S, fetch: Arc<T>, settings: WorkerSettings) -> Result<Self, WorkerError> {
        let jobs = Arc::new(settings.jobs);
        // Errands are made on nobody's behalf: of their plan only the agent's name counts.
        let errand_plan = JobParams::scrape("http://any.invalid/").plan(JobKind::Scrape, &jobs)?;
        // A new number for each worker: nobody can prepare URLs that collide.
        let keys = RandomState::new().build_hasher().finish();
        let planner: Planner = Arc::new(move |job: &JobOrder| {
            let params: JobParams =
                serde_json::from_value(job.params.clone()).map_err(|error| error.to_string())?;
            let mut plan = params
                .plan(job.kind, &jobs)
                .map_err(|error| error.to_string())?;
            plan.keys.seed = keys;
            // Not a secret: it keeps the pages of two jobs apart in one browser, no more.
            plan.visit = BuildHasherDefault::<DefaultHasher>::default().hash_one(job.id);
            Ok(plan)
        });
        let workers = settings.frontier.workers.max(1);
        let frontier = StoreFrontier::new(
            store.clone(),
            WorkerId::fresh(),
            settings.frontier,
            planner,
            Arc::new(errand_plan),
            RandomState::new().build_hasher().finish(),
        );
        Ok(Self {
            store,
            fetch,
            frontier,
            workers,
            sole_owner: settings.sole_owner,
        })
    }

    /// Its numbers, which may be read while it runs and afterwards.
    pub fn counts(&self) -> Arc<WorkerCounts> {
        self.frontier.counts()
    }

    /// Works until it is asked to stop, and then until what it holds is finished or handed back. A store that is away
    /// is waited for.
    pub async fn run(self, stop: Stop) -> Result<Summary, WorkerError> {
        if self.sole_owner {
            // One that ended as it should has handed everything back: what is held was held when it was killed, or
            // killed it. A store that is away now will see these leases run out instead.
            let _ = self.store.rescue(Rescue::Held { blame: true }).await;
        }
        let writer = Shelf::start(Box::new(Settled)).map_err(WorkerError::Start)?;
        let progress = Arc::<Progress>::default();
        let driven = drive(
            self.frontier,
            self.fetch,
            self.workers,
            writer,
            stop,
            progress,
        );
        Ok(driven.await?)
    }
}

impl<S, T> fmt::Debug for Worker<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("frontier", &self.frontier)
            .finish_non_exhaustive()
    }
}

/// Nothing is printed: what became of a page is in the store before it could get here.
struct Settled;

impl Sink for Settled {
    fn page(&mut self, _report: &PageReport) -> Result<(), SinkError> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        Ok(())
    }
}

/// A worker could not do its job.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The configuration makes no plan.
    #[error("the configuration cannot be used: {0}")]
    Defaults(#[from] ParamsError),
    /// No fetcher.
    #[error("cannot set up fetching: {0}")]
    Fetch(#[from] FetchSetupError),
    /// No thread.
    #[error("cannot start: {0}")]
    Start(std::io::Error),
    /// The loop ended.
    #[error("the worker ended: {0}")]
    Drive(#[from] DriveError),
}
