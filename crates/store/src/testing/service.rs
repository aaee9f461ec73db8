//! Everything besides jobs and keys: robots.txt, pruning, readiness, statistics.

use std::time::Duration;

use crawler_model::{FailKind, Failure};

use super::StoreFixture;
use super::builders::{
    EXPIRED, LEASE, crawl, done, fast, page, pages, retry, settle, start, take, take_all,
};
use crate::backend::MAX_DOCUMENT_BYTES_PER_STEP;
use crate::{
    Access, JobFilter, JobKind, JobLimits, JobQueue, Jobs, Reconciled, RobotsRecords, RobotsText,
    StoredRobots, TaskOutcome, Upkeep,
};

/// The last file is returned, with its age; a failed fetch is stored in addition.
pub async fn robots_are_stored_by_origin<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    assert!(
        store
            .robots("https://a.test")
            .await
            .expect("a read")
            .is_none()
    );
    let reset = Failure::new(FailKind::Reset, "connection reset");
    let failures = [
        RobotsText::Unavailable(Failure::of_status(503)),
        RobotsText::Unreachable(reset),
        RobotsText::Throttled(Failure::of_status(429)),
    ];
    let files = [
        RobotsText::Absent,
        RobotsText::Text("User-agent: *\nDisallow: /private\n".to_owned()),
    ];
    let save = async |robots: &RobotsText| {
        let saved = store.save_robots("https://a.test", robots.clone()).await;
        saved.expect("saved");
        let stored = store.robots("https://a.test").await.expect("a read");
        let StoredRobots { read, failed } = stored.expect("robots");
        let ages = read.iter().chain(&failed).map(|(_, age)| *age);
        assert!(ages.max() < Some(Duration::from_mins(5)));
        (read.map(|read| read.0), failed.map(|failed| failed.0))
    };
    for failure in &failures {
        assert_eq!(save(failure).await, (None, Some(failure.clone())));
    }
    for file in &files {
        assert_eq!(save(file).await, (Some(file.clone()), None));
        for failure in &failures {
            let kept = (Some(file.clone()), Some(failure.clone()));
            assert_eq!(save(failure).await, kept);
        }
    }
    assert!(
        store
            .robots("http://a.test")
            .await
            .expect("a read")
            .is_none()
    );
}

/// Only final jobs, only old ones, and never more rows at a time than allowed.
pub async fn old_jobs_are_pruned_in_bounded_steps<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let open = start(&store, crawl(pages("b.test", 2), JobLimits::default())).await;
    let job = start(&store, crawl(pages("a.test", 10), JobLimits::default())).await;
    let mut tasks = take_all(&store, 12).await;
    tasks.retain(|task| task.job == job);
    settle(
        &store,
        tasks.iter().map(|task| done(task, Vec::new())).collect(),
    )
    .await;
    assert_eq!(
        store
            .prune(Duration::from_hours(1), 100)
            .await
            .expect("pruned"),
        0
    );
    let mut steps = Vec::new();
    loop {
        let deleted = store.prune(Duration::ZERO, 8).await.expect("pruned");
        if deleted == 0 {
            break;
        }
        assert!(deleted <= 8, "{deleted} at once");
        steps.push(deleted);
    }
    assert_eq!(
        steps.iter().sum::<u64>(),
        21,
        "ten documents, ten tasks, one job"
    );
    let left = store
        .jobs(&Access::AllOwners, JobFilter::default(), 10, None)
        .await
        .expect("jobs")
        .entries;
    assert_eq!((left.len(), left[0].id), (1, open));
}

/// Few large documents take as long to delete as many small ones.
pub async fn large_documents_are_pruned_in_bounded_steps<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 4), JobLimits::default())).await;
    let tasks = take_all(&store, 4).await;
    let percents = [60, 30, 30, 150];
    let batch = tasks.iter().zip(percents).map(|(task, percent)| {
        let mut settlement = done(task, Vec::new());
        if let TaskOutcome::Done {
            document: Some(document),
            ..
        } = &mut settlement.outcome
        {
            let length = MAX_DOCUMENT_BYTES_PER_STEP * percent / 100;
            document.content_md = Some("x".repeat(length));
        }
        settlement
    });
    settle(&store, batch.collect()).await;
    let mut steps = Vec::new();
    while steps.last() != Some(&0) {
        steps.push(store.prune(Duration::ZERO, 100).await.expect("pruned"));
    }
    // One that is larger than a step is deleted alone, and with the last one all the rest.
    assert_eq!(steps, [2, 1, 1 + 4 + 1, 0]);
}

