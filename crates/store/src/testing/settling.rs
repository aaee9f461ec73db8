//! Settling: what is written together, what ends a job, and that writers do not block each other.

use std::collections::BTreeMap;

use crawler_model::HtmlMeta;
use futures_util::future::{join, join_all};

use super::StoreFixture;
use super::builders::{
    LEASE, crawl, done, failed, fast, page, pages, read_job, settle, skipped, start, take, take_all,
};
use crate::{
    Access, Claimed, JobLimits, JobQueue, JobState, Jobs, NewTask, Results, Settlement, StoreError,
    TaskOutcome,
};

/// A job with an id that exists leaves nothing behind.
pub async fn a_job_is_created_completely_or_not_at_all<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = crawl(pages("a.test", 2), JobLimits::default());
    store.create_job(job.clone()).await.expect("creating a job");
    let mut again = job.clone();
    again.seeds = pages("b.test", 5);
    assert!(matches!(
        store.create_job(again).await,
        Err(StoreError::Conflict(_))
    ));
    let current = read_job(&store, job.id).await;
    assert_eq!((current.counts.queued, current.params), (2, job.params));
    assert_eq!(take(&store, 10, LEASE).await.len(), 2);
}

/// Seeds, links and redirects: one task per job and key, however often it is found.
pub async fn a_key_is_admitted_once<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let twice = [pages("a.test", 2), pages("a.test", 2)].concat();
    let job = start(&store, crawl(twice.clone(), JobLimits::default())).await;
    let other = start(&store, crawl(twice, JobLimits::default())).await;
    assert_eq!(read_job(&store, job).await.counts.queued, 2);
    assert_eq!(
        read_job(&store, other).await.counts.queued,
        2,
        "another job has its own"
    );
    let tasks = take_all(&store, 4).await;
    let found = vec![
        page("a.test", "0", 1),
        page("a.test", "new", 1),
        page("a.test", "new", 1),
    ];
    let batch: Vec<Settlement> = tasks.iter().map(|task| done(task, found.clone())).collect();
    assert_eq!(settle(&store, batch).await.admitted, 2);
    assert_eq!(read_job(&store, job).await.counts.total(), 3);
}

/// How a task ends.
type Ending = fn(&Claimed) -> Settlement;

/// The rule of the final state, for every combination of outcomes.
pub async fn the_state_follows_from_the_tasks<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let good = |task: &Claimed| done(task, Vec::new());
    let endings: [(Ending, Ending, JobState); 5] = [
        (good, good, JobState::Completed),
        (good, skipped, JobState::Completed),
        (good, failed, JobState::CompletedWithErrors),
        (failed, skipped, JobState::Failed),
        (skipped, skipped, JobState::Failed),
    ];
    for (first, second, state) in endings {
        let job = start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
        let tasks = take_all(&store, 2).await;
        settle(&store, vec![first(&tasks[0])]).await;
        assert_eq!(read_job(&store, job).await.state, JobState::Running);
        settle(&store, vec![second(&tasks[1])]).await;
        let current = read_job(&store, job).await;
        assert_eq!(current.state, state);
        assert_eq!(
            current.error.is_some(),
            state == JobState::Failed,
            "{:?}",
            current.error
        );
    }
}

/// Two workers finish the last two tasks at the same time, and each might see the other's as unfinished.
pub async fn the_last_two_tasks_always_end_the_job<G: StoreFixture>(fixture: &G) {
    let (left, right) = (fixture.open(fast()).await, fixture.open(fast()).await);
    for round in 0..100 {
        let job = start(&left, crawl(pages("a.test", 2), JobLimits::default())).await;
        let tasks = take_all(&left, 2).await;
        let (one, two) = join(
            left.settle(vec![done(&tasks[0], Vec::new())]),
            right.settle(vec![done(&tasks[1], Vec::new())]),
        )
        .await;
        one.expect("a settlement");
        two.expect("a settlement");
        assert_eq!(
            read_job(&left, job).await.state,
            JobState::Completed,
            "round {round}"
        );
    }
}

