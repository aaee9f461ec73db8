//! Requests outside of any job are as polite as those of jobs.

use std::time::Duration;

use crawler_weburl::HostKey;

use super::StoreFixture;
use super::builders::{EXPIRED, LEASE, crawl, done, pages, settle, start, take, take_all};
use crate::{HostDefaults, HostTurn, HostTurns, JobLimits, JobQueue, Store, StoreLimits, TurnId};

fn slots(in_flight: u32) -> HostDefaults {
    HostDefaults {
        in_flight,
        interval: Duration::ZERO,
    }
}

async fn request_turn<S: Store>(store: &S, lease: Duration) -> HostTurn {
    let turn = store.take_turn(&HostKey::new("a.test"), lease).await;
    turn.expect("a turn")
}

async fn granted<S: Store>(store: &S, lease: Duration) -> (TurnId, Duration) {
    match request_turn(store, lease).await {
        HostTurn::Granted { id, delay } => (id, delay),
        turn @ HostTurn::Later { .. } => panic!("{turn:?}"),
    }
}

fn is_later(turn: HostTurn) -> bool {
    matches!(turn, HostTurn::Later { wait, .. } if !wait.is_zero())
}

/// Two at a time, in turns and tasks together.
pub async fn turns_and_tasks_share_a_hosts_slots<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(slots(2)).await;
    start(&store, crawl(pages("a.test", 4), JobLimits::default())).await;
    let (turn, delay) = granted(&store, LEASE).await;
    assert_eq!(delay, Duration::ZERO);
    let tasks = take(&store, 10, LEASE).await;
    assert_eq!(tasks.len(), 1, "one slot is the turn's");
    assert!(
        is_later(request_turn(&store, LEASE).await),
        "no slot is left"
    );
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    let (second, _) = granted(&store, LEASE).await;
    assert!(take(&store, 10, LEASE).await.is_empty());
    for turn in [turn, second] {
        store.end_turn(turn).await.expect("given back");
        // Giving a turn back twice is harmless.
        store.end_turn(turn).await.expect("given back");
    }
    assert_eq!(take_all(&store, 2).await.len(), 2);
}

/// A start that a turn takes is not available to a task, and vice versa.
pub async fn turns_and_tasks_share_a_hosts_starts<G: StoreFixture>(fixture: &G) {
    let interval = Duration::from_mins(10);
    let hosts = HostDefaults {
        in_flight: 10,
        interval,
    };
    let store = fixture.open(hosts).await;
    start(&store, crawl(pages("a.test", 4), JobLimits::default())).await;
    granted(&store, LEASE).await;
    assert!(take(&store, 10, LEASE).await.is_empty());
    match request_turn(&store, LEASE).await {
        HostTurn::Later { wait, pause } => {
            assert!(wait > interval / 2 && wait <= interval, "{wait:?}");
            assert_eq!(pause, Duration::ZERO, "the host did not ask for it");
        }
        turn @ HostTurn::Granted { .. } => panic!("{turn:?}"),
    }
    // Vice versa, on a new host.
    let hosts = HostDefaults {
        in_flight: 10,
        interval: Duration::from_millis(400),
    };
    let store = fixture.open(hosts).await;
    start(&store, crawl(pages("b.test", 1), JobLimits::default())).await;
    assert_eq!(take(&store, 1, LEASE).await.len(), 1);
    let turn = store.take_turn(&HostKey::new("b.test"), LEASE).await;
    match turn.expect("a turn") {
        HostTurn::Granted { delay, .. } => assert!(delay <= Duration::from_millis(400)),
        turn @ HostTurn::Later { .. } => panic!("{turn:?}"),
    }
    let turn = store.take_turn(&HostKey::new("b.test"), LEASE).await;
    match turn.expect("a turn") {
        HostTurn::Granted { delay, .. } => assert!(delay > Duration::ZERO, "the second waits"),
        turn @ HostTurn::Later { .. } => panic!("{turn:?}"),
    }
}

/// Its holder may be dead.
pub async fn a_turn_that_is_not_given_back_ends_with_its_lease<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(slots(1)).await;
    start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    granted(&store, EXPIRED).await;
    granted(&store, EXPIRED).await;
    assert_eq!(take_all(&store, 1).await.len(), 1);
    store.reconcile().await.expect("reconciled");
}

/// A busy crawl would otherwise take every slot that becomes free.
pub async fn the_next_slot_goes_to_a_waiting_turn<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(slots(1)).await;
    start(&store, crawl(pages("a.test", 3), JobLimits::default())).await;
    let tasks = take(&store, 10, LEASE).await;
    assert!(is_later(request_turn(&store, LEASE).await));
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    assert!(
        take(&store, 10, LEASE).await.is_empty(),
        "the slot is reserved"
    );
    let (turn, _) = granted(&store, LEASE).await;
    store.end_turn(turn).await.expect("given back");
    assert_eq!(take_all(&store, 1).await.len(), 1);
}

/// `Retry-After` applies to turns too.
pub async fn a_pause_applies_to_turns<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(slots(2)).await;
    let pause = Duration::from_hours(1);
    store
        .pause_host(&HostKey::new("a.test"), pause)
        .await
        .expect("paused");
    match request_turn(&store, LEASE).await {
        HostTurn::Later { wait, pause: left } => {
            assert!(wait > pause / 2 && wait <= left, "{wait:?}");
            assert!(left > pause / 2 && left <= pause, "{left:?}");
        }
        turn @ HostTurn::Granted { .. } => panic!("{turn:?}"),
    }
}

/// Where the interval is fixed, a crawl-delay that was stored before applies to no kind of start.
pub async fn a_fixed_interval_replaces_crawl_delays<G: StoreFixture>(fixture: &G) {
    let interval = Duration::from_millis(300);
    let hosts = HostDefaults {
        in_flight: 10,
        interval,
    };
    let store = fixture
        .open(StoreLimits {
            fixed_interval: true,
            ..hosts.into()
        })
        .await;
    let host = HostKey::new("a.test");
    let crawl_delay = Duration::from_mins(10);
    store.slow_host(&host, crawl_delay).await.expect("slowed");
    for index in 0..2 {
        let delay = store.reserve_start(&host).await.expect("a start");
        assert!(delay <= interval * index, "{delay:?}");
    }
    let (_, delay) = granted(&store, LEASE).await;
    assert!(delay <= interval * 2, "{delay:?}");
    start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    let tasks = take(&store, 1, LEASE).await;
    assert_eq!(tasks.len(), 1);
    assert!(tasks[0].delay <= interval * 3, "{:?}", tasks[0].delay);
}
