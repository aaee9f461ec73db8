//! Settlements of tasks that found very many URLs: most of these are admitted before, in parts.

use std::pin::pin;

use futures_util::future::{Either, join, select};

use super::StoreFixture;
use super::builders::{
    EXPIRED, crawl, done, fast, page, pages, read_job, settle, start, take, take_all,
};
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

/// Waits until tasks of the job are queued.
async fn parts_are_admitted<S: Store>(store: &S, job: JobId) {
    while read_job(store, job).await.counts.queued == 0 {}
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
            parts_are_admitted(&store, job).await;
            if is_cancelled {
                let access = Access::AllOwners;
                store.cancel(&access, job).await.expect("cancelled");
                return true;
            }
            // A rescue passes over a task that a part has locked. With one writer, it may get its turn after the last part.
            while store
                .rescue(Rescue::Expired)
                .await
                .expect("a rescue")
                .requeued
                == 0
            {
                if read_job(&store, job).await.counts.done > 0 {
                    return false;
                }
            }
            true
        };
        let (settled, is_lost) = join(settling, taking).await;
        if !is_lost {
            assert_eq!(settled.kept, [task.lease]);
            continue;
        }
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
        let waiting = pin!(parts_are_admitted(&store, job));
        if let Either::Left((settled, _)) = select(settling, waiting).await {
            // With one writer, a reader may see nothing of it before its end.
            assert_eq!(settled.expect("settled").kept, [task.lease]);
            return;
        }
    }
    let admitted = read_job(&store, job).await.counts.queued;
    assert!(admitted < VERY_MANY as u64, "{admitted}");
    assert_eq!(settle(&store, batch).await.kept, [task.lease]);
    let current = read_job(&store, job).await;
    let counts = (current.counts.queued, current.counts.done);
    assert_eq!(counts, (VERY_MANY as u64, 1));
}
