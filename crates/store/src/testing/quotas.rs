//! Quotas of owners: what they count, what a new job must fit into, and what ends a running job.

use std::time::Duration;

use futures_util::future::join_all;

use super::StoreFixture;
use super::builders::{
    LEASE, crawl, done, failed, fast, owner, page, pages, read_job, retry, settle, settlement_of,
    skipped, start, take, take_all,
};
use crate::backend::MAX_TASKS_PER_STEP;
use crate::{
    Access, AddedUsage, ApiKeys, Claimed, IdempotencyKey, JobCreation, JobFilter, JobId, JobLimits,
    JobQueue, JobState, JobStopReason, Jobs, KeyHash, KeyRole, NewJob, NewKey, Owner, OwnerUsage,
    Quota, QuotaExceeded, Rescue, Settlement, Store, StoreLimits, Upkeep, Usage,
};

const DAY: Duration = Duration::from_hours(24);

/// Limits with these default quotas.
fn quota(written: &[&str]) -> StoreLimits {
    let mut quota = Quota::default();
    for one in written {
        quota.set(one).expect("a valid quota");
    }
    StoreLimits {
        quota,
        ..fast().into()
    }
}

fn job_of(name: &str, host: &str, count: usize) -> NewJob {
    NewJob {
        owner: owner(name),
        ..crawl(pages(host, count), JobLimits::default())
    }
}

async fn create<S: Store>(store: &S, job: NewJob) -> JobCreation {
    store.create_job(job).await.expect("an answer")
}

/// The quota that a job exceeds.
async fn exceeded<S: Store>(store: &S, job: NewJob) -> QuotaExceeded {
    match create(store, job).await {
        JobCreation::QuotaExceeded(exceeded) => exceeded,
        other => panic!("the job was not refused: {other:?}"),
    }
}

async fn usage<S: Store>(store: &S, owner: &Owner) -> OwnerUsage {
    let usage = store.usage(owner).await.expect("the usage");
    assert!(usage.day_ends_in > Duration::ZERO && usage.day_ends_in <= DAY);
    // What is counted along the way is what is there.
    let access = Access::Owner(owner.clone());
    let jobs = store.jobs(&access, JobFilter::default(), 1_000, None).await;
    let jobs = jobs.expect("jobs").entries;
    let open = jobs
        .iter()
        .map(|job| job.counts.queued + job.counts.processing);
    assert_eq!(usage.queued_tasks, open.sum::<u64>());
    let open_jobs = jobs.iter().filter(|job| !job.state.is_final()).count();
    assert_eq!(usage.open_jobs, open_jobs as u64);
    usage
}

fn all_done(tasks: &[Claimed]) -> Vec<Settlement> {
    tasks.iter().map(|task| done(task, Vec::new())).collect()
}

/// Of a hundred requests at the same time, as many create a job as the quota allows; jobs of other owners do not count.
pub async fn parallel_requests_do_not_exceed_open_jobs<G: StoreFixture>(fixture: &G) {
    let limits = quota(&["open_jobs=1"]);
    let mut stores = Vec::new();
    for _ in 0..4 {
        stores.push(fixture.open(limits).await);
    }
    let store = &stores[0];
    let creating = (0..100).map(|number| {
        let job = job_of("alice", &format!("{number}.test"), 1);
        create(&stores[number % 4], job)
    });
    let created = join_all(creating).await;
    let created = created.iter().filter(|one| **one == JobCreation::Created);
    assert_eq!(created.count(), 1);
    let refused = exceeded(store, job_of("alice", "a.test", 1)).await;
    let expected = QuotaExceeded {
        quota: "open_jobs",
        limit: 1,
        used: 1,
        retry_in: None,
    };
    assert_eq!(refused, expected);
    assert_eq!(usage(store, &owner("alice")).await.open_jobs, 1);
    let other = create(store, job_of("bob", "b.test", 1)).await;
    assert_eq!(other, JobCreation::Created);
    // The place of a job that has ended is free.
    let tasks = take_all(store, 2).await;
    settle(store, all_done(&tasks)).await;
    assert_eq!(usage(store, &owner("alice")).await.open_jobs, 0);
    let next = create(store, job_of("alice", "c.test", 1)).await;
    assert_eq!(next, JobCreation::Created);
}

