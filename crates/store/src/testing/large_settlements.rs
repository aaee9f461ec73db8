//! Settlements of tasks that found very many URLs: most of these are admitted before, in parts.

use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;

use crawler_weburl::HostKey;
use futures_util::future::{Either, join, select};

use super::StoreFixture;
use super::builders::{
    EXPIRED, crawl, done, fast, page, pages, read_job, settle, start, take, take_all,
};
use crate::backend::MAX_ROWS_PER_SETTLEMENT;
use crate::{
    Access, Claimed, JobId, JobLimits, JobQueue, JobState, Jobs, NewTask, Rescue, Settlement, Store,
};

/// More than one transaction admits.
const MANY: usize = 5_000;
/// So many that something else is written between the parts.
const VERY_MANY: usize = 60_000;

fn links(count: usize) -> Vec<NewTask> {
    let links = 0..count;
    links
        .map(|link| page("a.test", &format!("link/{link}"), 1))
        .collect()
}

/// Starts a job with one page and claims it.
async fn claimed<S: Store>(store: &S, limits: JobLimits) -> (JobId, Claimed) {
    let job = start(store, crawl(pages("a.test", 1), limits)).await;
    (job, take_all(store, 1).await.remove(0))
}

/// Waits until the first part of a settlement is admitted. Where writers take turns, another write that is begun after the
/// settlement comes between its first two parts; elsewhere only the job tells.
async fn first_part_is_admitted<G: StoreFixture>(store: &G::Store, job: JobId) {
    if G::WRITERS_TAKE_TURNS {
        small_write(store).await;
    } else {
        while read_job(store, job).await.counts.queued == 0 {}
    }
}

/// A write that has nothing to do with the job.
async fn small_write<S: Store>(store: &S) {
    let host = HostKey::new("small.test");
    let written = store.pause_host(&host, Duration::ZERO).await;
    written.expect("a small write");
}

/// Between two parts, each waiting writer gets a turn.
pub async fn writers_take_turns_with_the_parts<G: StoreFixture>(fixture: &G) {
    if !G::WRITERS_TAKE_TURNS {
        return;
    }
    let store = fixture.open(fast()).await;
    let (_, task) = claimed(&store, JobLimits::default()).await;
    let is_settled = Cell::new(false);
    let settling = async {
        settle(&store, vec![done(&task, links(VERY_MANY))]).await;
        is_settled.set(true);
    };
    let writing = async || {
        let mut writes = 0;
        // Each is begun as soon as the previous one has ended, so it waits behind the next part, whatever the machine is doing.
        while !is_settled.get() {
            small_write(&store).await;
            writes += 1;
        }
        writes
    };
    let writing = join(join(writing(), writing()), writing());
    let ((), ((first, second), third)) = join(settling, writing).await;
    let parts = VERY_MANY / MAX_ROWS_PER_SETTLEMENT;
    for writes in [first, second, third] {
        assert!((parts - 1..=2 * parts).contains(&writes), "{writes} writes");
    }
}

/// Each is admitted once, and a limit is exact.
pub async fn very_many_links_are_admitted_once<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let limits = JobLimits {
        max_tasks: Some(MANY as u64 - 99),
        ..JobLimits::default()
    };
    for (limits, admitted, left_out) in [
        (JobLimits::default(), MANY as u64, 0),
        (limits, MANY as u64 - 100, 100),
    ] {
        let (job, task) = claimed(&store, limits).await;
        let found = [links(MANY), links(MANY / 2)].concat();
        let settled = settle(&store, vec![done(&task, found)]).await;
        assert_eq!(
            (settled.admitted, settled.kept),
            (admitted, vec![task.lease])
        );
        let current = read_job(&store, job).await;
        assert_eq!((current.counts.queued, current.counts.done), (admitted, 1));
        assert_eq!(current.left_out, left_out);
        let access = Access::AllOwners;
        store.cancel(&access, job).await.expect("cancelled");
    }
}

/// The nearest level is open, the others wait, and a page found nearer moves up, whichever part it is in.
pub async fn very_many_links_wait_for_their_level<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let limits = JobLimits {
        max_depth: Some(3),
        ..JobLimits::default()
    };
    let (_, task) = claimed(&store, limits).await;
    let deeper = (0..MANY).map(|link| page("a.test", &format!("link/{link}"), 2));
    let found = deeper.chain(links(10)).collect();
    let settled = settle(&store, vec![done(&task, found)]).await;
    assert_eq!(settled.admitted, MANY as u64);
    let next = take_all(&store, 10).await;
    assert!(next.iter().all(|task| task.depth == 1), "{next:?}");
}

/// A worker that loses its lease between two parts admits nothing more, and settles nothing.
pub async fn a_lease_lost_between_parts_admits_nothing_more<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    for is_cancelled in [true, false] {
        let job = start(&store, crawl(pages("a.test", 1), JobLimits::default())).await;
        let task = take(&store, 1, EXPIRED).await.remove(0);
        let settling = settle(&store, vec![done(&task, links(VERY_MANY))]);
        let taking = async {
            first_part_is_admitted::<G>(&store, job).await;
            if is_cancelled {
                let access = Access::AllOwners;
                store.cancel(&access, job).await.expect("cancelled");
                return;
            }
            // Where writers do not wait for one another, a rescue passes over a task that a part has locked.
            let rescue = async || store.rescue(Rescue::Expired).await.expect("a rescue");
            while rescue().await.requeued == 0 {
                assert!(!G::WRITERS_TAKE_TURNS, "no turn between two parts");
                assert_eq!(read_job(&store, job).await.counts.done, 0, "too late");
            }
        };
        let (settled, ()) = join(settling, taking).await;
        let leases = (settled.lost, settled.kept);
        assert_eq!(leases, (vec![task.lease], Vec::new()), "{is_cancelled}");
        let current = read_job(&store, job).await;
        assert_eq!(current.state == JobState::Cancelled, is_cancelled);
        assert_eq!(current.counts.done, 0);
        let (all, limit) = (current.counts.total(), VERY_MANY as u64);
        assert!(all < limit, "{is_cancelled}: {all}");
    }
}

/// A settlement that was interrupted between two parts can be repeated: no link is lost, and none is admitted twice.
pub async fn a_settlement_interrupted_between_parts_can_be_repeated<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let (job, task) = claimed(&store, JobLimits::default()).await;
    let batch: Vec<Settlement> = vec![done(&task, links(VERY_MANY))];
    {
        let settling = pin!(store.settle(batch.clone()));
        let waiting = pin!(first_part_is_admitted::<G>(&store, job));
        let first = select(settling, waiting).await;
        assert!(matches!(first, Either::Right(_)), "no part was seen");
    }
    let admitted = read_job(&store, job).await.counts.queued;
    assert!(admitted < VERY_MANY as u64, "{admitted}");
    assert_eq!(settle(&store, batch).await.kept, [task.lease]);
    let current = read_job(&store, job).await;
    let counts = (current.counts.queued, current.counts.done);
    assert_eq!(counts, (VERY_MANY as u64, 1));
}
