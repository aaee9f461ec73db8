//! Fair shares: owners in turn, then the jobs of an owner, then hosts; on one host as well.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crawler_weburl::HostKey;
use futures_util::future::join_all;

use super::StoreFixture;
use super::builders::{
    EXPIRED, LEASE, crawl, done, fast, owner, page, pages, retry, settle, settlement_of, start,
    take, take_all,
};
use crate::backend::MAX_JOBS_READ;
use crate::{
    Access, ApiKeys, HostDefaults, HostTurns, JobId, JobLimits, JobQueue, Jobs, KeyHash, KeyRole,
    NewJob, NewKey, NewTask, Owner, Priority, Quota, Rescue, Store, TaskOutcome,
};

/// One request at a time to each host, so that every claim is one turn.
fn one_at_a_time() -> HostDefaults {
    HostDefaults {
        in_flight: 1,
        interval: Duration::ZERO,
    }
}

/// Starts a job of this owner and priority.
async fn start_for<S: Store>(store: &S, name: &str, priority: u8, seeds: Vec<NewTask>) -> JobId {
    let job = NewJob {
        owner: owner(name),
        priority: Priority::new(priority).expect("a priority"),
        ..crawl(seeds, JobLimits::default())
    };
    start(store, job).await
}

/// Claims and settles one task at a time; returns how many each job had.
async fn serve<S: Store>(store: &S, turns: usize) -> HashMap<JobId, usize> {
    let mut served = HashMap::new();
    for _ in 0..turns {
        let task = take_all(store, 1).await.remove(0);
        *served.entry(task.job).or_default() += 1;
        settle(store, vec![done(&task, Vec::new())]).await;
    }
    served
}

/// Three owners with one, two and five jobs on one host get the same number of pages, and so do the jobs of each.
pub async fn owners_and_their_jobs_take_turns_at_one_host<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(one_at_a_time()).await;
    let mut jobs = Vec::new();
    for (name, count) in [("a", 5), ("b", 2), ("c", 1)] {
        for _ in 0..count {
            let seeds = pages("shared.test", 40);
            jobs.push((count, start_for(&store, name, 5, seeds).await));
        }
    }
    let served = serve(&store, 90).await;
    for (siblings, job) in jobs {
        assert_eq!(served.get(&job), Some(&(30 / siblings)), "{served:?}");
    }
}

/// The quota `weight` of an owner's key is its share.
pub async fn owners_share_by_weight<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(one_at_a_time()).await;
    let key = NewKey {
        name: owner("heavy"),
        hash: KeyHash::of("secret"),
        role: KeyRole::User,
        expires_in: None,
        quota: Quota {
            weight: Some(3),
            ..Quota::default()
        },
    };
    store.add_key(key).await.expect("a key");
    let heavy = start_for(&store, "heavy", 5, pages("shared.test", 60)).await;
    let light = start_for(&store, "light", 5, pages("shared.test", 60)).await;
    let served = serve(&store, 40).await;
    assert_eq!((served[&heavy], served[&light]), (30, 10));
}

/// A higher priority comes first among the jobs of an owner, and means nothing to other owners.
pub async fn priority_orders_the_jobs_of_an_owner<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(one_at_a_time()).await;
    let low = start_for(&store, "a", 0, pages("shared.test", 20)).await;
    let high = start_for(&store, "a", 9, pages("shared.test", 20)).await;
    let other = start_for(&store, "b", 0, pages("shared.test", 60)).await;
    let served = serve(&store, 40).await;
    assert_eq!((served[&high], served[&other]), (20, 20));
    assert_eq!(served.get(&low), None);
    assert_eq!(serve(&store, 20).await[&low], 10);
}

/// A job with one page waits for one page of a large job of its owner, and of one of every other owner.
pub async fn a_job_with_one_page_does_not_wait_for_a_large_one<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(one_at_a_time()).await;
    for name in ["a", "b"] {
        start_for(&store, name, 5, pages("shared.test", 200)).await;
    }
    serve(&store, 21).await;
    for name in ["a", "b", "c"] {
        let small = start_for(&store, name, 5, pages("shared.test", 1)).await;
        assert_eq!(serve(&store, 3).await.get(&small), Some(&1), "{name}");
    }
}

/// What a claim takes is divided by owner, whatever the number of their hosts.
pub async fn many_hosts_are_one_share<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let seeds = (0..300).flat_map(|host| pages(&format!("host{host}.test"), 2));
    start_for(&store, "wide", 5, seeds.collect()).await;
    let narrow = start_for(&store, "narrow", 5, pages("single.test", 30)).await;
    for _ in 0..3 {
        let tasks = take_all(&store, 20).await;
        let of_narrow = tasks.iter().filter(|task| task.job == narrow).count();
        assert_eq!(of_narrow, 10);
    }
    // Nothing is left over for want of the other owner.
    assert_eq!(take(&store, 20, LEASE).await.len(), 20);
}

/// A job whose hosts are blocked does not keep others waiting, nor its own tasks at hosts that are not.
pub async fn blocked_hosts_do_not_hide_open_ones<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let mut seeds: Vec<NewTask> = Vec::new();
    for number in 0..100 {
        let host = format!("host{number:03}.test");
        let pause = Duration::from_hours(1);
        let paused = store.pause_host(&HostKey::new(&host), pause).await;
        paused.expect("paused");
        seeds.extend(pages(&host, 1));
    }
    seeds.extend(pages("zzz.test", 1));
    let blocked = start_for(&store, "a", 5, seeds).await;
    let other = start_for(&store, "b", 5, pages("open.test", 1)).await;
    let tasks = take(&store, 10, LEASE).await;
    assert!(tasks.iter().any(|task| task.job == other));
    let mut own = tasks.into_iter().find(|task| task.job == blocked);
    for _ in 0..20 {
        if own.is_none() {
            own = take(&store, 10, LEASE).await.pop();
        }
    }
    let own = own.expect("the page behind the blocked ones");
    assert_eq!((own.job, own.host.as_str()), (blocked, "zzz.test"));
}

