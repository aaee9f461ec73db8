//! Fixtures: a store of its own for each test, and workers that run on it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crawler_engine::Stop;
use crawler_fetch::{Fetch, Guard, HttpFetch};
use crawler_service::job_params::{JobDefaults, JobParams};
use crawler_service::worker::{
    StoreFrontierSettings, Worker, WorkerCounts, WorkerSettings, WorkerTotals, http_fetch,
};
use crawler_store::{
    Access, HostDefaults, Job, JobId, JobKind, Owner, Store, StoreLimits, StoredDocument,
    documents_of,
};
use crawler_store_sqlite::{SqliteOptions, SqliteStore};
use futures_util::TryStreamExt;
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// Limit for every wait.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Hosts without politeness limits.
pub(crate) fn fast() -> HostDefaults {
    HostDefaults {
        in_flight: 100,
        interval: Duration::ZERO,
    }
}

/// A store, and the directory or database that contains it.
pub(crate) struct TestStore<S = SqliteStore, P = TempDir> {
    pub(crate) store: S,
    pub(crate) location: P,
}

impl TestStore {
    pub(crate) async fn fresh(hosts: HostDefaults) -> Self {
        let location = tempfile::tempdir().unwrap();
        let store = open(&location.path().join("store.db"), hosts).await;
        Self { store, location }
    }
}

impl<S: Store, P> TestStore<S, P> {
    pub(crate) async fn start(&self, kind: JobKind, params: &JobParams) -> JobId {
        let prepared = params
            .new_job(kind, Owner::local(), &JobDefaults::default())
            .unwrap();
        let id = prepared.job.id;
        self.store.create_job(prepared.job).await.unwrap();
        id
    }

    /// Runs a job with one worker until it has finished.
    pub(crate) async fn run(&self, kind: JobKind, params: &JobParams) -> (Job, WorkerTotals) {
        let job = self.start(kind, params).await;
        let worker = RunningWorker::start(&self.store, http(), settings(fast()));
        let job = self.finished(job).await;
        (job, worker.stop().await)
    }

    /// Waits until a job has finished.
    pub(crate) async fn finished(&self, id: JobId) -> Job {
        let started = Instant::now();
        let mut ticks = tokio::time::interval(Duration::from_millis(20));
        loop {
            ticks.tick().await;
            let job = self
                .store
                .job(&Access::AllOwners, id)
                .await
                .unwrap()
                .unwrap();
            if job.state.is_final() {
                return job;
            }
            assert!(started.elapsed() < TIMEOUT, "not finished: {job:?}");
        }
    }

    pub(crate) async fn documents(&self, id: JobId) -> Vec<StoredDocument> {
        documents_of(&self.store, &Access::AllOwners, id)
            .try_collect()
            .await
            .unwrap()
    }

    /// Returns the documents by the path of their URL; fails if a path occurs twice.
    pub(crate) async fn by_path(&self, id: JobId) -> HashMap<String, StoredDocument> {
        let mut found = HashMap::new();
        for document in self.documents(id).await {
            let url = document.final_url.clone();
            let path = url.splitn(4, '/').nth(3).unwrap().to_owned();
            assert!(
                found.insert(format!("/{path}"), document).is_none(),
                "two documents of {url}"
            );
        }
        found
    }
}

pub(crate) async fn open(path: &Path, hosts: HostDefaults) -> SqliteStore {
    let options = SqliteOptions {
        limits: StoreLimits {
            // These tests kill workers; their pages are not to blame.
            max_crashes: 1_000,
            ..hosts.into()
        },
        acquire_timeout: Duration::from_mins(1),
        ..SqliteOptions::default()
    };
    SqliteStore::open(path, options).await.unwrap()
}

pub(crate) fn settings(hosts: HostDefaults) -> WorkerSettings {
    WorkerSettings {
        frontier: StoreFrontierSettings {
            host_interval: hosts.interval,
            ..StoreFrontierSettings::default()
        },
        ..WorkerSettings::default()
    }
}

pub(crate) fn http() -> Arc<HttpFetch> {
    Arc::new(http_fetch(&JobDefaults::default(), 8, Guard::anywhere()).unwrap())
}

/// A running worker.
pub(crate) struct RunningWorker {
    pub(crate) stop: Stop,
    pub(crate) counts: Arc<WorkerCounts>,
    task: JoinHandle<()>,
}

impl RunningWorker {
    pub(crate) fn start<S: Store, T: Fetch>(
        store: &S,
        fetch: Arc<T>,
        settings: WorkerSettings,
    ) -> Self {
        Self::run(Worker::new(store.clone(), fetch, settings).unwrap())
    }

    pub(crate) fn run<S: Store, T: Fetch>(worker: Worker<S, T>) -> Self {
        let (stop, counts) = (Stop::new(), worker.counts());
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            worker.run(stopped).await.unwrap();
        });
        Self { stop, counts, task }
    }

    /// Drains the worker and returns its counters.
    pub(crate) async fn stop(self) -> WorkerTotals {
        self.stop.request();
        self.task.await.unwrap();
        self.counts.numbers()
    }
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    let mut ticks = tokio::time::interval(Duration::from_millis(5));
    while !condition() {
        assert!(started.elapsed() < TIMEOUT, "timed out: {what}");
        ticks.tick().await;
    }
}
