//! Leases, fences and rescue: what a worker may write, and what happens to the tasks of a dead worker.

use std::time::Duration;

use futures_util::future::join;

use super::StoreFixture;
use super::builders::{
    EXPIRED, LEASE, crawl, done, fast, page, pages, read_job, settle, start, take, take_all,
};
use crate::{
    Access, Cancel, Fence, JobId, JobLimits, JobQueue, JobState, JobStopReason, Jobs, Lease,
    Rescue, Rescued, TaskId, WorkerId,
};

/// The first worker's lease expired and the second one holds the task: what the first one writes is dropped.
pub async fn a_stale_fence_writes_nothing<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    let late = take(&store, 1, EXPIRED).await.remove(0);
    let rescued = store.rescue(Rescue::Expired).await.expect("a rescue");
    assert_eq!(
        rescued,
        Rescued {
            requeued: 1,
            poisoned: 0
        }
    );
    // Late, while the task is queued …
    let link = page("a.test", "link", 1);
    let settled = settle(&store, vec![done(&late, vec![link.clone()])]).await;
    assert_eq!(
        (settled.kept.len(), settled.lost.as_slice()),
        (0, [late.lease].as_slice())
    );
    // … and late, while another worker holds it.
    let holder = take_all(&store, 1).await.remove(0);
    assert!(holder.lease.fence > late.lease.fence);
    let settled = settle(&store, vec![done(&late, vec![link])]).await;
    assert_eq!(
        (settled.kept.len(), settled.lost.len(), settled.admitted),
        (0, 1, 0)
    );
    let current = read_job(&store, job).await;
    assert_eq!(
        (
            current.documents,
            current.counts.total(),
            current.counts.processing
        ),
        (0, 1, 1)
    );
    assert_eq!(current.bytes, 0);
    let settled = settle(&store, vec![done(&holder, Vec::new())]).await;
    assert_eq!(settled.kept, [holder.lease]);
    let current = read_job(&store, job).await;
    assert_eq!((current.documents, current.state), (1, JobState::Completed));
}

/// In a batch of three with one lost lease, the other two are written.
pub async fn one_lost_lease_does_not_fail_the_batch<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 3), JobLimits::default())).await;
    let late = take(&store, 1, EXPIRED).await.remove(0);
    store.rescue(Rescue::Expired).await.expect("a rescue");
    let mut held = take_all(&store, 3).await;
    held.retain(|task| task.lease.task != late.lease.task);
    let batch = vec![
        done(&held[0], vec![page("a.test", "kept", 1)]),
        done(&late, vec![page("a.test", "lost", 1)]),
        done(&held[1], Vec::new()),
    ];
    let settled = settle(&store, batch).await;
    assert_eq!(settled.lost, [late.lease]);
    assert_eq!((settled.kept.len(), settled.admitted), (2, 1));
    let current = read_job(&store, job).await;
    assert_eq!(
        (
            current.documents,
            current.counts.done,
            current.counts.total()
        ),
        (2, 2, 4)
    );
}

/// The response to a settlement may be lost; sending it again must not count twice.
pub async fn a_lease_settles_once<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    let task = take_all(&store, 1).await.remove(0);
    let settled = settle(
        &store,
        vec![done(&task, Vec::new()), done(&task, Vec::new())],
    )
    .await;
    assert_eq!((settled.kept.len(), settled.lost.len()), (1, 1));
    let settled = settle(&store, vec![done(&task, Vec::new())]).await;
    assert_eq!((settled.kept.len(), settled.lost.len()), (0, 1));
    assert_eq!(read_job(&store, job).await.bytes, 100);
}

/// A task is settled under its own job's lock, or not at all.
pub async fn a_lease_does_not_settle_under_another_job<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    let other = start(&store, crawl(pages("b.test", 1), JobLimits::default())).await;
    let tasks = take_all(&store, 2).await;
    let task = tasks
        .iter()
        .find(|task| task.job != other)
        .expect("the first job's task");
    let mut settlement = done(task, Vec::new());
    settlement.job = other;
    let settled = settle(&store, vec![settlement]).await;
    assert_eq!((settled.kept.len(), settled.lost.len()), (0, 1));
}

/// One statement renews all leases and returns those that are lost.
pub async fn renewing_returns_lost_leases<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 3), JobLimits::default())).await;
    let worker = WorkerId::fresh();
    let tasks = store.claim(&worker, 3, EXPIRED).await.expect("a claim");
    let leases: Vec<Lease> = tasks.iter().map(|task| task.lease).collect();
    let lost = store
        .renew(&worker, &leases[..2], LEASE)
        .await
        .expect("renewed");
    assert!(
        lost.is_empty(),
        "an expired lease that was not taken back can be renewed"
    );
    let rescued = store.rescue(Rescue::Expired).await.expect("a rescue");
    assert_eq!(rescued.requeued, 1, "only the lease that was not renewed");
    let mut requested = leases.clone();
    requested.push(Lease {
        task: TaskId(i64::MAX),
        fence: Fence(1),
    });
    let lost = store
        .renew(&worker, &requested, LEASE)
        .await
        .expect("renewed");
    assert_eq!(lost, [leases[2], requested[3]]);
    let other_worker = WorkerId::fresh();
    let lost = store
        .renew(&other_worker, &leases[..1], LEASE)
        .await
        .expect("renewed");
    assert_eq!(lost, leases[..1]);
    assert!(
        store
            .renew(&worker, &[], LEASE)
            .await
            .expect("renewed")
            .is_empty()
    );
}

