//! Requests outside of any job are as polite as those of jobs.

use std::time::Duration;

use weburl::HostKey;

use super::Ground;
use super::stage::{LEASE, OVER, crawl, done, pages, settle, start, take, take_all};
use crate::{HostDefaults, JobLimits, Store, Turn, TurnId};

fn slots(in_flight: u32) -> HostDefaults {
    HostDefaults {
        in_flight,
        interval: Duration::ZERO,
    }
}

async fn ask<S: Store>(store: &S, lease: Duration) -> Turn {
    let turn = store.take_turn(&HostKey::new("a.test"), lease).await;
    turn.expect("an answer")
}

async fn granted<S: Store>(store: &S, lease: Duration) -> (TurnId, Duration) {
    match ask(store, lease).await {
        Turn::Granted { id, delay } => (id, delay),
        Turn::Later(wait) => panic!("to be asked for again in {wait:?}"),
    }
}

fn is_later(turn: Turn) -> bool {
    matches!(turn, Turn::Later(wait) if !wait.is_zero())
}

/// Two at a time, whoever they are.
pub async fn turns_and_tasks_share_a_hosts_slots<G: Ground>(ground: &G) {
    let store = ground.open(slots(2)).await;
    start(&store, crawl(pages("a.test", 4), JobLimits::default())).await;
    let (turn, delay) = granted(&store, LEASE).await;
    assert_eq!(delay, Duration::ZERO);
    let tasks = take(&store, 10, LEASE).await;
    assert_eq!(tasks.len(), 1, "one slot is the turn's");
    assert!(is_later(ask(&store, LEASE).await), "no slot is left");
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    let (second, _) = granted(&store, LEASE).await;
    assert!(take(&store, 10, LEASE).await.is_empty());
    for turn in [turn, second] {
        store.end_turn(turn).await.expect("given back");
        // Given back twice is given back.
        store.end_turn(turn).await.expect("given back");
    }
    assert_eq!(take_all(&store, 2).await.len(), 2);
}

/// A start taken by one is not there for the other.
pub async fn turns_and_tasks_share_a_hosts_starts<G: Ground>(ground: &G) {
    let interval = Duration::from_mins(10);
    let hosts = HostDefaults {
        in_flight: 10,
        interval,
    };
    let store = ground.open(hosts).await;
    start(&store, crawl(pages("a.test", 4), JobLimits::default())).await;
    granted(&store, LEASE).await;
    assert!(take(&store, 10, LEASE).await.is_empty());
    match ask(&store, LEASE).await {
        Turn::Later(wait) => assert!(wait > interval / 2 && wait <= interval, "{wait:?}"),
        turn @ Turn::Granted { .. } => panic!("{turn:?}"),
    }
    // The other way round, on a host that nobody asked yet.
    let hosts = HostDefaults {
        in_flight: 10,
        interval: Duration::from_millis(400),
    };
    let store = ground.open(hosts).await;
    start(&store, crawl(pages("b.test", 1), JobLimits::default())).await;
    assert_eq!(take(&store, 1, LEASE).await.len(), 1);
    let turn = store.take_turn(&HostKey::new("b.test"), LEASE).await;
    match turn.expect("an answer") {
        Turn::Granted { delay, .. } => assert!(delay <= Duration::from_millis(400)),
        turn @ Turn::Later(_) => panic!("{turn:?}"),
    }
    let turn = store.take_turn(&HostKey::new("b.test"), LEASE).await;
    match turn.expect("an answer") {
        Turn::Granted { delay, .. } => assert!(delay > Duration::ZERO, "the second waits"),
        turn @ Turn::Later(_) => panic!("{turn:?}"),
    }
}

/// Whoever held it may be dead.
pub async fn a_turn_that_is_not_given_back_ends_with_its_lease<G: Ground>(ground: &G) {
    let store = ground.open(slots(1)).await;
    start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
    granted(&store, OVER).await;
    granted(&store, OVER).await;
    assert_eq!(take_all(&store, 1).await.len(), 1);
    store.reconcile().await.expect("reconciled");
}

/// A busy crawl would otherwise take each slot as it becomes free.
pub async fn the_next_slot_goes_to_whoever_waits_for_a_turn<G: Ground>(ground: &G) {
    let store = ground.open(slots(1)).await;
    start(&store, crawl(pages("a.test", 3), JobLimits::default())).await;
    let tasks = take(&store, 10, LEASE).await;
    assert!(is_later(ask(&store, LEASE).await));
    settle(&store, vec![done(&tasks[0], Vec::new())]).await;
    assert!(take(&store, 10, LEASE).await.is_empty(), "it is kept");
    let (turn, _) = granted(&store, LEASE).await;
    store.end_turn(turn).await.expect("given back");
    assert_eq!(take_all(&store, 1).await.len(), 1);
}

/// `Retry-After` counts for everybody.
pub async fn a_pause_holds_for_turns<G: Ground>(ground: &G) {
    let store = ground.open(slots(2)).await;
    let pause = Duration::from_hours(1);
    store
        .pause_host(&HostKey::new("a.test"), pause)
        .await
        .expect("paused");
    match ask(&store, LEASE).await {
        Turn::Later(wait) => assert!(wait > pause / 2 && wait <= pause, "{wait:?}"),
        turn @ Turn::Granted { .. } => panic!("{turn:?}"),
    }
}