/// A host is free when its slots are, for all jobs that wait for it: blocked lanes are checked again soon.
pub async fn a_slot_that_becomes_free_is_offered_to_all<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(one_at_a_time()).await;
    let first = start_for(&store, "a", 5, pages("shared.test", 3)).await;
    let held = take_all(&store, 1).await.remove(0);
    assert_eq!(held.job, first);
    let second = start_for(&store, "b", 5, pages("shared.test", 1)).await;
    assert!(take(&store, 5, LEASE).await.is_empty(), "no slot is free");
    settle(&store, vec![done(&held, Vec::new())]).await;
    assert_eq!(take_all(&store, 1).await[0].job, second);
}

/// Many jobs that wait for one busy host are not checked by every claim, but all of them are served, and others meanwhile.
pub async fn a_crowd_at_one_host_is_served<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(one_at_a_time()).await;
    for _ in 0..100 {
        start_for(&store, "crowd", 5, pages("shared.test", 1)).await;
    }
    let held = take_all(&store, 1).await.remove(0);
    assert!(take(&store, 5, LEASE).await.is_empty(), "no slot is free");
    let other = start_for(&store, "other", 5, pages("own.test", 1)).await;
    assert_eq!(take(&store, 5, LEASE).await[0].job, other);
    settle(&store, vec![done(&held, Vec::new())]).await;
    let deadline = Instant::now() + Duration::from_mins(1);
    let mut left = 99;
    while left > 0 {
        assert!(Instant::now() < deadline, "still waiting: {left}");
        for task in take(&store, 5, LEASE).await {
            settle(&store, vec![done(&task, Vec::new())]).await;
            left -= 1;
        }
    }
}

/// Whatever happens to tasks, those that are ready can be claimed: nothing waits for the sweep of the reconciler.
pub async fn no_ready_task_is_without_a_lane<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let healthy = async || {
        let reconciled = store.reconcile().await.expect("reconciled");
        assert_eq!(reconciled.woken, 0);
    };
    let limits = JobLimits {
        max_depth: Some(3),
        ..JobLimits::default()
    };
    let job = start(&store, crawl(pages("a.test", 1), limits)).await;
    let claim_one = async || {
        let mut tasks = take(&store, 10, LEASE).await;
        assert_eq!(tasks.len(), 1);
        tasks.remove(0)
    };
    let task = claim_one().await;
    assert!(take(&store, 10, LEASE).await.is_empty());
    settle(&store, vec![retry(&task, Duration::ZERO)]).await;
    healthy().await;
    let task = claim_one().await;
    let back = settlement_of(&task, TaskOutcome::HandBack, Vec::new());
    settle(&store, vec![back]).await;
    healthy().await;
    assert_eq!(take(&store, 10, EXPIRED).await.len(), 1);
    store.rescue(Rescue::Expired).await.expect("a rescue");
    healthy().await;
    // The gate opens when the seed is done: for one host that is known, and one that is not.
    let task = claim_one().await;
    let found = vec![page("a.test", "next", 1), page("b.test", "next", 1)];
    settle(&store, vec![done(&task, found)]).await;
    healthy().await;
    let tasks = take(&store, 10, LEASE).await;
    assert_eq!(tasks.len(), 2);
    let settled = tasks.iter().map(|task| {
        let next = page(task.host.as_str(), "last", 2);
        done(task, vec![next])
    });
    settle(&store, settled.collect()).await;
    healthy().await;
    let access = Access::Owner(Owner::local());
    store.cancel(&access, job).await.expect("cancelled");
    assert!(take(&store, 10, LEASE).await.is_empty());
    healthy().await;
    // Another job on the same hosts is not affected.
    start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    claim_one().await;
}

/// A claim reads a part of very many open jobs. Jobs that cannot go on do not hide older ones of their owner, and a new job does
/// not wait for all of them.
pub async fn very_many_jobs_hide_no_other<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let mut waiting = HashSet::new();
    for number in 0..5 {
        let seeds = pages(&format!("old{number}.test"), 1);
        waiting.insert(start_for(&store, "crowd", 5, seeds).await);
    }
    let paused = HostKey::new("paused.test");
    let pause = Duration::from_hours(1);
    store.pause_host(&paused, pause).await.expect("paused");
    for _ in (0..MAX_JOBS_READ).step_by(64) {
        let seeds = || pages("paused.test", 1);
        join_all((0..64).map(|_| start_for(&store, "crowd", 5, seeds()))).await;
    }
    for (owner, priority) in [("other", 5), ("crowd", 9), ("crowd", 5)] {
        let job = start_for(&store, owner, priority, pages("new.test", 1)).await;
        let tasks = take(&store, 100, LEASE).await;
        assert!(tasks.iter().any(|task| task.job == job), "{owner}");
        waiting.retain(|job| tasks.iter().all(|task| task.job != *job));
    }
    let deadline = Instant::now() + Duration::from_mins(1);
    while !waiting.is_empty() {
        assert!(Instant::now() < deadline, "still waiting: {waiting:?}");
        let tasks = take(&store, 100, LEASE).await;
        waiting.retain(|job| tasks.iter().all(|task| task.job != *job));
    }
    let reconciled = store.reconcile().await.expect("reconciled");
    assert_eq!((reconciled.woken, reconciled.finished), (0, 0));
}