/// Of requests at the same time that need more tasks than the quota allows, some are refused, each as a whole.
pub async fn parallel_requests_do_not_exceed_queued_tasks<G: StoreFixture>(fixture: &G) {
    let limits = quota(&["queued_tasks=25"]);
    let stores = [fixture.open(limits).await, fixture.open(limits).await];
    let creating = (0..20).map(|number| {
        let job = job_of("alice", &format!("{number}.test"), 10);
        create(&stores[number % 2], job)
    });
    let created = join_all(creating).await;
    let created = created.iter().filter(|one| **one == JobCreation::Created);
    assert_eq!(created.count(), 2);
    assert_eq!(usage(&stores[0], &owner("alice")).await.queued_tasks, 20);
    let refused = exceeded(&stores[0], job_of("alice", "a.test", 6)).await;
    assert_eq!(
        (refused.quota, refused.limit, refused.used),
        ("queued_tasks", 25, 20)
    );
    let fitting = create(&stores[0], job_of("alice", "b.test", 5)).await;
    assert_eq!(fitting, JobCreation::Created);
}

/// The quota of a key replaces the default; zero is no limit. It can be changed.
pub async fn a_key_has_its_own_quota<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(quota(&["open_jobs=1"])).await;
    let key = NewKey {
        name: owner("alice"),
        hash: KeyHash::of("secret"),
        role: KeyRole::User,
        expires_in: None,
        quota: quota(&["open_jobs=2"]).quota,
    };
    let key = store.add_key(key).await.expect("a key");
    for number in 0..2 {
        let job = job_of("alice", &format!("{number}.test"), 1);
        assert_eq!(create(&store, job).await, JobCreation::Created);
    }
    let refused = exceeded(&store, job_of("alice", "a.test", 1)).await;
    assert_eq!((refused.limit, refused.used), (2, 2));
    let changed = quota(&["open_jobs=0", "event_streams=3"]).quota;
    assert!(store.set_quota(key.id, changed).await.expect("a write"));
    let stored = store.key(KeyHash::of("secret")).await.expect("a read");
    assert_eq!(stored.map(|key| key.quota), Some(changed));
    assert_eq!(usage(&store, &owner("alice")).await.quota, changed);
    let job = create(&store, job_of("alice", "a.test", 1)).await;
    assert_eq!(job, JobCreation::Created);
    assert!(store.revoke_key(key.id).await.expect("a write"));
    assert!(!store.set_quota(key.id, changed).await.expect("a write"));
}

/// A repeated request returns its job, whatever the quota.
pub async fn a_repeated_request_needs_no_quota<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(quota(&["open_jobs=1"])).await;
    let key = || Some(IdempotencyKey::new(b"alice", "key", b"{}"));
    let first = NewJob {
        idempotency: key(),
        ..job_of("alice", "a.test", 1)
    };
    let id = start(&store, first).await;
    let again = NewJob {
        idempotency: key(),
        ..job_of("alice", "a.test", 1)
    };
    assert_eq!(create(&store, again).await, JobCreation::Existing(id));
    // A request that was refused left nothing behind, and can be repeated later.
    let later = |id| NewJob {
        id,
        idempotency: Some(IdempotencyKey::new(b"alice", "other", b"{}")),
        ..job_of("alice", "b.test", 1)
    };
    exceeded(&store, later(JobId::fresh())).await;
    store
        .cancel(&Access::AllOwners, id)
        .await
        .expect("a cancel");
    let created = create(&store, later(JobId::fresh())).await;
    assert_eq!(created, JobCreation::Created);
}

