//! Jobs with many URLs, which are stored in parts.

use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, join, select};

use super::StoreFixture;
use super::builders::{
    LEASE, count_jobs, crawl, done, fast, pages, read_job, settle, start, take, take_all,
};
use crate::backend::MAX_SEEDS_PER_STEP;
use crate::{
    Access, Cancel, IdempotencyKey, JobCreation, JobId, JobLimits, JobQueue, JobState,
    JobStopReason, Jobs, NewJob, Quota, StoreLimits,
};

/// More seeds than one transaction stores or opens.
const MANY: usize = 5 * MAX_SEEDS_PER_STEP + 1;

fn large() -> NewJob {
    crawl(pages("a.test", MANY), JobLimits::default())
}

/// All of its tasks are fetched, and it ends with the last one.
pub async fn a_large_job_is_complete<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let mut job = large();
    // A key that is in two parts is one task.
    job.seeds.push(job.seeds[0].clone());
    let id = start(&store, job).await;
    assert_eq!(read_job(&store, id).await.counts.queued, MANY as u64);
    let mut taken = 0;
    while taken < MANY {
        assert_ne!(read_job(&store, id).await.state, JobState::Completed);
        let tasks = take_all(&store, (MANY - taken).min(1_000)).await;
        taken += tasks.len();
        settle(
            &store,
            tasks.iter().map(|task| done(task, Vec::new())).collect(),
        )
        .await;
    }
    let job = read_job(&store, id).await;
    assert_eq!(
        (job.state, job.counts.done),
        (JobState::Completed, MANY as u64)
    );
}

/// While it is created, others can write, and it exists for nobody.
pub async fn a_large_job_is_created_in_parts<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = large();
    let id = job.id;
    let mut creation = Box::pin(store.create_job(job));
    let others = Cell::new(0);
    loop {
        let other = async {
            let small = start(&store, crawl(pages("b.test", 1), JobLimits::default())).await;
            let existing = store.job(&Access::AllOwners, id).await.expect("a job");
            others.set(others.get() + i32::from(existing.is_none()));
            let claimed = take(&store, 10, LEASE).await;
            let existing = store.job(&Access::AllOwners, id).await.expect("a job");
            (small, claimed, existing)
        };
        let (small, claimed, existing) = match select(pin!(other), &mut creation).await {
            Either::Left((seen, _)) => seen,
            Either::Right((created, _)) => {
                assert_eq!(created.expect("a creation"), JobCreation::Created);
                break;
            }
        };
        if existing.is_none() {
            let claimed: Vec<JobId> = claimed.iter().map(|task| task.job).collect();
            assert_eq!(claimed, [small], "only tasks of jobs that exist");
        }
    }
    // Each part is a transaction of its own, and writers take turns. How many get one depends on the machine.
    assert!(others.get() >= 1, "no other writer");
    assert_eq!(read_job(&store, id).await.counts.total(), MANY as u64);
}

/// A creator that dies leaves nothing: none of the tasks is claimed, and reconciling deletes them. The key is not used.
pub async fn an_abandoned_job_is_deleted<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let key = IdempotencyKey::new(b"alice", "key", b"{}");
    let keyed = || NewJob {
        idempotency: Some(key),
        ..large()
    };
    let job = keyed();
    let id = job.id;
    let mut creation = Box::pin(store.create_job(job));
    loop {
        match select(pin!(fixture.count_rows()), &mut creation).await {
            Either::Left((rows, _)) if rows.1 > 0 => break,
            Either::Left(_) => (),
            Either::Right(_) => panic!("created before it was abandoned"),
        }
    }
    drop(creation);
    // Its creator may still be alive.
    store.reconcile().await.expect("reconciled");
    assert_eq!(fixture.count_rows().await.0, 1);
    assert_eq!(count_jobs(&store).await, 0);
    let read = store.job(&Access::AllOwners, id).await;
    assert_eq!(read.expect("a job"), None);
    let cancelled = store.cancel(&Access::AllOwners, id).await;
    assert_eq!(cancelled.expect("a cancel"), Cancel::NotFound);
    assert!(take(&store, 10, LEASE).await.is_empty());
    fixture.age_jobs(Duration::from_hours(1)).await;
    store.reconcile().await.expect("reconciled");
    assert_eq!(fixture.count_rows().await, (0, 0), "jobs and tasks");
    let again = store.create_job(keyed()).await.expect("a creation");
    assert_eq!(again, JobCreation::Created);
}

