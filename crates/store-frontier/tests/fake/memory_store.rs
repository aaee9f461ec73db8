//! An in-memory store: the roles that the frontier needs, with leases and fences, and a record of every task.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_model::Discovery;
use crawler_store::{
    ClaimRoom, Claimed, Fence, HostBucket, HostTurn, HostTurns, JobId, JobKind, JobQueue,
    JobRequest, Lease, NewTask, Reconciled, RefusedUrl, Rescue, Rescued, RobotsRecords, RobotsText,
    Settled, Settlement, StoreError, StoreResult, StoredRobots, TaskId, TaskOutcome, TaskState,
    TurnId, WorkerId,
};
use crawler_weburl::HostKey;
use serde_json::Value;
use tokio::time::Instant;

/// A task, and what happened to it.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) task: NewTask,
    pub(crate) state: TaskState,
    pub(crate) fence: i64,
    pub(crate) attempt: u32,
    pub(crate) holder: Option<(WorkerId, Instant)>,
    /// Times it was claimed.
    pub(crate) claims: u32,
    /// Times it was given back to the queue: retries, and tasks handed back.
    pub(crate) requeued: u32,
    /// Leases that were taken away.
    pub(crate) taken_away: u32,
    /// Times it was written as finished.
    pub(crate) finished: u32,
    /// The outcome that it was last settled with.
    pub(crate) outcome: Option<TaskOutcome>,
    not_before: Instant,
}

/// The result of fetching a robots.txt, and when.
type RobotsResult = Option<(RobotsText, Instant)>;

#[derive(Debug)]
struct State {
    job: JobRequest,
    records: Vec<Record>,
    keys: BTreeMap<String, usize>,
    /// The outcome that each lease was settled with; a repeated settlement must have the same.
    outcomes: HashMap<Lease, TaskOutcome>,
    /// What was last read of each robots.txt, and the failed fetch after that.
    robots: HashMap<String, (RobotsResult, RobotsResult)>,
    next_start: Instant,
    paused_until: Instant,
    interval: Duration,
    /// The URL whose results can never be stored.
    refused: Option<String>,
    /// The URLs that were reported as traps, as often as they were.
    traps: Vec<RefusedUrl>,
}

/// A store with one job and one host. A clone is another handle to it.
#[derive(Clone, Debug)]
pub(crate) struct MemoryStore(Arc<Mutex<State>>);

impl MemoryStore {
    /// A store with a crawl of this seed.
    pub(crate) fn new(seed: NewTask, interval: Duration) -> Self {
        let now = Instant::now();
        let job = JobRequest {
            id: JobId::fresh(),
            kind: JobKind::Crawl,
            params: Value::Null,
        };
        let mut state = State {
            job,
            records: Vec::new(),
            keys: BTreeMap::new(),
            outcomes: HashMap::new(),
            robots: HashMap::new(),
            next_start: now,
            paused_until: now,
            interval,
            refused: None,
            traps: Vec::new(),
        };
        state.admit(seed);
        Self(Arc::new(Mutex::new(state)))
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.lock().unwrap())
    }

    /// Refuses all results of this URL, except that it failed.
    pub(crate) fn refuse_results_of(&self, url: String) {
        self.with(|state| state.refused = Some(url));
    }

    /// The URLs that were reported as traps, as often as they were.
    pub(crate) fn traps(&self) -> Vec<RefusedUrl> {
        self.with(|state| state.traps.clone())
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        self.with(|state| state.records.clone())
    }

    /// Whether every task is finished.
    pub(crate) fn is_done(&self) -> bool {
        let open = |one: &Record| matches!(one.state, TaskState::Queued | TaskState::Processing);
        self.with(|state| !state.records.iter().any(open))
    }

    /// Takes a held task away from its worker, as another worker's rescue would; `choice` picks one.
    pub(crate) fn steal(&self, choice: u64) {
        self.with(|state| {
            let mut held: Vec<&mut Record> = state
                .records
                .iter_mut()
                .filter(|one| one.state == TaskState::Processing)
                .collect();
            let count = held.len() as u64;
            if count > 0 {
                let index = usize::try_from(choice % count).unwrap();
                held[index].take_away();
            }
        });
    }
}

impl Record {
    fn take_away(&mut self) {
        self.state = TaskState::Queued;
        self.fence += 1;
        self.holder = None;
        self.taken_away += 1;
        self.not_before = Instant::now();
    }
}

