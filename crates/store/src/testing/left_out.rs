//! URLs that a job found but did not admit: each is counted once.

use std::time::Duration;

use crawler_model::Discovery;

use super::StoreFixture;
use super::builders::{
    EXPIRED, crawl, done, fast, page, pages, read_job, settle, settlement_of, start, take, take_all,
};
use crate::{
    JobId, JobLimits, JobQueue, JobState, JobStopReason, NewTask, Rescue, Settlement, Store,
    TaskOutcome, Upkeep,
};

fn limits(max_tasks: u64) -> JobLimits {
    JobLimits {
        max_tasks: Some(max_tasks),
        ..JobLimits::default()
    }
}

fn links(names: &[&str]) -> Vec<NewTask> {
    let link = |name: &&str| page("a.test", name, 1);
    names.iter().map(link).collect()
}

async fn left_out<S: Store>(store: &S, job: JobId) -> (u64, Option<&'static str>) {
    let job = read_job(store, job).await;
    (job.left_out, job.stop_reason.map(JobStopReason::as_str))
}

/// A URL is left out once, whichever pages it is on, and whichever worker finds it again after a crash.
pub async fn a_url_is_left_out_once<G: StoreFixture>(fixture: &G) {
    let (store, other) = (fixture.open(fast()).await, fixture.open(fast()).await);
    let job = start(&store, crawl(pages("a.test", 4), limits(4))).await;
    let max_pages = Some("max_pages");
    let late = take(&store, 1, EXPIRED).await;
    store.rescue(Rescue::Expired).await.expect("a rescue");
    let tasks = take_all(&store, 4).await;
    settle(&store, vec![done(&tasks[0], links(&["x", "y"]))]).await;
    assert_eq!(left_out(&store, job).await, (2, max_pages));
    settle(&other, vec![done(&tasks[1], links(&["y", "z"]))]).await;
    assert_eq!(left_out(&store, job).await, (3, max_pages));
    // The writes of a lost lease, and of one that was settled, are not counted.
    settle(&store, vec![done(&late[0], links(&["v"]))]).await;
    settle(&store, vec![done(&tasks[1], links(&["w"]))]).await;
    assert_eq!(left_out(&store, job).await, (3, max_pages));
    let mut found = links(&["x", "y", "z", "z", "0"]);
    let long = format!("https://a.test/{}", "l".repeat(NewTask::MAX_KEY_BYTES));
    let oversized = NewTask {
        final_url: long,
        ..page("a.test", "long", 1)
    };
    found.extend([oversized.clone(), oversized.clone()]);
    settle(&store, vec![done(&tasks[2], found)]).await;
    assert_eq!(left_out(&store, job).await, (4, max_pages));
    settle(&other, vec![done(&tasks[3], vec![oversized])]).await;
    assert_eq!(left_out(&store, job).await, (4, max_pages));
    // Another job has left out nothing yet.
    let next = start(&store, crawl(pages("a.test", 1), limits(1))).await;
    let tasks = take_all(&store, 1).await;
    settle(&store, vec![done(&tasks[0], links(&["x"]))]).await;
    assert_eq!(left_out(&store, next).await, (1, max_pages));
}

/// A redirect to a known page makes room for a URL that was left out before.
pub async fn a_url_that_is_admitted_later_is_not_left_out<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 3), limits(3))).await;
    let tasks = take_all(&store, 3).await;
    settle(&store, vec![done(&tasks[0], links(&["x"]))]).await;
    assert_eq!(left_out(&store, job).await.0, 1);
    let redirect: Settlement = settlement_of(
        &tasks[1],
        TaskOutcome::Skipped {
            reason: "redirected".to_owned(),
            detail: "redirects".to_owned(),
        },
        vec![NewTask {
            found: Discovery::Redirect,
            ..page("a.test", "0", 0)
        }],
    );
    settle(&store, vec![redirect]).await;
    settle(&store, vec![done(&tasks[2], links(&["x"]))]).await;
    assert_eq!(left_out(&store, job).await, (0, None));
    let last = take_all(&store, 1).await;
    settle(&store, vec![done(&last[0], Vec::new())]).await;
    let current = read_job(&store, job).await;
    assert_eq!(
        (current.state, current.counts.done),
        (JobState::Completed, 3)
    );
}

/// The hashes of left-out URLs are deleted with the job, in bounded steps, or by reconciling once the job has ended.
pub async fn hashes_of_left_out_urls_are_deleted_after_the_end<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    for (reconciled, expected) in [(false, 8), (true, 3)] {
        let job = start(&store, crawl(pages("a.test", 1), limits(1))).await;
        let tasks = take_all(&store, 1).await;
        let found = links(&["a", "b", "c", "d", "e"]);
        settle(&store, vec![done(&tasks[0], found)]).await;
        if reconciled {
            store.reconcile().await.expect("reconciled");
        }
        assert_eq!(left_out(&store, job).await.0, 5);
        let mut deleted = 0;
        loop {
            let step = store.prune(Duration::ZERO, 2).await.expect("pruned");
            assert!(step <= 2, "{step} at once");
            deleted += step;
            if step == 0 {
                break;
            }
        }
        assert_eq!(deleted, expected, "a document, a task, a job, five hashes");
    }
}
