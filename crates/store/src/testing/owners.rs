//! Owners: a job that is not accessible does not exist for any verb of a client.

use super::StoreFixture;
use super::builders::{crawl, fast, owner, pages, settle, settlement_of, start, take_all};
use crate::{
    Access, Cancel, JobFilter, JobId, JobLimits, JobState, Jobs, NewDocument, NewJob, NewMappedUrl,
    Priority, Store, TaskOutcome,
};

/// A job of this owner with one settled page, which has a document and a mapped URL, and one open task.
async fn job_of<S: Store>(store: &S, name: &str) -> JobId {
    let job = NewJob {
        owner: owner(name),
        ..crawl(pages(&format!("{name}.test"), 2), JobLimits::default())
    };
    let id = start(store, job).await;
    let tasks = take_all(store, 2).await;
    let task = tasks.iter().find(|task| task.job == id).expect("a task");
    let outcome = TaskOutcome::Done {
        document: Some(Box::new(NewDocument {
            requested_url: task.requested_url.clone(),
            final_url: task.final_url.clone(),
            title: None,
            content_md: Some(name.to_owned()),
            content_raw: None,
            meta: crawler_model::DocumentMeta::default(),
        })),
        mapped: vec![NewMappedUrl {
            source_url: task.url.clone(),
            target_url: task.url.clone(),
            depth: 0,
        }],
        bytes: 1,
    };
    settle(store, vec![settlement_of(task, outcome, Vec::new())]).await;
    id
}

/// How many rows each verb returns for a job.
async fn visible<S: Store>(store: &S, access: &Access, job: JobId) -> [usize; 7] {
    let all = JobFilter::default();
    let listed = store.jobs(access, all, 100, None).await.expect("jobs");
    let documents = store.documents(access, job, 10, None).await;
    let mapped = store.mapped(access, job, 10, None).await;
    let tasks = store.tasks(access, job, None, 10, None).await;
    let events = store.finished_since(access, job, 0, 10).await;
    [
        listed.entries.iter().filter(|one| one.id == job).count(),
        usize::from(store.job(access, job).await.expect("a read").is_some()),
        usize::from(store.request(access, job).await.expect("a read").is_some()),
        documents.expect("documents").entries.len(),
        mapped.expect("mapped").entries.len(),
        tasks.expect("tasks").entries.len(),
        events.expect("events").len(),
    ]
}

/// Every verb that reads returns the rows of a job to its owner and to those who may see all jobs, and to nobody else.
pub async fn a_job_exists_for_its_owner_only<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let access = |name: &str| Access::Owner(owner(name));
    for name in ["alice", "bob"] {
        let job = job_of(&store, name).await;
        let found = [1, 1, 1, 1, 1, 2, 1];
        assert_eq!(visible(&store, &access(name), job).await, found);
        assert_eq!(visible(&store, &Access::AllOwners, job).await, found);
        for other in ["carol", "local", "Alice", "alice ", "%"] {
            assert_eq!(
                visible(&store, &access(other), job).await,
                [0; 7],
                "{other}"
            );
        }
    }
    let jobs = async |access: &Access| {
        let listed = store.jobs(access, JobFilter::default(), 10, None).await;
        let entries = listed.expect("jobs").entries;
        let owners = entries.iter().map(|job| job.owner.to_string());
        owners.collect::<Vec<_>>()
    };
    assert_eq!(jobs(&access("alice")).await, ["alice"]);
    assert_eq!(jobs(&Access::AllOwners).await, ["bob", "alice"]);
}

/// A job that is not accessible is not cancelled, and the answer is that for a job that does not exist.
pub async fn a_job_is_cancelled_by_its_owner_only<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let access = |name: &str| Access::Owner(owner(name));
    let (first, second) = (job_of(&store, "alice").await, job_of(&store, "alice").await);
    let cancel = async |access: &Access, job| store.cancel(access, job).await.expect("a cancel");
    assert_eq!(cancel(&access("bob"), first).await, Cancel::NotFound);
    let unknown = cancel(&access("bob"), JobId::fresh()).await;
    assert_eq!(unknown, Cancel::NotFound);
    let job = store.job(&access("alice"), first).await.expect("a read");
    assert_eq!(job.map(|job| job.state), Some(JobState::Running));
    assert_eq!(cancel(&access("alice"), first).await, Cancel::Cancelled);
    assert_eq!(cancel(&Access::AllOwners, second).await, Cancel::Cancelled);
    let again = cancel(&access("bob"), first).await;
    assert_eq!(again, Cancel::NotFound, "also when it has ended");
}

/// Owner and priority are returned as they were stored.
pub async fn a_job_keeps_its_owner_and_priority<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    for (name, number) in [("local", 0), ("Team A / laptop", 5), ("名前", 9)] {
        let job = NewJob {
            owner: owner(name),
            priority: Priority::new(number).expect("a priority"),
            ..crawl(pages("a.test", 1), JobLimits::default())
        };
        let id = start(&store, job).await;
        let stored = store.job(&Access::AllOwners, id).await.expect("a read");
        let stored = stored.expect("a job");
        assert_eq!((stored.owner, stored.priority.get()), (owner(name), number));
    }
}