impl State {
    fn admit(&mut self, task: NewTask) -> bool {
        if self.keys.contains_key(&task.final_url) {
            return false;
        }
        self.keys.insert(task.final_url.clone(), self.records.len());
        self.records.push(Record {
            task,
            state: TaskState::Queued,
            fence: 0,
            attempt: 0,
            holder: None,
            claims: 0,
            requeued: 0,
            taken_away: 0,
            finished: 0,
            outcome: None,
            not_before: Instant::now(),
        });
        true
    }

    fn lease(&self, index: usize) -> Lease {
        Lease {
            task: TaskId(i64::try_from(index).unwrap()),
            fence: Fence(self.records[index].fence),
        }
    }

    /// The record of a lease that still holds.
    fn held(&mut self, lease: Lease) -> Option<&mut Record> {
        let index = usize::try_from(lease.task.0).unwrap();
        let holds = self.records[index].state == TaskState::Processing;
        (holds && self.lease(index) == lease).then(|| &mut self.records[index])
    }

    fn refuses(&self, settlement: &Settlement) -> bool {
        let index = usize::try_from(settlement.lease.task.0).unwrap();
        self.refused.as_ref() == Some(&self.records[index].task.url)
            && settlement.outcome.state() != TaskState::Failed
    }

    fn settle(&mut self, settlement: Settlement, settled: &mut Settled) {
        let Settlement {
            lease,
            outcome,
            found,
            refused,
            ..
        } = settlement;
        let first = self.outcomes.entry(lease).or_insert(outcome.clone());
        assert_eq!(*first, outcome, "a lease was settled with two outcomes");
        let Some(record) = self.held(lease) else {
            settled.lost.push(lease);
            return;
        };
        settled.kept.push(lease);
        record.holder = None;
        record.state = outcome.state();
        record.outcome = Some(outcome.clone());
        match &outcome {
            TaskOutcome::Retry { after, .. } => {
                record.requeued += 1;
                record.not_before = Instant::now() + *after;
            }
            TaskOutcome::Postponed { after, .. } => {
                record.requeued += 1;
                record.attempt -= 1;
                record.not_before = Instant::now() + *after;
            }
            TaskOutcome::HandBack => {
                record.requeued += 1;
                record.attempt -= 1;
                record.not_before = Instant::now();
            }
            _ => record.finished += 1,
        }
        if outcome.state() != TaskState::Queued {
            self.traps.extend(refused);
            for task in found {
                settled.admitted += u64::from(self.admit(task));
            }
        }
    }
}

fn millis(from: Instant, to: Instant) -> i64 {
    let ahead = to.saturating_duration_since(from);
    i64::try_from(ahead.as_millis()).unwrap()
}

impl JobQueue for MemoryStore {
    async fn claim(
        &self,
        worker: &WorkerId,
        room: impl Into<ClaimRoom> + Send,
        lease: Duration,
    ) -> StoreResult<Vec<Claimed>> {
        let (now, room) = (Instant::now(), room.into());
        let free = usize::try_from(room.places.free()).unwrap();
        // There is one owner.
        let max = room.max.min(free);
        Ok(self.with(|state| {
            let schedule = HostBucket {
                next_start: millis(now, state.next_start.max(state.paused_until)),
                interval: i64::try_from(state.interval.as_millis()).unwrap(),
                max_in_flight: i64::MAX,
                in_flight: 0,
            }
            .schedule(max, lease);
            let ready = |one: &Record| one.state == TaskState::Queued && one.not_before <= now;
            let ready: Vec<usize> = (0..state.records.len())
                .filter(|index| ready(&state.records[*index]))
                .take(usize::try_from(schedule.count).unwrap())
                .collect();
            let mut claimed = Vec::new();
            for (index, position) in ready.into_iter().zip(0..) {
                let record = &mut state.records[index];
                record.state = TaskState::Processing;
                record.fence += 1;
                record.attempt += 1;
                record.claims += 1;
                record.holder = Some((worker.clone(), now + lease));
                let (task, attempt) = (record.task.clone(), record.attempt);
                let delay = schedule.delay(position);
                state.next_start = now + delay + state.interval;
                claimed.push(Claimed {
                    lease: state.lease(index),
                    job: state.job.id,
                    owner: "local".into(),
                    weight: 1,
                    attempt,
                    requested_url: task.requested_url,
                    url: task.url,
                    final_url: task.final_url,
                    host: task.host,
                    depth: task.depth,
                    hops: task.hops,
                    via: task.via,
                    found: task.found,
                    delay,
                    age: Duration::ZERO,
                });
            }
            claimed
        }))
    }

