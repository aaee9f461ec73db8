//! Calls to the store, each in a task of its own; the results come back as events.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::Moment;
use crawler_model::Failure;
use crawler_store::{
    ClaimRoom, Claimed, JobId, Lease, Rescue, Rescued, RobotsText, Settled, Settlement, StoreError,
    StoredRobots, WorkerId,
};
use crawler_weburl::{CrawlUrl, HostKey, Origin};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use crate::FrontierStore;
use crate::address_queue::{AddressSlot, AddressTurn};
use crate::job_cache::{PlannedJob, Planner};
use crate::name_queue::NameLookup;

/// The wait before a robots.txt is looked up again.
const LOOKUP_RETRY: Duration = Duration::from_secs(1);

/// The result of a store call.
#[derive(Debug)]
pub(crate) enum Event {
    /// Tasks, and their jobs that were not known.
    Claimed {
        requested: usize,
        result: Result<(Vec<Claimed>, Vec<PlannedJob>), StoreError>,
        received_at: Instant,
    },
    /// A start for a task that missed its own, or for a sitemap of a seed.
    Start {
        ticket: u64,
        result: Result<Duration, StoreError>,
        received_at: Instant,
    },
    /// The lost leases.
    Renewed {
        sent_at: Moment,
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
    /// A host's name was resolved, or not.
    Name {
        host: HostKey,
        result: Result<(), Failure>,
    },
    /// A request need not wait for its address any longer.
    Address { id: u64, slot: Option<AddressSlot> },
    /// Expired leases were rescued and jobs reconciled.
    Housekeeping(Result<Rescued, StoreError>),
    /// A call panicked, so its result will never come.
    Panicked,
}

/// Calls the store.
#[derive(Debug)]
pub(crate) struct StoreClient<S> {
    store: S,
    worker: WorkerId,
    timeout: Duration,
    events: mpsc::UnboundedSender<Event>,
}

impl<S: FrontierStore> StoreClient<S> {
    pub(crate) fn new(
        store: S,
        worker: WorkerId,
        timeout: Duration,
    ) -> (Self, mpsc::UnboundedReceiver<Event>) {
        let (events, receiver) = mpsc::unbounded_channel();
        let client = Self {
            store,
            worker,
            timeout,
            events,
        };
        (client, receiver)
    }

    /// Runs a call in a task of its own. The receiver of the event may be gone by then.
    fn spawn(&self, call: impl Future<Output = Event> + Send + 'static) {
        spawn(Box::pin(call), self.events.clone());
    }

    /// Claims tasks, and plans the jobs that are not `known`.
    pub(crate) fn claim(
        &self,
        room: ClaimRoom,
        lease: Duration,
        known: HashSet<JobId>,
        planner: Planner,
    ) {
        let (store, worker, timeout) = (self.store.clone(), self.worker.clone(), self.timeout);
        let requested = room.max;
        self.spawn(async move {
            let call = async {
                let tasks = store.claim(&worker, room, lease).await?;
                let received_at = Instant::now();
                let mut jobs = Vec::new();
                let unknown: HashMap<JobId, Arc<str>> = tasks
                    .iter()
                    .filter(|task| !known.contains(&task.job))
                    .map(|task| (task.job, Arc::clone(&task.owner)))
                    .collect();
                for (job, owner) in unknown {
                    // Tasks of a job that cannot be read are handed back.
                    let request = store.job_request(job).await.ok().flatten();
                    jobs.extend(request.map(|request| (request, owner)));
                }
                Ok((tasks, jobs, received_at))
            };
            let result = within(timeout, call).await;
            let received_at = result
                .as_ref()
                .map_or_else(|_| Instant::now(), |claim| claim.2);
            let result = match result {
                Ok((tasks, jobs, _)) => {
                    // Tasks of jobs that were not planned in time are handed back.
                    let jobs = PlannedJob::plan_all(planner, jobs, lease / 4).await;
                    Ok((tasks, jobs))
                }
                Err(error) => Err(error),
            };
            Event::Claimed {
                requested,
                result,
                received_at,
            }
        });
    }

    pub(crate) fn renew(&self, leases: Vec<Lease>, lease: Duration, sent_at: Moment) {
        let (store, worker, timeout) = (self.store.clone(), self.worker.clone(), self.timeout);
        self.spawn(async move {
            let result = within(timeout, store.renew(&worker, &leases, lease)).await;
            Event::Renewed { sent_at, result }
        });
    }

