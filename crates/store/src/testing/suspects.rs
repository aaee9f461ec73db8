//! Tasks whose worker died: how they are tried again, and which of them are blamed.

use super::StoreFixture;
use super::builders::{
    EXPIRED, LEASE, crawl, done, fast, owner, page, pages, read_job, settle, settlement_of, start,
    take,
};
use crate::{
    Access, Claimed, JobId, JobLimits, JobQueue, JobState, NewJob, Rescue, Rescued, Results, Store,
    TaskId, TaskOutcome, TaskState, WorkerId,
};

/// A page that crashes its worker each time, the last three times alone, is given up, and its job ends.
pub async fn a_task_that_crashes_its_worker_alone_three_times_is_poisoned<G: StoreFixture>(
    fixture: &G,
) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    for crash in 1..=5 {
        let late = take(&store, 1, EXPIRED).await.remove(0);
        assert_eq!(late.attempt, crash);
        let rescued = store.rescue(Rescue::Expired).await.expect("a rescue");
        let poisoned = u64::from(crash == 5);
        assert_eq!(
            rescued,
            Rescued {
                requeued: 1 - poisoned,
                poisoned
            }
        );
        assert_eq!(
            settle(&store, vec![done(&late, Vec::new())])
                .await
                .lost
                .len(),
            1
        );
    }
    assert!(take(&store, 1, LEASE).await.is_empty());
    let task = store
        .tasks(&Access::AllOwners, job, Some(TaskState::Failed), 10, None)
        .await
        .expect("tasks")
        .entries
        .remove(0);
    assert_eq!(task.reason.as_deref(), Some("poisoned"));
    let current = read_job(&store, job).await;
    assert_eq!(current.state, JobState::Failed);
    assert!(current.error.is_some_and(|error| error.contains("(5)")));
    let events = store
        .finished_since(&Access::AllOwners, job, 0, 10)
        .await
        .expect("events");
    assert_eq!(events.len(), 1);
}

/// One of the tasks that a dead worker held may have crashed it: they are retried one by one, so that the others are not
/// held when it crashes again.
pub async fn a_worker_has_one_suspect_at_a_time<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 5), JobLimits::default())).await;
    let suspects = take(&store, 3, EXPIRED).await;
    let suspects: Vec<_> = suspects.iter().map(|task| task.lease.task).collect();
    assert_eq!(suspects.len(), 3);
    store.rescue(Rescue::Expired).await.expect("a rescue");
    let worker = WorkerId::fresh();
    let claim = || async { store.claim(&worker, 10, LEASE).await.expect("a claim") };
    let mut held = claim().await;
    held.retain(|task| suspects.contains(&task.lease.task));
    assert_eq!(held.len(), 1);
    assert!(claim().await.is_empty());
    // Another worker may hold another suspect.
    assert_eq!(take(&store, 10, LEASE).await.len(), 1);
    settle(&store, vec![done(&held[0], Vec::new())]).await;
    let next = claim().await;
    assert_eq!(next.len(), 1);
    assert!(suspects.contains(&next[0].lease.task));
}

/// Lets a worker die with these tasks; returns the number of poisoned ones.
async fn crash<S: Store>(store: &S, tasks: &[Claimed]) -> u64 {
    assert!(!tasks.is_empty());
    let rescued = store.rescue(Rescue::Expired).await.expect("a rescue");
    assert_eq!(rescued.requeued + rescued.poisoned, tasks.len() as u64);
    rescued.poisoned
}

fn ids(tasks: &[Claimed]) -> Vec<TaskId> {
    tasks.iter().map(|task| task.lease.task).collect()
}

/// A suspect that was held again when its worker died is tried alone: the worker first finishes what it holds, and takes
/// nothing else meanwhile. So no other task is held when it crashes its worker again.
pub async fn a_suspect_that_was_held_again_is_tried_alone<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 8), JobLimits::default())).await;
    let worker = WorkerId::fresh();
    let claim = async |max| store.claim(&worker, max, LEASE).await.expect("a claim");
    let busy = claim(2).await;
    assert_eq!(busy.len(), 2);
    let suspect = take(&store, 1, EXPIRED).await;
    crash(&store, &suspect).await;
    let again = take(&store, 6, EXPIRED).await;
    assert_eq!(again.len(), 6, "beside others");
    assert!(ids(&again).contains(&suspect[0].lease.task));
    crash(&store, &again).await;
    // The worker finishes what it holds.
    for held in &busy {
        assert!(claim(10).await.is_empty());
        settle(&store, vec![done(held, Vec::new())]).await;
    }
    let alone = claim(10).await;
    assert_eq!(ids(&alone), ids(&suspect), "nothing beside it");
    assert!(claim(10).await.is_empty());
    // Another worker is not affected.
    let other = take(&store, 10, LEASE).await;
    assert_eq!(other.len(), 1, "one of the other suspects");
    settle(&store, vec![done(&alone[0], Vec::new())]).await;
    assert_eq!(claim(10).await.len(), 1, "the next suspect");
}

