//! Limits, the deadline, and the gate that makes depth the shortest distance.

use std::time::Duration;

use crawler_model::Discovery;
use futures_util::future::join_all;

use super::StoreFixture;
use super::builders::{
    LEASE, crawl, done, fast, page, pages, read_job, retry, settle, start, take, take_all,
};
use crate::{
    Access, Cancel, HostDefaults, JobLimits, JobQueue, JobState, JobStopReason, Jobs, NewTask,
    Reconciled, Results, Settlement, TaskOutcome, TaskState,
};

/// Four workers find far more than the limit at the same time: exactly as many tasks are admitted as the limit allows.
pub async fn max_tasks_is_exact<G: StoreFixture>(fixture: &G) {
    let first = fixture.open(fast()).await;
    let limits = JobLimits {
        max_tasks: Some(25),
        ..JobLimits::default()
    };
    let job = start(&first, crawl(pages("a.test", 4), limits)).await;
    let stores = [
        first,
        fixture.open(fast()).await,
        fixture.open(fast()).await,
        fixture.open(fast()).await,
    ];
    let tasks = take_all(&stores[0], 4).await;
    let settling = stores
        .iter()
        .zip(&tasks)
        .enumerate()
        .map(|(index, (store, task))| async move {
            let found: Vec<NewTask> = (0..10)
                .map(|number| page("a.test", &format!("{index}-{number}"), 1))
                .collect();
            settle(store, vec![done(task, found)]).await.admitted
        });
    let admitted: u64 = join_all(settling).await.into_iter().sum();
    assert_eq!(admitted, 21);
    let current = read_job(&stores[0], job).await;
    assert_eq!((current.counts.total(), current.left_out), (25, 19));
    // The job says so, and still fetches what it admitted.
    assert_eq!(
        current.stop_reason.map(JobStopReason::as_str),
        Some("max_pages")
    );
    assert_eq!(
        stores[0].reconcile().await.expect("reconciled"),
        Reconciled::default()
    );
    let rest = take_all(&stores[0], 21).await;
    settle(
        &stores[0],
        rest.iter().map(|task| done(task, Vec::new())).collect(),
    )
    .await;
    let current = read_job(&stores[0], job).await;
    assert_eq!(
        (current.state, current.counts.done),
        (JobState::Completed, 25)
    );
    assert_eq!(
        current.stop_reason.map(JobStopReason::as_str),
        Some("max_pages")
    );
    let limits = JobLimits {
        max_tasks: Some(3),
        ..JobLimits::default()
    };
    let job = start(&stores[0], crawl(pages("b.test", 5), limits)).await;
    assert_eq!(
        read_job(&stores[0], job).await.counts.total(),
        3,
        "seeds count too"
    );
    // A limit that left nothing out did not stop the job.
    let job = start(&stores[0], crawl(pages("c.test", 3), limits)).await;
    let tasks = take_all(&stores[0], 6).await;
    settle(
        &stores[0],
        tasks.iter().map(|task| done(task, Vec::new())).collect(),
    )
    .await;
    let current = read_job(&stores[0], job).await;
    assert_eq!(
        (current.state, current.stop_reason),
        (JobState::Completed, None)
    );
}

/// At the limit, queued tasks are skipped, nothing more is admitted, and the job ends with the tasks that are held.
pub async fn max_bytes_ends_a_job<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let limits = JobLimits {
        max_bytes: Some(150),
        ..JobLimits::default()
    };
    let job = start(&store, crawl(pages("a.test", 10), limits)).await;
    let tasks = take_all(&store, 4).await;
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    assert_eq!(read_job(&store, job).await.counts.queued, 6);
    settle(
        &store,
        vec![done(&tasks[1], vec![page("a.test", "new", 1)])],
    )
    .await;
    let current = read_job(&store, job).await;
    assert_eq!((current.counts.queued, current.counts.processing), (0, 2));
    assert_eq!(
        current.stop_reason.map(JobStopReason::as_str),
        Some("max_bytes")
    );
    // A job at its limit does not retry.
    settle(
        &store,
        vec![
            retry(&tasks[2], Duration::ZERO),
            done(&tasks[3], vec![page("a.test", "more", 1)]),
        ],
    )
    .await;
    let current = read_job(&store, job).await;
    assert_eq!(
        (current.state, current.counts.done, current.bytes),
        (JobState::Completed, 3, 300)
    );
    assert_eq!(current.counts.queued, 0);
}