/// Links beyond the quota of queued tasks are left out and counted, and the job says so; tasks that end make room.
pub async fn links_beyond_the_queue_are_left_out<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(quota(&["queued_tasks=4"])).await;
    let job = start(&store, job_of("alice", "a.test", 1)).await;
    let tasks = take_all(&store, 1).await;
    let links = |count: usize, name: &str| -> Vec<_> {
        let links = (0..count).map(|number| page("a.test", &format!("{name}-{number}"), 1));
        links.collect()
    };
    let settled = settle(&store, vec![done(&tasks[0], links(6, "first"))]).await;
    assert_eq!(settled.admitted, 4);
    let current = read_job(&store, job).await;
    assert_eq!((current.state, current.left_out), (JobState::Running, 2));
    let reason = Some("quota_queued_tasks");
    assert_eq!(current.stop_reason.map(JobStopReason::as_str), reason);
    assert_eq!(usage(&store, &owner("alice")).await.queued_tasks, 4);
    let done_now = store.reconcile().await.expect("reconciled");
    assert_eq!((done_now.finished, done_now.timed_out), (0, 0));
    // Two tasks end, and two links of one of them take their places.
    let tasks = take_all(&store, 2).await;
    let batch = vec![done(&tasks[0], links(5, "second")), failed(&tasks[1])];
    assert_eq!(settle(&store, batch).await.admitted, 2);
    // A link that was left out is admitted when it is found again.
    let tasks = take_all(&store, 2).await;
    let batch = vec![done(&tasks[0], links(6, "first")), failed(&tasks[1])];
    assert_eq!(settle(&store, batch).await.admitted, 2);
    assert_eq!(read_job(&store, job).await.left_out, 3);
    for _ in 0..2 {
        let tasks = take_all(&store, 2).await;
        settle(&store, all_done(&tasks)).await;
    }
    let current = read_job(&store, job).await;
    assert_eq!(current.state, JobState::CompletedWithErrors);
    assert_eq!(current.stop_reason.map(JobStopReason::as_str), reason);
    assert_eq!(usage(&store, &owner("alice")).await.queued_tasks, 0);
}

/// Pages that were done or failed are counted once, with their task; nothing else is.
pub async fn pages_are_counted_with_their_tasks<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let alice = owner("alice");
    start(&store, job_of("alice", "a.test", 4)).await;
    let tasks = take_all(&store, 4).await;
    let batch = vec![
        done(&tasks[0], Vec::new()),
        failed(&tasks[1]),
        skipped(&tasks[2]),
        retry(&tasks[3], Duration::ZERO),
    ];
    settle(&store, batch.clone()).await;
    assert_eq!(usage(&store, &alice).await.pages, 2);
    // The leases have ended, and a late write counts nothing.
    settle(&store, batch).await;
    assert_eq!(usage(&store, &alice).await.pages, 2);
    let tasks = take_all(&store, 1).await;
    settle(&store, all_done(&tasks)).await;
    let used = usage(&store, &alice).await;
    assert_eq!((used.pages, used.queued_tasks), (3, 0));
    assert_eq!(usage(&store, &owner("bob")).await.pages, 0);
    // Single pages and rendering are counted in addition.
    let added = AddedUsage {
        pages: 2,
        browser_time: Duration::from_millis(1_500),
        stored_bytes: 0,
    };
    for name in ["bob", "alice"] {
        let added = [(owner(name), added), (alice.clone(), AddedUsage::default())];
        store.add_usage(&added).await.expect("a write");
    }
    let used = usage(&store, &alice).await;
    assert_eq!(used.pages, 5);
    assert_eq!(used.browser_time, Duration::from_millis(1_500));
}

/// When the pages of the day are used up, running jobs of the owner end, those without settlements too; what workers hold may
/// finish. A job that has nothing left at that moment is complete.
pub async fn jobs_end_with_the_pages_of_the_day<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(quota(&["pages_per_day=5"])).await;
    let whole = start(&store, job_of("alice", "a.test", 2)).await;
    let tasks = take_all(&store, 2).await;
    settle(&store, all_done(&tasks)).await;
    let cut = start(&store, job_of("alice", "b.test", 8)).await;
    let tasks = take_all(&store, 4).await;
    let waiting = start(&store, job_of("alice", "c.test", 3)).await;
    let foreign = start(&store, job_of("bob", "d.test", 3)).await;
    settle(&store, all_done(&tasks[..2])).await;
    assert_eq!(read_job(&store, cut).await.stop_reason, None);
    settle(&store, all_done(&tasks[2..3])).await;
    let current = read_job(&store, cut).await;
    let reason = Some("quota_pages_per_day");
    assert_eq!(current.stop_reason.map(JobStopReason::as_str), reason);
    assert_eq!((current.counts.queued, current.counts.processing), (0, 1));
    settle(&store, all_done(&tasks[3..])).await;
    let current = read_job(&store, cut).await;
    assert_eq!(
        (current.state, current.counts.done, current.counts.skipped),
        (JobState::Completed, 4, 4)
    );
    let ended = store.reconcile().await.expect("reconciled");
    assert_eq!(ended.finished, 1);
    let current = read_job(&store, waiting).await;
    assert_eq!(current.stop_reason.map(JobStopReason::as_str), reason);
    assert!(current.state.is_final());
    assert_eq!(read_job(&store, whole).await.stop_reason, None);
    assert_eq!(read_job(&store, foreign).await.counts.queued, 3);
    let refused = exceeded(&store, job_of("alice", "e.test", 1)).await;
    assert_eq!(
        (refused.quota, refused.limit, refused.used),
        ("pages_per_day", 5, 6)
    );
    let wait = refused.retry_in.expect("the end of the day");
    assert!(wait > Duration::ZERO && wait <= DAY);
    // Exactly as many pages as are allowed.
    let foreign_tasks = take_all(&store, 3).await;
    settle(&store, all_done(&foreign_tasks)).await;
    let last = start(&store, job_of("bob", "f.test", 2)).await;
    let tasks = take_all(&store, 2).await;
    settle(&store, all_done(&tasks)).await;
    let current = read_job(&store, last).await;
    assert_eq!(
        (current.state, current.stop_reason),
        (JobState::Completed, None)
    );
}