/// A suspect that is to be tried alone, in a lane that a claim did not find, keeps nobody from claiming tasks of other
/// jobs at the same host.
pub async fn a_suspect_stops_no_other_job_at_its_host<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let seeds = vec![page("aaa.test", "0", 0), page("bbb.test", "0", 0)];
    start(&store, crawl(seeds, JobLimits::default())).await;
    let suspect = take(&store, 1, EXPIRED).await;
    assert_eq!(suspect[0].host.as_str(), "aaa.test");
    crash(&store, &suspect).await;
    let other = take(&store, 1, LEASE).await.remove(0);
    assert_eq!(other.host.as_str(), "bbb.test");
    let found = (0..30).map(|number| page(&format!("h{number}.test"), "0", 1));
    settle(&store, vec![done(&other, found.collect())]).await;
    let again = take(&store, 1, EXPIRED).await;
    assert_eq!(ids(&again), ids(&suspect));
    // Its lane is now behind those of thirty other hosts.
    crash(&store, &again).await;
    let small = NewJob {
        owner: owner("other"),
        ..crawl(pages("aaa.test", 3), JobLimits::default())
    };
    let small = start(&store, small).await;
    let mut of_small = 0;
    for _ in 0..6 {
        let tasks = take(&store, 1, LEASE).await;
        assert_eq!(tasks.len(), 1, "there are tasks that are not suspects");
        of_small += usize::from(tasks[0].job == small);
    }
    assert_eq!(of_small, 3);
}

/// Tasks that are held together with one that crashes its worker are never blamed, however often that happens.
pub async fn tasks_held_together_are_not_poisoned<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 6), JobLimits::default())).await;
    let poison = poison_of(&store, job).await;
    let mut poisoned = 0;
    for _ in 0..100 {
        let worker = WorkerId::fresh();
        let held = store.claim(&worker, 3, LEASE).await.expect("a claim");
        if held.is_empty() {
            break;
        }
        if ids(&held).contains(&poison) {
            poisoned += store
                .rescue(Rescue::Held { blame: true })
                .await
                .expect("a rescue")
                .poisoned;
        } else {
            let settled = held.iter().map(|task| done(task, Vec::new())).collect();
            settle(&store, settled).await;
        }
    }
    assert_eq!(poisoned, 1);
    let current = read_job(&store, job).await;
    assert_eq!((current.counts.done, current.counts.failed), (5, 1));
    assert_eq!(current.state, JobState::CompletedWithErrors);
}

/// One task of a job.
async fn poison_of<S: Store>(store: &S, job: JobId) -> TaskId {
    let tasks = store
        .tasks(&Access::AllOwners, job, None, 10, None)
        .await
        .expect("tasks");
    tasks.entries[2].id
}

/// A worker that was suspended for longer than its leases, however often, is alive: its tasks are not blamed, whether its
/// next call renews leases or claims tasks.
pub async fn a_suspended_worker_blames_no_task<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    for round in 0..10 {
        let worker = WorkerId::fresh();
        let held = store.claim(&worker, 1, EXPIRED).await.expect("a claim");
        assert_eq!(crash(&store, &held).await, 0, "round {round}");
        let leases = [held[0].lease];
        if round % 2 == 0 {
            let lost = store.renew(&worker, &leases, LEASE).await.expect("renewed");
            assert_eq!(lost, leases);
        } else {
            let again = store.claim(&worker, 1, LEASE).await.expect("a claim");
            let back = settlement_of(&again[0], TaskOutcome::HandBack, Vec::new());
            settle(&store, vec![back]).await;
        }
    }
    // The crash of a worker that was never heard of again counts, and so do four more.
    for crashes in 1..=5 {
        let held = take(&store, 1, EXPIRED).await;
        assert_eq!(crash(&store, &held).await, u64::from(crashes == 5));
    }
}

/// A worker that did not receive the response to a claim, and so does not know what it holds, blames no task.
pub async fn a_claim_whose_response_was_lost_blames_no_task<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    let worker = WorkerId::fresh();
    for round in 0..10 {
        let unknown = store.claim(&worker, 1, EXPIRED).await.expect("a claim");
        assert_eq!(crash(&store, &unknown).await, 0, "round {round}");
    }
}

/// A page that stalls its worker for longer than a lease, each time, without killing it, is given up too.
pub async fn a_task_that_stalls_its_workers_is_given_up<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    for lost in 1..=20 {
        let worker = WorkerId::fresh();
        let held = store.claim(&worker, 1, EXPIRED).await.expect("a claim");
        assert_eq!(held.len(), 1, "lease {lost}");
        assert_eq!(crash(&store, &held).await, u64::from(lost == 20));
        let leases = [held[0].lease];
        let renewed = store.renew(&worker, &leases, LEASE).await;
        assert_eq!(renewed.expect("renewed"), leases);
    }
    let current = read_job(&store, job).await;
    assert_eq!(current.state, JobState::Failed);
    let error = "abandoned because its lease expired 20 times";
    assert_eq!(current.error.as_deref(), Some(error));
    let failed = store
        .tasks(&Access::AllOwners, job, Some(TaskState::Failed), 10, None)
        .await;
    let failed = failed.expect("tasks").entries.remove(0);
    assert_eq!(failed.reason.as_deref(), Some("poisoned"));
    assert_eq!(failed.error.as_deref(), Some(error));
}

/// Tasks that are held beside one that stalls its workers lose their leases too, but are not given up.
pub async fn tasks_beside_a_stalling_one_are_finished<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 6), JobLimits::default())).await;
    let stalling = poison_of(&store, job).await;
    let mut given_up = 0;
    for _ in 0..200 {
        let worker = WorkerId::fresh();
        let held = store.claim(&worker, 3, EXPIRED).await.expect("a claim");
        if held.is_empty() {
            break;
        }
        if ids(&held).contains(&stalling) {
            given_up += crash(&store, &held).await;
            let leases: Vec<_> = held.iter().map(|task| task.lease).collect();
            let lost = store.renew(&worker, &leases, LEASE).await;
            assert_eq!(lost.expect("renewed").len(), leases.len());
        } else {
            let settled = held.iter().map(|task| done(task, Vec::new())).collect();
            settle(&store, settled).await;
        }
    }
    assert_eq!(given_up, 1);
    let current = read_job(&store, job).await;
    assert_eq!((current.counts.done, current.counts.failed), (5, 1));
}
