//! Calls to the store, each in a task of its own; the results come back as events.

use std::collections::HashSet;
use std::time::Duration;

use crawler_frontier::Moment;
use crawler_store::{
    Claimed, JobId, JobRequest, Lease, Rescue, Rescued, RobotsText, Settled, Settlement,
    StoreError, StoredRobots, WorkerId,
};
use crawler_weburl::{HostKey, Origin};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::FrontierStore;

/// The result of a store call.
#[derive(Debug)]
pub(crate) enum Event {
    /// Tasks, and those of their jobs that were not known.
    Claimed {
        asked: usize,
        result: Result<(Vec<Claimed>, Vec<JobRequest>), StoreError>,
        heard: Instant,
    },
    /// Another start for a task that missed its own.
    Start {
        ticket: u64,
        result: Result<Duration, StoreError>,
        heard: Instant,
    },
    /// The lost leases.
    Renewed {
        asked_at: Moment,
        result: Result<Vec<Lease>, StoreError>,
    },
    /// The result of a batch.
    Settled {
        batch: Vec<Settlement>,
        result: Result<Settled, StoreError>,
    },
    /// A stored robots.txt.
    Robots {
        origin: Origin,
        stored: Option<StoredRobots>,
    },
    /// Expired leases were rescued and jobs reconciled.
    Housekeeping(Result<Rescued, StoreError>),
    /// A call panicked, so its result will never come.
    Broken,
}

/// Calls the store.
#[derive(Debug)]
pub(crate) struct StoreClient<S> {
    store: S,
    worker: WorkerId,
    patience: Duration,
    events: mpsc::UnboundedSender<Event>,
}

impl<S: FrontierStore> StoreClient<S> {
    pub(crate) fn new(
        store: S,
        worker: WorkerId,
        patience: Duration,
    ) -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (events, heard) = mpsc::unbounded_channel();
        let client = Self {
            store,
            worker,
            patience,
            events,
        };
        (client, heard)
    }

    /// Runs a call in a task of its own. The receiver of the event may be gone by then.
    fn ask<F>(&self, question: F)
    where
        F: Future<Output = Event> + Send + 'static,
    {
        let events = self.events.clone();
        tokio::spawn(async move {
            let result = tokio::spawn(question).await;
            let _ = events.send(result.unwrap_or(Event::Broken));
        });
    }

    pub(crate) fn claim(&self, asked: usize, lease: Duration, known: HashSet<JobId>) {
        let (store, worker, patience) = (self.store.clone(), self.worker.clone(), self.patience);
        self.ask(async move {
            let claiming = async {
                let tasks = store.claim(&worker, asked, lease).await?;
                let heard = Instant::now();
                let mut jobs = Vec::new();
                let unknown: HashSet<JobId> = tasks
                    .iter()
                    .map(|task| task.job)
                    .filter(|job| !known.contains(job))
                    .collect();
                for job in unknown {
                    // Tasks of a job that cannot be read are handed back.
                    jobs.extend(store.job_request(job).await.ok().flatten());
                }
                Ok((tasks, jobs, heard))
            };
            let result = within(patience, claiming).await;
            let heard = result
                .as_ref()
                .map_or_else(|_| Instant::now(), |claim| claim.2);
            let result = result.map(|(tasks, jobs, _)| (tasks, jobs));
            Event::Claimed {
                asked,
                result,
                heard,
            }
        });
    }

    pub(crate) fn renew(&self, leases: Vec<Lease>, lease: Duration, asked_at: Moment) {
        let (store, worker, patience) = (self.store.clone(), self.worker.clone(), self.patience);
        self.ask(async move {
            let result = within(patience, store.renew(&worker, &leases, lease)).await;
            Event::Renewed { asked_at, result }
        });
    }

    /// A settlement may insert tens of thousands of tasks, and after a timeout it would only be repeated: it gets more time.
    pub(crate) fn settle(&self, batch: Vec<Settlement>) {
        let (store, patience) = (self.store.clone(), self.patience * 3);
        self.ask(async move {
            let result = within(patience, store.settle(batch.clone())).await;
            Event::Settled { batch, result }
        });
    }

    /// Reserves another start of a host for a task that missed its own.
    pub(crate) fn reserve_start(&self, host: HostKey, ticket: u64) {
        let (store, patience) = (self.store.clone(), self.patience);
        self.ask(async move {
            let result = within(patience, store.reserve_start(&host)).await;
            Event::Start {
                ticket,
                result,
                heard: Instant::now(),
            }
        });
    }

    /// Uses up a start of a host for a request that does not wait for it.
    pub(crate) fn take_start(&self, host: HostKey) {
        let (store, patience) = (self.store.clone(), self.patience);
        tokio::spawn(async move {
            let _ = within(patience, store.reserve_start(&host)).await;
        });
    }

    pub(crate) fn housekeeping(&self) {
        let (store, patience) = (self.store.clone(), self.patience);
        self.ask(async move {
            let tidying = async {
                let rescued = store.rescue(Rescue::Expired).await?;
                store.reconcile().await?;
                Ok(rescued)
            };
            Event::Housekeeping(within(patience, tidying).await)
        });
    }

    pub(crate) fn robots(&self, origin: Origin) {
        let (store, patience) = (self.store.clone(), self.patience);
        self.ask(async move {
            // If it is not stored, or the call fails, it is fetched from the site.
            let stored = within(patience, store.robots(origin.as_str())).await;
            let stored = stored.ok().flatten();
            Event::Robots { origin, stored }
        });
    }

    /// Stores a robots.txt for all workers. If that fails, it is fetched once more.
    pub(crate) fn save_robots(&self, origin: Origin, robots: RobotsText) {
        let (store, patience) = (self.store.clone(), self.patience);
        tokio::spawn(async move {
            let _ = within(patience, store.save_robots(origin.as_str(), robots)).await;
        });
    }

    /// Stores a host's pause for all workers. This worker applies it in any case.
    pub(crate) fn pause_host(&self, host: HostKey, pause: Duration) {
        let (store, patience) = (self.store.clone(), self.patience);
        tokio::spawn(async move {
            let _ = within(patience, store.pause_host(&host, pause)).await;
        });
    }

    /// Stores a host's crawl-delay for all workers. This worker applies it in any case.
    pub(crate) fn slow_host(&self, host: HostKey, interval: Duration) {
        let (store, patience) = (self.store.clone(), self.patience);
        tokio::spawn(async move {
            let _ = within(patience, store.slow_host(&host, interval)).await;
        });
    }
}

/// Applies the timeout of store calls.
async fn within<T>(
    patience: Duration,
    question: impl Future<Output = Result<T, StoreError>> + Send,
) -> Result<T, StoreError> {
    tokio::time::timeout(patience, question)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("the call timed out".to_owned())))
}