    async fn job_request(&self, id: JobId) -> StoreResult<Option<JobRequest>> {
        Ok(self.with(|state| Some(state.job.clone()).filter(|job| job.id == id)))
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        leases: &[Lease],
        lease: Duration,
    ) -> StoreResult<Vec<Lease>> {
        let until = Instant::now() + lease;
        Ok(self.with(|state| {
            let mut lost = Vec::new();
            for lease in leases {
                match state.held(*lease).and_then(|one| one.holder.as_mut()) {
                    Some((holder, end)) if holder == worker => *end = until,
                    _ => lost.push(*lease),
                }
            }
            lost
        }))
    }

    async fn settle(&self, batch: Vec<Settlement>) -> StoreResult<Settled> {
        self.with(|state| {
            if batch.iter().any(|settlement| state.refuses(settlement)) {
                return Err(StoreError::Refused("it does not fit".to_owned()));
            }
            let mut settled = Settled::default();
            for settlement in batch {
                state.settle(settlement, &mut settled);
            }
            Ok(settled)
        })
    }

    async fn rescue(&self, which: Rescue) -> StoreResult<Rescued> {
        assert_eq!(which, Rescue::Expired, "a worker rescues expired leases");
        let now = Instant::now();
        Ok(self.with(|state| {
            let mut rescued = Rescued::default();
            for record in &mut state.records {
                if record.holder.as_ref().is_some_and(|(_, end)| *end <= now) {
                    record.take_away();
                    rescued.requeued += 1;
                }
            }
            rescued
        }))
    }

    async fn reconcile(&self) -> StoreResult<Reconciled> {
        Ok(Reconciled::default())
    }
}

impl HostTurns for MemoryStore {
    async fn slow_host(&self, _host: &HostKey, interval: Duration) -> StoreResult<()> {
        self.with(|state| state.interval = state.interval.max(interval));
        Ok(())
    }

    async fn pause_host(&self, _host: &HostKey, pause: Duration) -> StoreResult<()> {
        let until = Instant::now() + pause;
        self.with(|state| state.paused_until = state.paused_until.max(until));
        Ok(())
    }

    async fn take_turn(&self, _host: &HostKey, lease: Duration) -> StoreResult<HostTurn> {
        Ok(HostTurn::Later {
            wait: lease,
            pause: Duration::ZERO,
        })
    }

    async fn end_turn(&self, _turn: TurnId) -> StoreResult<()> {
        Ok(())
    }

    async fn reserve_start(&self, _host: &HostKey) -> StoreResult<Duration> {
        let now = Instant::now();
        Ok(self.with(|state| {
            let start = state.next_start.max(state.paused_until).max(now);
            state.next_start = start + state.interval;
            start - now
        }))
    }
}

impl RobotsRecords for MemoryStore {
    async fn robots(&self, origin: &str) -> StoreResult<Option<StoredRobots>> {
        Ok(self.with(|state| {
            let (read, failed) = state.robots.get(origin)?;
            let with_age =
                |(robots, fetched): &(RobotsText, Instant)| (robots.clone(), fetched.elapsed());
            Some(StoredRobots {
                read: read.as_ref().map(with_age),
                failed: failed.as_ref().map(with_age),
            })
        }))
    }

    async fn save_robots(&self, origin: &str, robots: RobotsText) -> StoreResult<()> {
        let fetched = Some((robots, Instant::now()));
        self.with(|state| {
            let (read, failed) = state.robots.entry(origin.to_owned()).or_default();
            if fetched
                .as_ref()
                .is_some_and(|(robots, _)| robots.failure().is_some())
            {
                *failed = fetched;
            } else {
                (*read, *failed) = (fetched, None);
            }
        });
        Ok(())
    }
}

/// The seed's task.
pub(crate) fn seed(url: &str, key: String, host: HostKey) -> NewTask {
    NewTask {
        requested_url: url.to_owned(),
        final_url: key,
        url: url.to_owned(),
        host,
        depth: 0,
        hops: 0,
        via: None,
        found: Discovery::Seed,
    }
}
