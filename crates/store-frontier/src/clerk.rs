//! Asks the store, each time in a task of its own; the answers come back as events.

use std::collections::HashSet;
use std::time::Duration;

use frontier::Moment;
use store::{
    Claimed, JobId, JobOrder, Lease, Rescue, Rescued, RobotsText, Settled, Settlement, Store,
    StoreError, StoredRobots, WorkerId,
};
use tokio::sync::mpsc;
use tokio::time::Instant;
use weburl::{HostKey, Origin};

/// What the store answered.
#[derive(Debug)]
pub(crate) enum Event {
    /// Tasks, and the jobs among them that were not known.
    Claimed {
        asked: usize,
        answer: Result<(Vec<Claimed>, Vec<JobOrder>), StoreError>,
        heard: Instant,
    },
    /// A start of its host for a task whose own has passed.
    Start {
        ticket: u64,
        answer: Result<Duration, StoreError>,
        heard: Instant,
    },
    /// The leases that are lost.
    Renewed {
        asked_at: Moment,
        answer: Result<Vec<Lease>, StoreError>,
    },
    /// What became of a batch.
    Settled {
        batch: Vec<Settlement>,
        answer: Result<Settled, StoreError>,
    },
    /// What is remembered of an origin's robots.txt.
    Robots {
        origin: Origin,
        stored: Option<StoredRobots>,
    },
    /// Lost leases were looked for, and the rules repeated.
    Tidied(Result<Rescued, StoreError>),
    /// A question ended without an answer, which is a fault of ours: nobody would ever hear of it.
    Broken,
}

/// Asks the store.
#[derive(Debug)]
pub(crate) struct Clerk<S> {
    store: S,
    worker: WorkerId,
    patience: Duration,
    events: mpsc::UnboundedSender<Event>,
}

impl<S: Store> Clerk<S> {
    pub(crate) fn new(
        store: S,
        worker: WorkerId,
        patience: Duration,
    ) -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (events, heard) = mpsc::unbounded_channel();
        let clerk = Self {
            store,
            worker,
            patience,
            events,
        };
        (clerk, heard)
    }

    /// Asks in a task of its own. Whoever would hear the answer may be gone by then.
    fn ask<F>(&self, question: F)
    where
        F: Future<Output = Event> + Send + 'static,
    {
        let events = self.events.clone();
        tokio::spawn(async move {
            let answer = tokio::spawn(question).await;
            let _ = events.send(answer.unwrap_or(Event::Broken));
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
                    // Tasks of a job that cannot be read now are handed back.
                    jobs.extend(store.order(job).await.ok().flatten());
                }
                Ok((tasks, jobs, heard))
            };
            let answer = within(patience, claiming).await;
            let heard = answer
                .as_ref()
                .map_or_else(|_| Instant::now(), |told| told.2);
            let answer = answer.map(|(tasks, jobs, _)| (tasks, jobs));
            Event::Claimed {
                asked,
                answer,
                heard,
            }
        });
    }

    pub(crate) fn renew(&self, leases: Vec<Lease>, lease: Duration, asked_at: Moment) {
        let (store, worker, patience) = (self.store.clone(), self.worker.clone(), self.patience);
        self.ask(async move {
            let answer = within(patience, store.renew(&worker, &leases, lease)).await;
            Event::Renewed { asked_at, answer }
        });
    }

    /// A settlement may bring tens of thousands of new tasks, and given up it would only be tried again: it gets more time.
    pub(crate) fn settle(&self, batch: Vec<Settlement>) {
        let (store, patience) = (self.store.clone(), self.patience * 3);
        self.ask(async move {
            let answer = within(patience, store.settle(batch.clone(), None)).await;
            Event::Settled { batch, answer }
        });
    }

    /// Another start of a host, for a task whose own has passed.
    pub(crate) fn reserve_start(&self, host: HostKey, ticket: u64) {
        let (store, patience) = (self.store.clone(), self.patience);
        self.ask(async move {
            let answer = within(patience, store.reserve_start(&host)).await;
            Event::Start {
                ticket,
                answer,
                heard: Instant::now(),
            }
        });
    }

    /// A start of a host is used for something that did not wait for it: others come later.
    pub(crate) fn take_start(&self, host: HostKey) {
        let (store, patience) = (self.store.clone(), self.patience);
        tokio::spawn(async move {
            let _ = within(patience, store.reserve_start(&host)).await;
        });
    }

    pub(crate) fn tidy(&self) {
        let (store, patience) = (self.store.clone(), self.patience);
        self.ask(async move {
            let tidying = async {
                let rescued = store.rescue(Rescue::Expired).await?;
                store.reconcile().await?;
                Ok(rescued)
            };
            Event::Tidied(within(patience, tidying).await)
        });
    }

    pub(crate) fn robots(&self, origin: Origin) {
        let (store, patience) = (self.store.clone(), self.patience);
        self.ask(async move {
            // Not remembered and not told are the same here: the site is asked.
            let stored = within(patience, store.robots(origin.as_str())).await;
            let stored = stored.ok().flatten();
            Event::Robots { origin, stored }
        });
    }

    /// Remembers a robots.txt for everybody. Forgotten, it is asked for once more: no harm.
    pub(crate) fn keep_robots(&self, origin: Origin, robots: RobotsText) {
        let (store, patience) = (self.store.clone(), self.patience);
        tokio::spawn(async move {
            let _ = within(patience, store.keep_robots(origin.as_str(), robots)).await;
        });
    }

    /// Tells everybody of a host's pause. This worker keeps to it in any case.
    pub(crate) fn pause_host(&self, host: HostKey, pause: Duration) {
        let (store, patience) = (self.store.clone(), self.patience);
        tokio::spawn(async move {
            let _ = within(patience, store.pause_host(&host, pause)).await;
        });
    }

    /// Tells everybody of a host's crawl-delay. This worker keeps to it in any case.
    pub(crate) fn slow_host(&self, host: HostKey, interval: Duration) {
        let (store, patience) = (self.store.clone(), self.patience);
        tokio::spawn(async move {
            let _ = within(patience, store.slow_host(&host, interval)).await;
        });
    }
}

/// An answer in time, or none.
async fn within<T>(
    patience: Duration,
    question: impl Future<Output = Result<T, StoreError>> + Send,
) -> Result<T, StoreError> {
    tokio::time::timeout(patience, question)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("no answer in time".to_owned())))
}