/// At the deadline, queued and held tasks are skipped, with the reason.
pub async fn the_deadline_ends_a_job<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let limits = JobLimits {
        max_duration: Some(Duration::ZERO),
        ..JobLimits::default()
    };
    let job = start(&store, crawl(pages("a.test", 3), limits)).await;
    let unlimited = start(&store, crawl(pages("b.test", 1), JobLimits::default())).await;
    let mut tasks = take_all(&store, 4).await;
    tasks.retain(|task| task.job == job);
    settle(
        &store,
        vec![done(&tasks[0], vec![page("a.test", "new", 1)])],
    )
    .await;
    let changed = store.reconcile().await.expect("reconciled");
    assert_eq!((changed.timed_out, changed.finished), (1, 1));
    let current = read_job(&store, job).await;
    assert_eq!(
        (current.state, current.counts.done, current.counts.skipped),
        (JobState::Completed, 1, 3)
    );
    assert_eq!(
        current.stop_reason.map(JobStopReason::as_str),
        Some("max_duration")
    );
    let skipped = store
        .tasks(&Access::AllOwners, job, Some(TaskState::Skipped), 10, None)
        .await
        .expect("tasks")
        .entries;
    assert!(
        skipped
            .iter()
            .all(|task| task.reason.as_deref() == Some("max_duration"))
    );
    assert_eq!(
        settle(&store, vec![done(&tasks[1], Vec::new())])
            .await
            .lost
            .len(),
        1
    );
    assert_eq!(read_job(&store, unlimited).await.state, JobState::Running);
    let nothing_done = start(&store, crawl(pages("c.test", 1), limits)).await;
    assert_eq!(take(&store, 1, LEASE).await.len(), 1);
    store.reconcile().await.expect("reconciled");
    assert_eq!(read_job(&store, nothing_done).await.state, JobState::Failed);
}

fn deep(max_depth: u32) -> JobLimits {
    JobLimits {
        max_depth: Some(max_depth),
        ..JobLimits::default()
    }
}

/// Deeper tasks are stored and wait until all nearer ones are settled.
pub async fn a_level_waits_for_the_previous_one<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 1), deep(3))).await;
    let seed = take_all(&store, 1).await.remove(0);
    settle(
        &store,
        vec![done(
            &seed,
            vec![page("a.test", "x", 1), page("a.test", "y", 1)],
        )],
    )
    .await;
    let level = take_all(&store, 2).await;
    settle(
        &store,
        vec![done(
            &level[0],
            vec![page("a.test", "z", 2), page("b.test", "z", 2)],
        )],
    )
    .await;
    assert!(
        take(&store, 10, LEASE).await.is_empty(),
        "the second level is not open yet"
    );
    assert_eq!(read_job(&store, job).await.counts.queued, 2);
    settle(&store, vec![done(&level[1], Vec::new())]).await;
    let next = take_all(&store, 2).await;
    assert!(next.iter().all(|task| task.depth == 2));
    settle(
        &store,
        next.iter().map(|task| done(task, Vec::new())).collect(),
    )
    .await;
    assert_eq!(read_job(&store, job).await.state, JobState::Completed);
}

/// A redirect's target has the depth of the redirecting page; a link may have found it one level deeper before.
pub async fn a_page_found_nearer_moves_up<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 1), deep(3))).await;
    let seed = take_all(&store, 1).await.remove(0);
    settle(
        &store,
        vec![done(
            &seed,
            vec![page("a.test", "x", 1), page("a.test", "y", 1)],
        )],
    )
    .await;
    let level = take_all(&store, 2).await;
    settle(
        &store,
        vec![done(&level[0], vec![page("a.test", "target", 2)])],
    )
    .await;
    let mut target = page("a.test", "target", 1);
    target.found = Discovery::Redirect;
    target.hops = 1;
    settle(&store, vec![done(&level[1], vec![target])]).await;
    let task = take_all(&store, 1).await.remove(0);
    assert_eq!(
        (task.depth, task.hops, task.found),
        (1, 1, Discovery::Redirect)
    );
    settle(&store, vec![done(&task, vec![page("a.test", "last", 2)])]).await;
    assert_eq!(take_all(&store, 1).await[0].depth, 2);
}

