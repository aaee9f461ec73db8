//! Idempotency keys: a repeated request finds its job, and creates no second one.

use std::time::Duration;

use futures_util::future::join_all;

use super::StoreFixture;
use super::builders::{count_jobs, crawl, done, fast, pages, settle, start, take_all};
use crate::{IdempotencyKey, JobCreation, JobLimits, Jobs, NewJob, Upkeep};

fn keyed(caller: &str, key: &str, request: &str) -> NewJob {
    NewJob {
        idempotency: Some(IdempotencyKey::new(
            caller.as_bytes(),
            key,
            request.as_bytes(),
        )),
        ..crawl(pages("a.test", 2), JobLimits::default())
    }
}

/// The same request finds its job, another one is refused, and other callers and requests without a key are not affected.
pub async fn a_repeated_request_finds_its_job<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let first = keyed("alice", "key", "{}");
    let create = async |job: NewJob| store.create_job(job).await.expect("a creation");
    assert_eq!(create(first.clone()).await, JobCreation::Created);
    let repeated = create(keyed("alice", "key", "{}")).await;
    assert_eq!(repeated, JobCreation::Existing(first.id));
    let other = create(keyed("alice", "key", "[]")).await;
    assert_eq!(other, JobCreation::KeyReused);
    assert_eq!(count_jobs(&store).await, 1);
    for job in [
        keyed("bob", "key", "{}"),
        keyed("alice", "key 2", "{}"),
        crawl(pages("a.test", 2), JobLimits::default()),
        crawl(pages("a.test", 2), JobLimits::default()),
    ] {
        assert_eq!(create(job).await, JobCreation::Created);
    }
    assert_eq!(count_jobs(&store).await, 5);
    // Only tasks of jobs that were created.
    assert_eq!(take_all(&store, 10).await.len(), 10);
}

/// However many requests use a key at the same time, one creates the job and the others find it.
pub async fn concurrent_requests_with_one_key_create_one_job<G: StoreFixture>(fixture: &G) {
    let stores = [fixture.open(fast()).await, fixture.open(fast()).await];
    for round in 0..5 {
        let key = format!("key {round}");
        let jobs: Vec<NewJob> = (0..8).map(|_| keyed("alice", &key, "{}")).collect();
        let calls = jobs.iter().zip(stores.iter().cycle());
        let created = join_all(calls.map(|(job, store)| store.create_job(job.clone()))).await;
        let created: Vec<JobCreation> = created
            .into_iter()
            .map(|creation| creation.expect("a creation"))
            .collect();
        let winners: Vec<usize> = (0..8)
            .filter(|at| created[*at] == JobCreation::Created)
            .collect();
        assert_eq!(winners.len(), 1, "{created:?}");
        let winner = jobs[winners[0]].id;
        for creation in created {
            let found = creation == JobCreation::Existing(winner);
            assert!(found || creation == JobCreation::Created, "{creation:?}");
        }
    }
    assert_eq!(count_jobs(&stores[0]).await, 5);
}

/// A key is kept as long as its job.
pub async fn a_key_ends_with_its_job<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let id = start(&store, keyed("alice", "key", "{}")).await;
    let tasks = take_all(&store, 2).await;
    let ended = tasks.iter().map(|task| done(task, Vec::new())).collect();
    settle(&store, ended).await;
    let kept = store.create_job(keyed("alice", "key", "{}")).await;
    assert_eq!(kept.expect("a creation"), JobCreation::Existing(id));
    while store.prune(Duration::ZERO, 100).await.expect("pruned") > 0 {}
    let after = store.create_job(keyed("alice", "key", "[]")).await;
    assert_eq!(after.expect("a creation"), JobCreation::Created);
}
