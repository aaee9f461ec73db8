//! The worker: one loop over a store, for all of its jobs.
//!
//! A worker is `crawler_engine::drive` with a [`StoreFrontier`]; any number of them, in any number of processes, share a store.
//! This module turns the parameters of a job into a plan; the frontier and the engine do everything else.

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use crawler_engine::{DriveError, OutputWriter, Progress, Stop, drive};
use crawler_fetch::{Fetch, FetchSetupError, Guard, HttpFetch};
use crawler_model::Summary;
use crawler_store::{JobRequest, Rescue, Store, WorkerId};
use crawler_store_frontier::{Planner, StoreFrontier};
pub use crawler_store_frontier::{StoreFrontierSettings, WorkerCounts, WorkerTotals};

use crate::address_limits::AddressLimits;
use crate::config::{Config, UnusableSetting};
use crate::job_params::{JobDefaults, JobParams};
use crate::tab_owner::tab_owner;

/// Maximum interval between searches for expired leases; it is shorter for short leases.
const MAX_HOUSEKEEPING_INTERVAL: Duration = Duration::from_secs(5);

/// Settings of a worker.
#[derive(Clone, Debug, Default)]
pub struct WorkerSettings {
    /// Settings of the frontier.
    pub frontier: StoreFrontierSettings,
    /// Defaults of jobs.
    pub jobs: JobDefaults,
    /// No other worker uses this store: tasks held by a previous worker are reclaimed immediately.
    pub sole_owner: bool,
}

impl WorkerSettings {
    /// Returns the settings for a configuration.
    pub fn of(config: &Config, sole_owner: bool) -> Self {
        Self {
            frontier: StoreFrontierSettings {
                workers: config.worker.pool_size,
                lease: config.worker.lease,
                heartbeat: config.worker.heartbeat,
                host_interval: config.host_interval(),
                housekeeping: (config.worker.lease / 6).min(MAX_HOUSEKEEPING_INTERVAL),
                // The rest of the time is for returning unfinished tasks to the store.
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

/// A worker that has not been started.
pub struct Worker<S, T> {
    store: S,
    fetch: Arc<T>,
    frontier: StoreFrontier<S>,
    workers: usize,
    sole_owner: bool,
}

/// Creates the HTTP client that is shared by all jobs of a process.
pub fn http_fetch(
    jobs: &JobDefaults,
    workers: usize,
    guard: Guard,
) -> Result<HttpFetch, WorkerError> {
    let rules = jobs.plan_without_seed()?;
    let fetch = HttpFetch::new(&rules.fetch, workers, guard, crawler_html::looks_like_html)?;
    Ok(fetch)
}

impl<S: Store, T: Fetch> Worker<S, T> {
    /// Creates a worker for a store.
    pub fn new(store: S, fetch: Arc<T>, settings: WorkerSettings) -> Result<Self, WorkerError> {
        let jobs = Arc::new(settings.jobs);
        let site_file_plan = jobs.plan_without_seed()?;
        // Random for each worker, so that nobody can construct URLs with colliding keys.
        let keys = RandomState::new().build_hasher().finish();
        let planner: Planner = Arc::new(move |job: &JobRequest, owner: &str| {
            let params: JobParams =
                serde_path_to_error::deserialize(&job.params).map_err(|error| {
                    tracing::warn!(job_id = %job.id, %error, "cannot read the parameters of a job");
                    let path = error.path();
                    format!(
                        "the stored parameters of the job cannot be read by this version (at {path}); create the job again"
                    )
                })?;
            // Not a secret: it only keeps the pages of two jobs apart in one browser.
            let visit = BuildHasherDefault::<DefaultHasher>::default().hash_one(job.id);
            let mut rules = params
                .plan(job.kind, &jobs, keys, visit)
                .map_err(|error| error.to_string())?;
            // Nobody else has them yet.
            let unshared = Arc::get_mut(&mut rules).ok_or("an internal error occurred")?;
            unshared.tab_owner = tab_owner(owner);
            Ok(rules)
        });
        let workers = settings.frontier.workers.max(1);
        let frontier = StoreFrontier::new(
            store.clone(),
            WorkerId::fresh(),
            settings.frontier,
            planner,
            site_file_plan,
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

    /// Resolves the names of hosts before a page worker is needed for them.
    #[must_use]
    pub fn resolving_names(mut self, http: Arc<HttpFetch>) -> Self {
        self.frontier = self.frontier.with_name_lookup(Arc::new(move |url| {
            let http = Arc::clone(&http);
            Box::pin(async move { http.check_name(&url).await })
        }));
        self
    }

    /// Lets names of one machine share the limits of a host.
    #[must_use]
    pub fn limiting_addresses(mut self, limits: AddressLimits<S>) -> Self {
        self.frontier = self.frontier.with_address_turns(Arc::new(limits).turns());
        self
    }

    /// Returns the counters, which can be read while the worker runs and afterwards.
    pub fn counts(&self) -> Arc<WorkerCounts> {
        self.frontier.counts()
    }

    /// Runs until it is stopped, and then until its tasks are finished or returned to the queue. Waits while the store is
    /// unavailable.
    pub async fn run(self, stop: Stop) -> Result<Summary, WorkerError> {
        if self.sole_owner {
            // A worker that stopped normally has returned all its tasks: tasks still leased belong to one that crashed or was
            // killed. If the store is unavailable now, their leases expire later.
            let _ = self.store.rescue(Rescue::Held { blame: true }).await;
        }
        let progress = Arc::<Progress>::default();
        let driven = drive(
            self.frontier,
            self.fetch,
            // The frontier decides how many are used: more than `workers` if owners hold more than their shares.
            self.workers * 2,
            // No output: the outcomes are in the store.
            None::<OutputWriter>,
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

/// Why a worker failed.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The configuration is not usable.
    #[error(transparent)]
    Defaults(#[from] UnusableSetting),
    /// The HTTP client cannot be created.
    #[error("cannot set up the HTTP client: {0}")]
    Fetch(#[from] FetchSetupError),
    /// The crawl loop failed.
    #[error("the worker failed: {0}")]
    Drive(#[from] DriveError),
}
