//! What the plays are played with.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::Stop;
use fetch::{Fetch, Guard, HttpFetch};
use futures_util::TryStreamExt;
use service::job_params::{JobDefaults, JobParams};
use service::worker::{
    StoreFrontierSettings, Worker, WorkerCounts, WorkerNumbers, WorkerSettings, http_fetch,
};
use store::{Document, HostDefaults, Job, JobId, JobKind, Store, documents_of};
use store_sqlite::{SqliteOptions, SqliteStore};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_mins(2);

/// Hosts that hold nothing up.
pub(crate) fn fast() -> HostDefaults {
    HostDefaults {
        in_flight: 100,
        interval: Duration::ZERO,
    }
}

/// A store of a test's own, with what it lives in.
pub(crate) struct Ground<S = SqliteStore, P = TempDir> {
    pub(crate) store: S,
    pub(crate) place: P,
}

impl Ground {
    pub(crate) async fn fresh(hosts: HostDefaults) -> Self {
        let place = tempfile::tempdir().unwrap();
        let store = open(&place.path().join("store.db"), hosts).await;
        Self { store, place }
    }
}

impl<S: Store, P> Ground<S, P> {
    pub(crate) async fn start(&self, kind: JobKind, params: &JobParams) -> JobId {
        let prepared = params.new_job(kind, &JobDefaults::default()).unwrap();
        let id = prepared.job.id;
        self.store.create_job(prepared.job).await.unwrap();
        id
    }

    /// The job at its end.
    pub(crate) async fn finished(&self, id: JobId) -> Job {
        let begun = Instant::now();
        let mut looks = tokio::time::interval(Duration::from_millis(20));
        loop {
            looks.tick().await;
            let job = self.store.job(id).await.unwrap().unwrap();
            if job.state.is_final() {
                return job;
            }
            assert!(begun.elapsed() < PATIENCE, "never finished: {job:?}");
        }
    }

    pub(crate) async fn documents(&self, id: JobId) -> Vec<Document> {
        documents_of(&self.store, id).try_collect().await.unwrap()
    }

    /// The documents by the path of their URL; each once.
    pub(crate) async fn by_path(&self, id: JobId) -> HashMap<String, Document> {
        let mut found = HashMap::new();
        for document in self.documents(id).await {
            let url = document.content.final_url.clone();
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
        hosts,
        // Here workers are killed for no fault of their pages.
        most_crashes: 1_000,
        patience: Duration::from_mins(1),
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

/// A worker at work.
pub(crate) struct AtWork {
    pub(crate) stop: Stop,
    pub(crate) counts: Arc<WorkerCounts>,
    task: JoinHandle<()>,
}

impl AtWork {
    pub(crate) fn begin<S: Store, T: Fetch>(
        store: &S,
        fetch: Arc<T>,
        settings: WorkerSettings,
    ) -> Self {
        let worker = Worker::new(store.clone(), fetch, settings).unwrap();
        let (stop, counts) = (Stop::new(), worker.counts());
        let asked = stop.clone();
        let task = tokio::spawn(async move {
            worker.run(asked).await.unwrap();
        });
        Self { stop, counts, task }
    }

    /// Drains, and tells what it did.
    pub(crate) async fn end(self) -> WorkerNumbers {
        self.stop.ask();
        self.task.await.unwrap();
        self.counts.numbers()
    }
}

/// Waits until it is so.
pub(crate) async fn until(what: &str, so: impl Fn() -> bool) {
    let begun = Instant::now();
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    while !so() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        looks.tick().await;
    }
}