/// A quota of its owner ends the jobs that exist, not one that is being created.
pub async fn a_quota_ends_no_job_that_is_created<G: StoreFixture>(fixture: &G) {
    let mut quota = Quota::default();
    quota.set("pages_per_day=1").expect("a valid quota");
    let limits = StoreLimits {
        quota,
        ..fast().into()
    };
    let store = fixture.open(limits).await;
    start(&store, crawl(pages("b.test", 1), JobLimits::default())).await;
    let tasks = take_all(&store, 1).await;
    // Long enough for all that happens meanwhile.
    let seeds = 4 * MANY;
    let job = crawl(pages("a.test", seeds), JobLimits::default());
    let id = job.id;
    let mut creation = Box::pin(store.create_job(job));
    loop {
        match select(pin!(fixture.count_rows()), &mut creation).await {
            Either::Left((rows, _)) if rows.1 > 1 => break,
            Either::Left(_) => (),
            Either::Right(_) => panic!("created too early"),
        }
    }
    let ending = async {
        settle(&store, vec![done(&tasks[0], Vec::new())]).await;
        store.reconcile().await.expect("reconciled");
        store.job(&Access::AllOwners, id).await.expect("a job")
    };
    match select(pin!(ending), &mut creation).await {
        Either::Left((read, _)) => assert_eq!(read, None, "it is not complete"),
        Either::Right(_) => panic!("created too early"),
    }
    assert_eq!(creation.await.expect("a creation"), JobCreation::Created);
    let job = read_job(&store, id).await;
    assert_eq!((job.state, job.stop_reason), (JobState::Queued, None));
    assert_eq!(job.counts.queued, seeds as u64);
    store.reconcile().await.expect("reconciled");
    let reason = read_job(&store, id).await.stop_reason;
    assert_eq!(
        reason.map(JobStopReason::as_str),
        Some("quota_pages_per_day")
    );
}

/// The key of a large job belongs to the first one that is complete.
pub async fn a_large_job_has_its_key<G: StoreFixture>(fixture: &G) {
    let stores = [fixture.open(fast()).await, fixture.open(fast()).await];
    let keyed = |request: &[u8]| NewJob {
        idempotency: Some(IdempotencyKey::new(b"alice", "key", request)),
        ..large()
    };
    let (first, second) = (keyed(b"{}"), keyed(b"{}"));
    let ids = [first.id, second.id];
    let both = join(stores[0].create_job(first), stores[1].create_job(second)).await;
    let both = [both.0.expect("a creation"), both.1.expect("a creation")];
    let winner = usize::from(both[1] == JobCreation::Created);
    assert_eq!(both[winner], JobCreation::Created);
    assert_eq!(both[1 - winner], JobCreation::Existing(ids[winner]));
    assert_eq!(count_jobs(&stores[0]).await, 1);
    let repeated = stores[0].create_job(keyed(b"{}")).await;
    assert_eq!(
        repeated.expect("a creation"),
        JobCreation::Existing(ids[winner])
    );
    let reused = stores[0].create_job(keyed(b"[]")).await;
    assert_eq!(reused.expect("a creation"), JobCreation::KeyReused);
    fixture.age_jobs(Duration::from_hours(1)).await;
    stores[0].reconcile().await.expect("reconciled");
    assert_eq!(
        fixture.count_rows().await,
        (1, MANY as u64),
        "jobs and tasks"
    );
}

/// The time limit of a job counts from its first claim, not from its creation.
pub async fn the_clock_starts_at_the_first_claim<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let limits = JobLimits {
        max_duration: Some(Duration::ZERO),
        ..JobLimits::default()
    };
    let job = start(&store, crawl(pages("a.test", 2), limits)).await;
    let changed = store.reconcile().await.expect("reconciled");
    assert_eq!((changed.timed_out, changed.finished), (0, 0));
    assert_eq!(read_job(&store, job).await.state, JobState::Queued);
    let tasks = take_all(&store, 1).await;
    let changed = store.reconcile().await.expect("reconciled");
    assert_eq!((changed.timed_out, changed.finished), (1, 1));
    let ended = read_job(&store, job).await;
    assert_eq!(
        ended.stop_reason.map(JobStopReason::as_str),
        Some("max_duration")
    );
    // A second claim does not start it again.
    assert_eq!(
        settle(&store, vec![done(&tasks[0], Vec::new())])
            .await
            .lost
            .len(),
        1
    );
}

/// A job that is never claimed ends too, after a long time.
pub async fn a_job_that_is_never_started_ends<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let limits = JobLimits {
        max_duration: Some(Duration::from_hours(1)),
        ..JobLimits::default()
    };
    let job = start(&store, crawl(pages("a.test", 2), limits)).await;
    fixture.age_jobs(crate::backend::MAX_WAIT).await;
    store.reconcile().await.expect("reconciled");
    assert_eq!(read_job(&store, job).await.state, JobState::Queued);
    fixture.age_jobs(Duration::from_hours(1)).await;
    store.reconcile().await.expect("reconciled");
    let ended = read_job(&store, job).await;
    assert_eq!(ended.state, JobState::Failed);
    assert_eq!(
        ended.stop_reason.map(JobStopReason::as_str),
        Some("not_started")
    );
}