/// The rendering time of a task is counted with every settlement of it. When that of the day is used up, jobs that render end, and
/// others go on.
pub async fn jobs_that_render_end_with_the_browser_seconds<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(quota(&["browser_seconds_per_day=5"])).await;
    let alice = owner("alice");
    let rendering = start(&store, job_of("alice", "a.test", 6)).await;
    let tasks = take_all(&store, 4).await;
    let rendered = |settlement: Settlement, seconds: u64| Settlement {
        browser_time: Duration::from_secs(seconds),
        ..settlement
    };
    let batch = vec![
        rendered(done(&tasks[0], Vec::new()), 1),
        rendered(failed(&tasks[1]), 2),
        rendered(retry(&tasks[2], Duration::from_hours(1)), 1),
    ];
    settle(&store, batch.clone()).await;
    let used = usage(&store, &alice).await.browser_time;
    assert_eq!(used, Duration::from_secs(4));
    // The leases have ended, and a late write counts nothing.
    settle(&store, batch).await;
    assert_eq!(usage(&store, &alice).await.browser_time, used);
    assert_eq!(read_job(&store, rendering).await.stop_reason, None);
    settle(&store, vec![rendered(done(&tasks[3], Vec::new()), 1)]).await;
    let current = read_job(&store, rendering).await;
    let reason = Some("quota_browser_seconds_per_day");
    assert_eq!(current.stop_reason.map(JobStopReason::as_str), reason);
    assert!(current.state.is_final());
    let rendered = NewJob {
        renders: true,
        ..job_of("alice", "b.test", 1)
    };
    let refused = exceeded(&store, rendered).await;
    let (name, limit) = (refused.quota, refused.limit);
    assert_eq!((name, limit), ("browser_seconds_per_day", 5));
    assert!(refused.retry_in.is_some());
    let plain = start(&store, job_of("alice", "b.test", 2)).await;
    let tasks = take_all(&store, 2).await;
    settle(&store, all_done(&tasks[..1])).await;
    store.reconcile().await.expect("reconciled");
    settle(&store, all_done(&tasks[1..])).await;
    let current = read_job(&store, plain).await;
    assert_eq!(
        (current.state, current.stop_reason),
        (JobState::Completed, None)
    );
}

/// A job with more tasks than one step skips ends in one round.
pub async fn a_long_job_ends_at_once_with_a_quota<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(quota(&["pages_per_day=1"])).await;
    let count = usize::try_from(MAX_TASKS_PER_STEP).expect("a count") + 10;
    let long = start(&store, job_of("alice", "a.test", count)).await;
    start(&store, job_of("alice", "b.test", 1)).await;
    loop {
        let tasks = take_all(&store, 1).await;
        if tasks[0].job != long {
            settle(&store, all_done(&tasks)).await;
            break;
        }
    }
    store
        .rescue(Rescue::Held { blame: false })
        .await
        .expect("rescued");
    let ended = store.reconcile().await.expect("reconciled");
    assert_eq!(ended.finished, 1);
    let current = read_job(&store, long).await;
    assert!(current.state.is_final());
    assert_eq!(current.counts.skipped, count as u64);
}