    /// A settlement may insert tens of thousands of tasks, and after a timeout it would only be repeated: it gets more time.
    pub(crate) fn settle(&self, batch: Vec<Settlement>) {
        let (store, timeout) = (self.store.clone(), self.timeout * 3);
        self.spawn(async move {
            let result = within(timeout, store.settle(batch.clone())).await;
            Event::Settled { batch, result }
        });
    }

    /// Reserves a start of a host for a task that missed its own, or for a sitemap of a seed.
    pub(crate) fn reserve_start(&self, host: HostKey, ticket: u64) {
        let (store, timeout) = (self.store.clone(), self.timeout);
        self.spawn(async move {
            let result = within(timeout, store.reserve_start(&host)).await;
            Event::Start {
                ticket,
                result,
                received_at: Instant::now(),
            }
        });
    }

    pub(crate) fn housekeeping(&self) {
        let (store, timeout) = (self.store.clone(), self.timeout);
        self.spawn(async move {
            let call = async {
                let rescued = store.rescue(Rescue::Expired).await?;
                store.reconcile().await?;
                Ok(rescued)
            };
            Event::Housekeeping(within(timeout, call).await)
        });
    }

    /// Looks up a robots.txt, until the store responds: if the file were fetched instead and could not be, a path would be
    /// permitted that is known to be disallowed.
    pub(crate) fn robots(&self, origin: Origin) {
        let (store, timeout, events) = (self.store.clone(), self.timeout, self.events.clone());
        self.spawn(async move {
            loop {
                match within(timeout, store.robots(origin.as_str())).await {
                    Ok(stored) => return Event::Robots { origin, stored },
                    Err(error) if error.retryable() && !events.is_closed() => {
                        sleep(LOOKUP_RETRY).await;
                    }
                    // It will never be read, so it is fetched and replaced.
                    Err(_) => {
                        let stored = None;
                        return Event::Robots { origin, stored };
                    }
                }
            }
        });
    }

    /// Resolves the name of a URL's host.
    pub(crate) fn look_up(&self, url: CrawlUrl, lookup: &NameLookup) {
        let (host, lookup) = (url.host_key(), lookup(url));
        self.spawn(async move {
            let result = lookup.await;
            Event::Name { host, result }
        });
    }

    /// Waits for the turn of a request at its address.
    pub(crate) fn wait_for_address(&self, id: u64, turn: AddressTurn) {
        self.spawn(async move {
            let slot = turn.await;
            Event::Address { id, slot }
        });
    }

    /// Stores a robots.txt for all workers. If that fails, it is fetched once more.
    pub(crate) fn save_robots(&self, origin: Origin, robots: RobotsText) {
        let (store, timeout) = (self.store.clone(), self.timeout);
        spawn_detached(async move {
            let _ = within(timeout, store.save_robots(origin.as_str(), robots)).await;
        });
    }

    /// Stores a host's pause for all workers. This worker applies it in any case.
    pub(crate) fn pause_host(&self, host: HostKey, pause: Duration) {
        let (store, timeout) = (self.store.clone(), self.timeout);
        spawn_detached(async move {
            let _ = within(timeout, store.pause_host(&host, pause)).await;
        });
    }

    /// Stores a host's crawl-delay for all workers. This worker applies it in any case.
    pub(crate) fn slow_host(&self, host: HostKey, interval: Duration) {
        let (store, timeout) = (self.store.clone(), self.timeout);
        spawn_detached(async move {
            let _ = within(timeout, store.slow_host(&host, interval)).await;
        });
    }
}

/// A future behind a pointer: a task of any other type would be compiled once per call, for both of tokio's schedulers.
type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Runs a call in a task and sends its event.
fn spawn(call: BoxFuture<Event>, events: mpsc::UnboundedSender<Event>) {
    tokio::spawn(async move {
        let result = tokio::spawn(call).await;
        let _ = events.send(result.unwrap_or(Event::Panicked));
    });
}

/// Runs a call whose result nobody needs.
fn spawn_detached(call: impl Future<Output = ()> + Send + 'static) {
    let call: BoxFuture<()> = Box::pin(call);
    tokio::spawn(call);
}

/// Applies the timeout of store calls.
async fn within<T>(
    timeout: Duration,
    call: impl Future<Output = Result<T, StoreError>> + Send,
) -> Result<T, StoreError> {
    tokio::time::timeout(timeout, call)
        .await
        .unwrap_or_else(|_| Err(StoreError::Unavailable("the call timed out".to_owned())))
}