/// Four workers with pages that all link to each other, in one job and in two.
pub async fn pages_that_link_to_each_other_do_not_deadlock<G: StoreFixture>(fixture: &G) {
    let first = fixture.open(fast()).await;
    let everything: Vec<NewTask> = (0..400)
        .map(|number| page("a.test", &number.to_string(), 1))
        .collect();
    let jobs = [
        start(&first, crawl(pages("a.test", 40), JobLimits::default())).await,
        start(&first, crawl(pages("a.test", 40), JobLimits::default())).await,
    ];
    let stores = [
        first,
        fixture.open(fast()).await,
        fixture.open(fast()).await,
        fixture.open(fast()).await,
    ];
    let workers = stores.iter().enumerate().map(|(index, store)| {
        let everything = &everything;
        async move {
            let mut empty = 0;
            while empty < 20 {
                let tasks = take(store, 20, LEASE).await;
                empty = if tasks.is_empty() { empty + 1 } else { 0 };
                let found = |task: &Claimed| {
                    let mut found = everything.clone();
                    found.rotate_left(
                        (index * 97 + usize::try_from(task.lease.task.0).unwrap_or(0)) % 400,
                    );
                    found
                };
                let batch: Vec<Settlement> =
                    tasks.iter().map(|task| done(task, found(task))).collect();
                let kept = settle(store, batch).await.kept.len();
                assert_eq!(kept, tasks.len());
            }
        }
    });
    join_all(workers).await;
    loop {
        let tasks = take(&stores[0], 100, LEASE).await;
        if tasks.is_empty() {
            break;
        }
        settle(
            &stores[0],
            tasks.iter().map(|task| done(task, Vec::new())).collect(),
        )
        .await;
    }
    for job in jobs {
        let current = read_job(&stores[0], job).await;
        assert_eq!(
            (current.counts.done, current.documents, current.state),
            (400, 400, JobState::Completed)
        );
    }
}

/// Two tasks with the same final URL give one document.
pub async fn one_document_per_final_url<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    let tasks = take_all(&store, 2).await;
    for task in &tasks {
        let mut settlement = done(task, Vec::new());
        if let TaskOutcome::Done {
            document: Some(document),
            ..
        } = &mut settlement.outcome
        {
            "https://a.test/same".clone_into(&mut document.final_url);
        }
        settle(&store, vec![settlement]).await;
    }
    let current = read_job(&store, job).await;
    assert_eq!((current.counts.done, current.documents), (2, 1));
}

/// NUL characters, quotes, unpaired escapes and overlong URLs affect only their own page.
pub async fn odd_text_does_not_fail_its_batch<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    let tasks = take_all(&store, 2).await;
    let endless = page("a.test", &"0123456789".repeat(2_000), 1);
    let quoted = page("a.test", "it's \"quoted\" \\ {1,2} NULL \u{1f600}", 1);
    let mut odd = done(&tasks[0], vec![endless, quoted.clone()]);
    if let TaskOutcome::Done {
        document: Some(document),
        ..
    } = &mut odd.outcome
    {
        document.title = Some("a\0title".to_owned());
        document.content_md = Some("\0\"\\ \u{1f600} {}".to_owned());
        let mut page = HtmlMeta::default();
        page.keywords = vec!["\0".to_owned(), "\u{2028}".to_owned()];
        page.hreflang = BTreeMap::from([("it's".to_owned(), "\\u0000".to_owned())]);
        page.open_graph = BTreeMap::from([("og:nul\0".to_owned(), "\0".to_owned())]);
        document.meta.page = Some(Box::new(page));
    }
    let settled = settle(&store, vec![odd, done(&tasks[1], Vec::new())]).await;
    assert_eq!((settled.kept.len(), settled.admitted), (2, 1));
    let task = take_all(&store, 1).await.remove(0);
    assert_eq!(task.final_url, quoted.final_url);
    let documents = store
        .documents(&Access::AllOwners, job, 10, None)
        .await
        .expect("documents")
        .entries;
    assert_eq!(documents.len(), 2);
    assert!(
        documents[0]
            .title
            .as_deref()
            .is_some_and(|title| title.ends_with("title"))
    );
    assert_eq!(documents[0].meta["hreflang"]["it's"], "\\u0000");
    assert_eq!(read_job(&store, job).await.left_out, 1);
}