/// Stored results are counted once, by their size, until they are deleted; jobs end when they exceed the quota.
pub async fn stored_results_are_counted_until_they_are_deleted<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let alice = owner("alice");
    let job = start(&store, job_of("alice", "a.test", 3)).await;
    let tasks = take_all(&store, 2).await;
    let mut first = done(&tasks[0], Vec::new());
    let size = match &mut first.outcome {
        crate::TaskOutcome::Done {
            document: Some(document),
            mapped,
            ..
        } => {
            mapped.push(crate::NewMappedUrl {
                source_url: "https://a.test/ü".to_owned(),
                target_url: "https://a.test/2".to_owned(),
                depth: 1,
            });
            document.title = Some("größer".to_owned());
            document.stored_bytes() + mapped[0].stored_bytes()
        }
        other => panic!("{other:?}"),
    };
    // A second document of the same URL is not stored.
    let second = settlement_of(&tasks[1], first.outcome.clone(), Vec::new());
    let second_size = "https://a.test/üx".len() - 1 + "https://a.test/2".len();
    settle(&store, vec![first]).await;
    assert_eq!(usage(&store, &alice).await.stored_bytes, size as u64);
    settle(&store, vec![second]).await;
    let both = (size + second_size) as u64;
    assert_eq!(usage(&store, &alice).await.stored_bytes, both);
    let limited = fixture
        .open(quota(&[&format!("stored_bytes={both}")]))
        .await;
    let refused = exceeded(&limited, job_of("alice", "b.test", 1)).await;
    assert_eq!((refused.quota, refused.used), ("stored_bytes", both));
    assert_eq!(refused.retry_in, None);
    // The open job ends with its next page.
    let more = start(&store, job_of("alice", "c.test", 2)).await;
    let tasks = take_all(&limited, 1).await;
    settle(&limited, all_done(&tasks)).await;
    let ended = read_job(&limited, tasks[0].job).await;
    if ended.id == more {
        assert_eq!(
            ended.stop_reason.map(JobStopReason::as_str),
            Some("quota_stored_bytes")
        );
    }
    limited.reconcile().await.expect("reconciled");
    for id in [job, more] {
        assert!(read_job(&limited, id).await.state.is_final());
    }
    while store.prune(Duration::ZERO, 2).await.expect("deleted") > 0 {}
    assert_eq!(usage(&store, &alice).await.stored_bytes, 0);
    let created = create(&limited, job_of("alice", "d.test", 1)).await;
    assert_eq!(created, JobCreation::Created);
}

/// Every way for a task to end is counted: skipped with its job, given up as poisoned, found in a trap.
pub async fn every_end_of_a_task_is_counted<G: StoreFixture>(fixture: &G) {
    let limits = StoreLimits {
        max_crashes: 1,
        ..fast().into()
    };
    let store = fixture.open(limits).await;
    let alice = owner("alice");
    let cancelled = start(&store, job_of("alice", "a.test", 5)).await;
    take_all(&store, 2).await;
    let access = Access::Owner(alice.clone());
    store.cancel(&access, cancelled).await.expect("a cancel");
    assert_eq!(usage(&store, &alice).await.queued_tasks, 0);
    let poisoned = start(&store, job_of("alice", "b.test", 1)).await;
    while read_job(&store, poisoned).await.state != JobState::Failed {
        take(&store, 1, LEASE).await;
        let held = Rescue::Held { blame: true };
        store.rescue(held).await.expect("rescued");
    }
    assert_eq!(usage(&store, &alice).await.queued_tasks, 0);
    let limits = JobLimits {
        max_depth: Some(3),
        ..JobLimits::default()
    };
    let gated = NewJob {
        owner: alice.clone(),
        ..crawl(pages("c.test", 2), limits)
    };
    start(&store, gated).await;
    let tasks = take_all(&store, 2).await;
    let links = vec![page("c.test", "deep", 1), page("c.test", "deeper", 2)];
    settle(&store, vec![done(&tasks[0], links.clone())]).await;
    assert_eq!(usage(&store, &alice).await.queued_tasks, 3);
    settle(&store, vec![done(&tasks[1], links)]).await;
    assert_eq!(usage(&store, &alice).await.queued_tasks, 2);
}
