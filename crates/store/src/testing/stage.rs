//! What the rules are played with.

use std::time::Duration;

use model::{FailKind, Found};
use serde_json::json;
use weburl::HostKey;

use crate::{
    Claimed, HostDefaults, Job, JobId, JobKind, JobLimits, NewDocument, NewJob, NewTask, Settled,
    Settlement, Store, Verdict, WorkerId,
};

/// A lease that outlasts its test.
pub const LEASE: Duration = Duration::from_secs(30);
/// A lease that is over at once.
pub(super) const OVER: Duration = Duration::ZERO;

/// Hosts that hold nothing up.
pub fn fast() -> HostDefaults {
    HostDefaults {
        in_flight: 100_000,
        interval: Duration::ZERO,
    }
}

/// A page of a host, as a link leads to it.
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
        found: if depth == 0 { Found::Seed } else { Found::Link },
    }
}

/// Many seeds of one host.
pub fn pages(host: &str, count: usize) -> Vec<NewTask> {
    (0..count)
        .map(|number| page(host, &number.to_string(), 0))
        .collect()
}

/// A crawl of these seeds.
pub fn crawl(seeds: Vec<NewTask>, limits: JobLimits) -> NewJob {
    NewJob {
        id: JobId::fresh(),
        kind: JobKind::Crawl,
        params: json!({"url": "https://a.test/"}),
        limits,
        seeds,
    }
}

/// A claimed page that was fetched, with a document of it, and what was found there.
pub fn done(task: &Claimed, found: Vec<NewTask>) -> Settlement {
    let document = NewDocument {
        requested_url: task.requested_url.clone(),
        final_url: task.final_url.clone(),
        title: Some("a title".to_owned()),
        content_md: Some("# a title".to_owned()),
        content_raw: None,
        meta: json!({"status_code": 200}),
    };
    let verdict = Verdict::Done {
        document: Some(document),
        mapped: Vec::new(),
        bytes: 100,
    };
    verdict_on(task, verdict, found)
}

pub(super) fn verdict_on(task: &Claimed, verdict: Verdict, found: Vec<NewTask>) -> Settlement {
    Settlement {
        lease: task.lease,
        job: task.job,
        verdict,
        found,
    }
}

pub(super) fn failed(task: &Claimed) -> Settlement {
    let verdict = Verdict::Failed {
        kind: FailKind::DeadLink,
        error: "404 Not Found".to_owned(),
        bytes: 0,
    };
    verdict_on(task, verdict, Vec::new())
}

pub(super) fn skipped(task: &Claimed) -> Settlement {
    let verdict = Verdict::Skipped {
        reason: "robots".to_owned(),
        detail: "blocked by robots.txt".to_owned(),
    };
    verdict_on(task, verdict, Vec::new())
}

pub(super) fn retry(task: &Claimed, after: Duration) -> Settlement {
    let error = "503 Service Unavailable".to_owned();
    verdict_on(task, Verdict::Retry { after, error }, Vec::new())
}

/// Makes a job and returns its name.
pub(super) async fn start<S: Store>(store: &S, job: NewJob) -> JobId {
    let id = job.id;
    store.create_job(job).await.expect("a job is made");
    id
}

pub(super) async fn take<S: Store>(store: &S, most: usize, lease: Duration) -> Vec<Claimed> {
    let worker = WorkerId::fresh();
    store.claim(&worker, most, lease).await.expect("a claim")
}

/// Claims until so many are there: a claim that meets another one gets less than there is.
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
    store.settle(batch, None).await.expect("a settlement")
}

pub(super) async fn look<S: Store>(store: &S, id: JobId) -> Job {
    let job = store.job(id).await.expect("a look at a job");
    job.expect("the job is there")
}