/// A worker that lost a task and claimed it again holds it by the new lease only.
pub async fn a_renewal_carries_its_fence<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    let worker = WorkerId::fresh();
    let claim = async |lease| {
        let mut tasks = store.claim(&worker, 1, lease).await.expect("a claim");
        tasks.remove(0).lease
    };
    let old = claim(EXPIRED).await;
    store.rescue(Rescue::Expired).await.expect("a rescue");
    let new = claim(EXPIRED).await;
    assert_eq!((old.task, old.fence < new.fence), (new.task, true));
    let lost = store.renew(&worker, &[old], LEASE).await.expect("renewed");
    assert_eq!(lost, [old]);
    let rescued = store.rescue(Rescue::Expired).await.expect("a rescue");
    assert_eq!(rescued.requeued, 1, "the old lease renewed nothing");
    let newest = claim(LEASE).await;
    let both = [old, newest];
    let lost = store.renew(&worker, &both, LEASE).await.expect("renewed");
    assert_eq!(lost, [old], "even together with its successor");
}

/// Only expired leases are rescued.
pub async fn rescue_leaves_live_leases_alone<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 4), JobLimits::default())).await;
    let live = take(&store, 2, LEASE).await;
    take(&store, 2, EXPIRED).await;
    assert_eq!(
        store
            .rescue(Rescue::Expired)
            .await
            .expect("a rescue")
            .requeued,
        2
    );
    assert_eq!(
        store.rescue(Rescue::Expired).await.expect("a rescue"),
        Rescued::default()
    );
    let batch = live.iter().map(|task| done(task, Vec::new())).collect();
    assert_eq!(settle(&store, batch).await.kept.len(), 2);
}

/// An expired lease is settled and rescued at the same time: exactly one of the two takes effect.
pub async fn a_settlement_and_a_rescue_never_both_win<G: StoreFixture>(fixture: &G) {
    let (left, right) = (fixture.open(fast()).await, fixture.open(fast()).await);
    for round in 0..40 {
        let job = start(&left, crawl(pages("a.test", 1), JobLimits::default())).await;
        let task = take(&left, 1, EXPIRED).await.remove(0);
        let (settled, rescued) = join(
            left.settle(vec![done(&task, Vec::new())]),
            right.rescue(Rescue::Expired),
        )
        .await;
        let kept = settled.expect("a settlement").kept.len() as u64;
        let rescued = rescued.expect("a rescue").requeued;
        let current = read_job(&left, job).await;
        assert_eq!(current.documents, kept, "round {round}");
        assert_eq!(
            (current.counts.done, current.counts.queued),
            (kept, 1 - kept),
            "round {round}"
        );
        assert_eq!(kept + rescued, 1, "round {round}");
        if kept == 0 {
            settle(&left, vec![done(&take_all(&left, 1).await[0], Vec::new())]).await;
        }
    }
}

/// The only process of a store need not wait for the leases of its previous run.
pub async fn the_only_owner_takes_back_everything<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    for _ in 0..5 {
        let held = take_all(&store, 2).await;
        let rescued = store
            .rescue(Rescue::Held { blame: false })
            .await
            .expect("a rescue");
        assert_eq!(
            rescued,
            Rescued {
                requeued: 2,
                poisoned: 0
            }
        );
        assert_eq!(
            settle(&store, vec![done(&held[0], Vec::new())])
                .await
                .lost
                .len(),
            1
        );
    }
    // The first two crashes do not count against a task; the next three do.
    for crash in 1..=5 {
        take_all(&store, 2).await;
        let rescued = store
            .rescue(Rescue::Held { blame: true })
            .await
            .expect("a rescue");
        assert_eq!(rescued.poisoned, if crash == 5 { 2 } else { 0 });
    }
}

/// Queued tasks become skipped, held ones are taken away, stored results stay.
pub async fn cancelling_takes_tasks_from_workers<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 4), JobLimits::default())).await;
    let tasks = take_all(&store, 2).await;
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    assert_eq!(
        store
            .cancel(&Access::AllOwners, job)
            .await
            .expect("a cancel"),
        Cancel::Cancelled
    );
    let settled = settle(
        &store,
        vec![done(&tasks[1], vec![page("a.test", "late", 1)])],
    )
    .await;
    assert_eq!((settled.kept.len(), settled.lost.len()), (0, 1));
    let current = read_job(&store, job).await;
    assert_eq!(current.state, JobState::Cancelled);
    assert_eq!(
        (
            current.counts.done,
            current.counts.skipped,
            current.counts.total()
        ),
        (1, 3, 4)
    );
    assert_eq!(
        (
            current.documents,
            current.stop_reason.map(JobStopReason::as_str)
        ),
        (1, Some("cancelled"))
    );
    assert!(take(&store, 10, LEASE).await.is_empty());
    assert_eq!(
        store
            .rescue(Rescue::Held { blame: true })
            .await
            .expect("a rescue"),
        Rescued::default()
    );
    let again = store
        .cancel(&Access::AllOwners, job)
        .await
        .expect("a cancel");
    assert_eq!(again, Cancel::AlreadyFinal(JobState::Cancelled));
    let unknown = store
        .cancel(&Access::AllOwners, JobId::fresh())
        .await
        .expect("a cancel");
    assert_eq!(unknown, Cancel::NotFound);
    let lost = store
        .renew(&WorkerId::fresh(), &[tasks[1].lease], Duration::ZERO)
        .await;
    assert_eq!(lost.expect("renewed").len(), 1);
}