/// A page that is retried in an hour must not block the rest for an hour.
pub async fn a_waiting_retry_does_not_keep_the_gate_closed<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 2), deep(2))).await;
    let tasks = take_all(&store, 2).await;
    settle(&store, vec![done(&tasks[0], vec![page("a.test", "x", 1)])]).await;
    assert!(take(&store, 10, LEASE).await.is_empty());
    settle(&store, vec![retry(&tasks[1], Duration::from_hours(1))]).await;
    let next = take_all(&store, 1).await.remove(0);
    assert_eq!(next.depth, 1);
    settle(&store, vec![done(&next, Vec::new())]).await;
    let current = read_job(&store, job).await;
    assert_eq!(
        (current.state, current.counts.queued),
        (JobState::Running, 1),
        "the retry is still to come"
    );
}

/// Without a depth limit, no task waits.
pub async fn without_a_depth_limit_there_is_no_gate<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    let tasks = take_all(&store, 2).await;
    settle(&store, vec![done(&tasks[0], vec![page("a.test", "x", 7)])]).await;
    assert_eq!(take_all(&store, 1).await[0].depth, 7);
}

/// Otherwise it could never end.
pub async fn a_job_without_seeds_has_failed<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(Vec::new(), JobLimits::default())).await;
    let current = read_job(&store, job).await;
    assert_eq!(current.state, JobState::Failed);
    assert!(current.error.is_some());
}

/// A job with more tasks than one transaction changes is cancelled completely.
pub async fn a_large_job_is_cancelled_in_steps<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let seeds = pages("a.test", 21_000);
    let job = start(&store, crawl(seeds, JobLimits::default())).await;
    let held = take(&store, 10, LEASE).await;
    assert_eq!(
        store
            .cancel(&Access::AllOwners, job)
            .await
            .expect("a cancel"),
        Cancel::Cancelled
    );
    let current = read_job(&store, job).await;
    assert_eq!(current.state, JobState::Cancelled);
    assert_eq!(current.counts.skipped, 21_000);
    let settled = settle(&store, vec![done(&held[0], Vec::new())]).await;
    assert_eq!(settled.lost.len(), 1);
    let again = store
        .cancel(&Access::AllOwners, job)
        .await
        .expect("a cancel");
    assert_eq!(again, Cancel::AlreadyFinal(JobState::Cancelled));
}

/// A level with more tasks than one transaction changes opens in parts, each before the previous one runs out.
pub async fn a_large_level_opens_in_parts<G: StoreFixture>(fixture: &G) {
    const LEVEL: usize = 12_000;
    let hosts = HostDefaults {
        in_flight: 100_000,
        interval: Duration::ZERO,
    };
    let store = fixture.open(hosts).await;
    let limits = JobLimits {
        max_depth: Some(3),
        ..JobLimits::default()
    };
    let job = start(&store, crawl(pages("a.test", 1), limits)).await;
    let seed = take_all(&store, 1).await;
    let found = (0..LEVEL)
        .map(|n| page("a.test", &format!("level/{n}"), 1))
        .collect();
    settle(&store, vec![done(&seed[0], found)]).await;
    let mut finished = 1;
    let deadline = std::time::Instant::now() + Duration::from_mins(2);
    while read_job(&store, job).await.state != JobState::Completed {
        assert!(std::time::Instant::now() < deadline, "{finished} finished");
        let tasks = take(&store, 1_000, LEASE).await;
        finished += tasks.len();
        let batch = tasks.iter().map(|task| done(task, Vec::new())).collect();
        settle(&store, batch).await;
    }
    assert_eq!(finished, LEVEL + 1);
}

/// A redirect's target replaces it, so a limit of one page allows a page behind a redirect.
pub async fn a_redirects_target_takes_its_place<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let limits = JobLimits {
        max_tasks: Some(1),
        ..JobLimits::default()
    };
    let job = start(&store, crawl(pages("a.test", 1), limits)).await;
    let seed = take_all(&store, 1).await;
    let target = NewTask {
        found: Discovery::Redirect,
        hops: 1,
        ..page("a.test", "target", 0)
    };
    let moved = Settlement {
        outcome: TaskOutcome::Skipped {
            reason: "redirected".to_owned(),
            detail: "redirects".to_owned(),
        },
        ..done(&seed[0], vec![target])
    };
    settle(&store, vec![moved]).await;
    let target = take_all(&store, 1).await;
    let found = vec![page("a.test", "next", 1)];
    settle(&store, vec![done(&target[0], found)]).await;
    let current = read_job(&store, job).await;
    assert_eq!(current.state, JobState::Completed);
    assert_eq!(
        (
            current.counts.done,
            current.counts.total(),
            current.left_out
        ),
        (1, 2, 1)
    );
}