/// Each store tests the case that it is not ready.
pub async fn a_working_store_is_ready<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    store.ready().await.expect("ready");
}

/// Only open jobs and tasks are counted.
pub async fn statistics_count_open_jobs_and_tasks<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    assert_eq!(
        store.statistics().await.expect("numbers"),
        crate::Statistics::default()
    );
    let limits = JobLimits {
        max_depth: Some(2),
        ..JobLimits::default()
    };
    start(&store, crawl(pages("a.test", 6), limits)).await;
    let tasks = take_all(&store, 3).await;
    settle(
        &store,
        vec![
            done(&tasks[0], vec![page("a.test", "deep", 1)]),
            retry(&tasks[1], LEASE),
        ],
    )
    .await;
    take(&store, 1, EXPIRED).await;
    let numbers = store.statistics().await.expect("numbers");
    assert_eq!(numbers.kinds.len(), 1);
    let kind = numbers.kinds[0];
    assert_eq!(kind.kind, JobKind::Crawl);
    assert_eq!(
        (kind.ready, kind.waiting, kind.gated, kind.processing),
        (2, 1, 1, 2)
    );
    assert_eq!((numbers.expired_leases, numbers.open_jobs), (1, 1));
    assert!(numbers.oldest_ready.is_some());
}

/// The rules were already applied when the tasks were settled.
pub async fn reconciling_a_healthy_store_changes_nothing<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let limits = JobLimits {
        max_depth: Some(2),
        ..JobLimits::default()
    };
    start(&store, crawl(pages("a.test", 2), limits)).await;
    start(&store, crawl(pages("b.test", 1), JobLimits::default())).await;
    loop {
        assert_eq!(
            store.reconcile().await.expect("reconciled"),
            Reconciled::default()
        );
        let tasks = take(&store, 1, LEASE).await;
        let Some(task) = tasks.first() else { break };
        let found = (task.depth < 2).then(|| {
            page(
                "a.test",
                &format!("{}/x", task.lease.task.0),
                task.depth + 1,
            )
        });
        settle(&store, vec![done(task, found.into_iter().collect())]).await;
    }
    assert_eq!(
        store.reconcile().await.expect("reconciled"),
        Reconciled::default()
    );
}

/// Unused rows are deleted; hosts that have work or were used recently stay.
pub async fn hosts_without_work_and_old_robots_are_pruned<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    let robots = RobotsText::Absent;
    store
        .save_robots("https://a.test", robots)
        .await
        .expect("saved");
    assert_eq!(
        store
            .prune_hosts(Duration::from_hours(1), Duration::from_hours(1))
            .await
            .expect("none"),
        0
    );
    // One task held and one queued: the host has work, but its robots.txt is old.
    let tasks = take(&store, 1, LEASE).await;
    let (none, hour) = (Duration::ZERO, Duration::from_hours(1));
    assert_eq!(store.prune_hosts(none, hour).await.expect("none"), 0);
    assert_eq!(store.prune_hosts(none, none).await.expect("robots"), 1);
    assert!(
        store
            .robots("https://a.test")
            .await
            .expect("a read")
            .is_none()
    );
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    let tasks = take_all(&store, 1).await;
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    // A claim finds nothing.
    assert!(take(&store, 1, LEASE).await.is_empty());
    assert_eq!(store.prune_hosts(none, none).await.expect("a host"), 1);
    // A deleted host can be used again.
    start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    assert_eq!(take_all(&store, 1).await.len(), 1);
    let request = store
        .job_request(job)
        .await
        .expect("a read")
        .expect("a request");
    let stored = store
        .job(&Access::AllOwners, job)
        .await
        .expect("a read")
        .expect("a job");
    assert_eq!((request.kind, request.params), (stored.kind, stored.params));
}
