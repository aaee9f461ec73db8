//! Claiming, retrying, handing back.

use std::collections::HashSet;
use std::time::Duration;

use crawler_model::Discovery;
use futures_util::future::join_all;

use super::StoreFixture;
use super::builders::{
    LEASE, crawl, done, fast, page, pages, read_job, retry, settle, settlement_of, start, take,
    take_all,
};
use crate::{Access, Claimed, JobLimits, JobState, Results, TaskOutcome, TaskState};

/// Four claimers empty a queue of several hosts: every task is claimed, none twice.
pub async fn two_claimers_never_get_the_same_task<G: StoreFixture>(fixture: &G) {
    let first = fixture.open(fast()).await;
    let seeds = ["a.test", "b.test", "c.test"]
        .map(|host| pages(host, 100))
        .concat();
    start(&first, crawl(seeds, JobLimits::default())).await;
    let stores = [
        first,
        fixture.open(fast()).await,
        fixture.open(fast()).await,
        fixture.open(fast()).await,
    ];
    let claimers = stores.iter().map(|store| async move {
        let mut mine: Vec<Claimed> = Vec::new();
        let mut empty = 0;
        // A claim skips hosts that another one has locked; several empty claims in a row mean the end.
        while empty < 20 {
            let taken = take(store, 7, LEASE).await;
            empty = if taken.is_empty() { empty + 1 } else { 0 };
            mine.extend(taken);
        }
        mine
    });
    let mut all: Vec<Claimed> = join_all(claimers).await.concat();
    all.extend(take(&stores[0], 300, LEASE).await);
    let different: HashSet<_> = all.iter().map(|task| task.lease.task).collect();
    assert_eq!(all.len(), 300);
    assert_eq!(different.len(), 300);
}

/// A query planner that runs a sub-query twice would claim more.
pub async fn a_claim_takes_at_most_the_requested_number<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let seeds = ["a.test", "b.test"].map(|host| pages(host, 30)).concat();
    start(&store, crawl(seeds, JobLimits::default())).await;
    assert!(take(&store, 0, LEASE).await.is_empty());
    for max in [1, 7, 31] {
        assert_eq!(take(&store, max, LEASE).await.len(), max);
    }
    assert_eq!(take(&store, 1_000, LEASE).await.len(), 21);
}

/// The count is right even if the outcome of an attempt is never reported.
pub async fn attempts_are_counted_at_the_claim<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    for attempt in 1..=3 {
        let task = take_all(&store, 1).await.remove(0);
        assert_eq!(task.attempt, attempt);
        settle(&store, vec![retry(&task, Duration::ZERO)]).await;
    }
    let tasks = store
        .tasks(&Access::AllOwners, job, None, 10, None)
        .await
        .expect("tasks");
    assert_eq!(tasks.entries[0].attempt, 3);
    assert_eq!(
        tasks.entries[0].error.as_deref(),
        Some("503 Service Unavailable")
    );
}

/// A task that waits for its retry is queued but not claimed, and does not block other tasks of its host.
pub async fn a_retry_waits_for_its_delay<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    let task = take_all(&store, 1).await.remove(0);
    settle(&store, vec![retry(&task, Duration::from_hours(1))]).await;
    let other = take_all(&store, 1).await.remove(0);
    assert_ne!(other.lease.task, task.lease.task);
    settle(&store, vec![done(&other, Vec::new())]).await;
    assert!(take(&store, 10, LEASE).await.is_empty());
    let counts = read_job(&store, job).await.counts;
    assert_eq!((counts.queued, counts.done), (1, 1));
}

/// Draining does not use up an attempt.
pub async fn a_task_handed_back_uses_no_attempt<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    let first = take_all(&store, 1).await.remove(0);
    let found = vec![page("a.test", "never", 1)];
    let settled = settle(
        &store,
        vec![settlement_of(&first, TaskOutcome::HandBack, found)],
    )
    .await;
    assert_eq!((settled.kept.len(), settled.admitted), (1, 0));
    let again = take_all(&store, 1).await.remove(0);
    assert_eq!(again.attempt, 1);
    assert!(again.lease.fence > first.lease.fence);
}

/// A page that could not be tried waits, and keeps its attempts.
pub async fn a_postponed_task_uses_no_attempt_and_waits<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    for after in [Duration::ZERO, Duration::from_hours(1)] {
        let task = take_all(&store, 1).await.remove(0);
        assert_eq!(task.attempt, 1);
        let error = "the render process cannot be reached".to_owned();
        let postponed = TaskOutcome::Postponed { after, error };
        settle(&store, vec![settlement_of(&task, postponed, Vec::new())]).await;
    }
    assert!(take(&store, 10, LEASE).await.is_empty());
    let counts = read_job(&store, job).await.counts;
    assert_eq!((counts.queued, counts.failed), (1, 0));
}

/// A job is queued until its first task is claimed.
pub async fn the_first_claim_makes_a_job_running<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    assert_eq!(read_job(&store, job).await.state, JobState::Queued);
    take_all(&store, 1).await;
    assert_eq!(read_job(&store, job).await.state, JobState::Running);
}

/// Every field of a task makes the round trip.
pub async fn an_admitted_task_is_returned_unchanged<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let mut seed = page("a.test", "from", 3);
    "https://a.test/asked".clone_into(&mut seed.requested_url);
    "https://a.test/from?".clone_into(&mut seed.url);
    seed.hops = 2;
    seed.found = Discovery::Redirect;
    let job = start(&store, crawl(vec![seed.clone()], JobLimits::default())).await;
    let task = take_all(&store, 1).await.remove(0);
    assert_eq!(task.job, job);
    assert_eq!(task.requested_url, seed.requested_url);
    assert_eq!(task.final_url, seed.final_url);
    assert_eq!(task.url, seed.url);
    assert_eq!(task.host, seed.host);
    assert_eq!((task.depth, task.hops), (3, 2));
    assert_eq!(task.via, seed.via);
    assert_eq!(task.found, Discovery::Redirect);
    let listed = store
        .tasks(
            &Access::AllOwners,
            job,
            Some(TaskState::Processing),
            10,
            None,
        )
        .await;
    assert_eq!(listed.expect("tasks").entries[0].hops, 2);
}
