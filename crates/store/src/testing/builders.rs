//! Builders and shorthands for the rules.

use std::time::Duration;

use crawler_model::{Discovery, DocumentMeta, FailKind};
use crawler_weburl::HostKey;
use serde_json::json;

use crate::{
    Access, Claimed, HostDefaults, Job, JobFilter, JobId, JobKind, JobLimits, Jobs, NewDocument,
    NewJob, NewTask, Owner, Priority, Settled, Settlement, Store, TaskOutcome, WorkerId,
};

/// A lease that outlasts its test.
pub const LEASE: Duration = Duration::from_secs(30);
/// A lease that expires immediately.
pub(super) const EXPIRED: Duration = Duration::ZERO;

/// Hosts without limits.
pub fn fast() -> HostDefaults {
    HostDefaults {
        in_flight: 100_000,
        interval: Duration::ZERO,
    }
}

/// A page of a host, as a link finds it.
pub fn page(host: &str, path: &str, depth: u32) -> NewTask {
    let url = format!("https://{host}/{path}");
    NewTask {
        requested_url: url.clone(),
        final_url: url.clone(),
        url,
        host: HostKey::new(host),
        depth,
        hops: 0,
        via: (depth > 0).then(|| format!("https://{host}/")),
        found: if depth == 0 {
            Discovery::Seed
        } else {
            Discovery::Link
        },
    }
}

/// Many seeds of one host.
pub fn pages(host: &str, count: usize) -> Vec<NewTask> {
    (0..count)
        .map(|number| page(host, &number.to_string(), 0))
        .collect()
}

/// The owner of this name.
pub fn owner(name: &str) -> Owner {
    Owner::parse(name).expect("a valid name")
}

/// A crawl of these seeds.
pub fn crawl(seeds: Vec<NewTask>, limits: JobLimits) -> NewJob {
    NewJob {
        id: JobId::fresh(),
        owner: Owner::local(),
        priority: Priority::default(),
        kind: JobKind::Crawl,
        params: json!({"url": "https://a.test/"}),
        limits,
        renders: false,
        seeds,
        idempotency: None,
    }
}

/// The settlement of a fetched page, with a document and the links found on it.
pub fn done(task: &Claimed, found: Vec<NewTask>) -> Settlement {
    let mut meta = DocumentMeta::default();
    meta.status_code = 200;
    let document = NewDocument {
        requested_url: task.requested_url.clone(),
        final_url: task.final_url.clone(),
        title: Some("a title".to_owned()),
        content_md: Some("# a title".to_owned()),
        content_raw: None,
        meta,
    };
    let outcome = TaskOutcome::Done {
        document: Some(Box::new(document)),
        mapped: Vec::new(),
        bytes: 100,
    };
    settlement_of(task, outcome, found)
}

pub(super) fn settlement_of(
    task: &Claimed,
    outcome: TaskOutcome,
    found: Vec<NewTask>,
) -> Settlement {
    Settlement {
        lease: task.lease,
        job: task.job,
        outcome,
        browser_time: Duration::ZERO,
        found,
        refused: Vec::new(),
    }
}

pub(super) fn failed(task: &Claimed) -> Settlement {
    let outcome = TaskOutcome::Failed {
        kind: FailKind::DeadLink,
        error: "404 Not Found".to_owned(),
        bytes: 0,
    };
    settlement_of(task, outcome, Vec::new())
}

pub(super) fn skipped(task: &Claimed) -> Settlement {
    let outcome = TaskOutcome::Skipped {
        reason: "robots".to_owned(),
        detail: "blocked by robots.txt".to_owned(),
    };
    settlement_of(task, outcome, Vec::new())
}

pub(super) fn retry(task: &Claimed, after: Duration) -> Settlement {
    let error = "503 Service Unavailable".to_owned();
    settlement_of(task, TaskOutcome::Retry { after, error }, Vec::new())
}

/// Creates a job and returns its id.
pub(super) async fn start<S: Store>(store: &S, job: NewJob) -> JobId {
    let id = job.id;
    store.create_job(job).await.expect("creating a job");
    id
}

pub(super) async fn take<S: Store>(store: &S, max: usize, lease: Duration) -> Vec<Claimed> {
    let worker = WorkerId::fresh();
    store.claim(&worker, max, lease).await.expect("a claim")
}

/// Claims until it has this many tasks: a claim that runs at the same time as another one may get fewer than there are.
pub(super) async fn take_all<S: Store>(store: &S, count: usize) -> Vec<Claimed> {
    let mut taken = Vec::new();
    for _ in 0..200 {
        taken.extend(take(store, count - taken.len(), LEASE).await);
        if taken.len() >= count {
            break;
        }
    }
    assert_eq!(taken.len(), count, "tasks that could be claimed");
    taken
}

pub(super) async fn settle<S: Store>(store: &S, batch: Vec<Settlement>) -> Settled {
    store.settle(batch).await.expect("a settlement")
}

pub(super) async fn read_job<S: Store>(store: &S, id: JobId) -> Job {
    let job = store
        .job(&Access::AllOwners, id)
        .await
        .expect("reading a job");
    job.expect("the job exists")
}

/// Number of jobs that are listed.
pub(super) async fn count_jobs<S: Jobs>(store: &S) -> usize {
    let jobs = store
        .jobs(&Access::AllOwners, JobFilter::default(), 100, None)
        .await;
    jobs.expect("jobs").entries.len()
}
