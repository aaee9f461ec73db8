//! Lists, exports, events.

use futures_util::TryStreamExt;
use futures_util::future::join_all;

use super::StoreFixture;
use super::builders::{crawl, done, fast, page, pages, settle, settlement_of, start, take_all};
use crate::{
    Access, Cursor, JobFilter, JobId, JobKind, JobLimits, JobState, Jobs, NewMappedUrl, Results,
    Store, StoreError, TaskOutcome, TaskState, documents_of, mapped_of,
};

/// A job with this many documents and ten times as many mapped URLs.
async fn finished<S: Store>(store: &S, count: usize) -> JobId {
    let job = start(store, crawl(pages("a.test", count), JobLimits::default())).await;
    let tasks = take_all(store, count).await;
    let batch = tasks
        .iter()
        .map(|task| {
            let mut settlement = done(task, Vec::new());
            if let TaskOutcome::Done { mapped, .. } = &mut settlement.outcome {
                *mapped = (0..10)
                    .map(|number| NewMappedUrl {
                        source_url: task.url.clone(),
                        target_url: format!("https://a.test/target/{number}"),
                        depth: 1,
                    })
                    .collect();
            }
            settlement
        })
        .collect();
    settle(store, batch).await;
    job
}

/// Each page begins where the previous one ended, and the last one has no cursor.
pub async fn lists_are_paginated<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    finished(&store, 3).await;
    let job = finished(&store, 7).await;
    let (mut documents, mut mapped, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
    let mut cursor = None;
    loop {
        let part = store
            .documents(&Access::AllOwners, job, 3, cursor)
            .await
            .expect("documents");
        assert!(part.entries.len() <= 3);
        documents.extend(part.entries);
        cursor = part.next;
        if cursor.is_none() {
            break;
        }
    }
    loop {
        let part = store
            .mapped(&Access::AllOwners, job, 32, cursor)
            .await
            .expect("mapped");
        mapped.extend(part.entries);
        cursor = part.next;
        if cursor.is_none() {
            break;
        }
    }
    loop {
        let part = store
            .tasks(&Access::AllOwners, job, Some(TaskState::Done), 2, cursor)
            .await
            .expect("tasks");
        tasks.extend(part.entries);
        cursor = part.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((documents.len(), mapped.len(), tasks.len()), (7, 70, 7));
    assert!(documents.windows(2).all(|two| two[0].id < two[1].id));
    assert!(tasks.windows(2).all(|two| two[0].id < two[1].id));
    assert_eq!(documents[0].meta["status_code"], 200);
    assert_eq!(documents[0].title.as_deref(), Some("a title"));
    assert!(documents[0].created_at.0 > 1_700_000_000_000);
    let none = store
        .tasks(&Access::AllOwners, job, Some(TaskState::Failed), 2, None)
        .await
        .expect("tasks");
    assert!(none.entries.is_empty() && none.next.is_none());
    let seen = store
        .job(&Access::AllOwners, job)
        .await
        .expect("a read")
        .expect("the job");
    assert_eq!((seen.documents, seen.mapped_urls, seen.bytes), (7, 70, 700));
}

/// By state, by kind, and in pages.
pub async fn jobs_are_listed_newest_first<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let ended = finished(&store, 1).await;
    let mut map = crawl(pages("b.test", 1), JobLimits::default());
    map.kind = JobKind::Map;
    let map = start(&store, map).await;
    let last = start(&store, crawl(pages("c.test", 1), JobLimits::default())).await;
    let part = store
        .jobs(&Access::AllOwners, JobFilter::default(), 2, None)
        .await
        .expect("jobs");
    let names: Vec<JobId> = part.entries.iter().map(|job| job.id).collect();
    assert_eq!(names, [last, map]);
    let rest = store
        .jobs(&Access::AllOwners, JobFilter::default(), 2, part.next)
        .await
        .expect("jobs");
    assert_eq!((rest.entries[0].id, rest.next), (ended, None));
    let filter = JobFilter {
        state: Some(JobState::Completed),
        kind: None,
    };
    let part = store
        .jobs(&Access::AllOwners, filter, 10, None)
        .await
        .expect("jobs");
    assert_eq!((part.entries.len(), part.entries[0].id), (1, ended));
    let filter = JobFilter {
        state: Some(JobState::Queued),
        kind: Some(JobKind::Map),
    };
    let part = store
        .jobs(&Access::AllOwners, filter, 10, None)
        .await
        .expect("jobs");
    assert_eq!((part.entries.len(), part.entries[0].id), (1, map));
    assert!(
        store
            .job(&Access::AllOwners, JobId::fresh())
            .await
            .expect("a read")
            .is_none()
    );
}

/// A cursor comes from a client, so an invalid one is the caller's mistake.
pub async fn an_invalid_cursor_is_refused<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = JobId::fresh();
    for text in ["", "x", "1; DROP TABLE jobs", "99999999999999999999999"] {
        let cursor = || Some(Cursor::new(text));
        assert!(
            matches!(
                store.documents(&Access::AllOwners, job, 1, cursor()).await,
                Err(StoreError::Conflict(_))
            ),
            "{text}"
        );
        assert!(
            matches!(
                store.mapped(&Access::AllOwners, job, 1, cursor()).await,
                Err(StoreError::Conflict(_))
            ),
            "{text}"
        );
        assert!(
            matches!(
                store
                    .tasks(&Access::AllOwners, job, None, 1, cursor())
                    .await,
                Err(StoreError::Conflict(_))
            ),
            "{text}"
        );
        let jobs = store
            .jobs(&Access::AllOwners, JobFilter::default(), 1, cursor())
            .await;
        assert!(matches!(jobs, Err(StoreError::Conflict(_))), "{text}");
    }
}

/// With more than one page of each.
pub async fn an_export_is_complete<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = finished(&store, 120).await;
    let documents: Vec<_> = documents_of(&store, &Access::AllOwners, job)
        .try_collect()
        .await
        .expect("documents");
    let mapped: Vec<_> = mapped_of(&store, &Access::AllOwners, job)
        .try_collect()
        .await
        .expect("mapped");
    assert_eq!((documents.len(), mapped.len()), (120, 1_200));
    let nothing: Vec<_> = documents_of(&store, &Access::AllOwners, JobId::fresh())
        .try_collect()
        .await
        .expect("documents");
    assert!(nothing.is_empty());
}

/// Two workers settle while a reader follows: every task is reported once, in order, from any position.
pub async fn events_have_no_gaps<G: StoreFixture>(fixture: &G) {
    let first = fixture.open(fast()).await;
    let job = start(&first, crawl(pages("a.test", 60), JobLimits::default())).await;
    let stores = [first, fixture.open(fast()).await];
    let tasks = take_all(&stores[0], 60).await;
    let (left, right) = tasks.split_at(30);
    let settling = stores
        .iter()
        .zip([left, right])
        .map(|(store, mine)| async move {
            for task in mine {
                let found = vec![page("a.test", &format!("again/{}", task.lease.task.0), 1)];
                settle(store, vec![done(task, found)]).await;
            }
        });
    let reader = async {
        let mut seen = Vec::new();
        while seen.len() < 60 {
            let from = seen.len();
            let events = stores[0]
                .finished_since(&Access::AllOwners, job, i64::try_from(from).unwrap_or(0), 7)
                .await
                .expect("events");
            for event in events {
                seen.push(event.sequence);
                assert_eq!(
                    event.sequence,
                    i64::try_from(seen.len()).unwrap_or(0),
                    "an event is missing"
                );
                assert_eq!(event.task.state, TaskState::Done);
            }
        }
    };
    futures_util::future::join(join_all(settling), reader).await;
    let again = take_all(&stores[0], 60).await;
    let reason = TaskOutcome::Skipped {
        reason: "robots".to_owned(),
        detail: "blocked".to_owned(),
    };
    settle(
        &stores[0],
        vec![settlement_of(&again[0], reason, Vec::new())],
    )
    .await;
    stores[0]
        .cancel(&Access::AllOwners, job)
        .await
        .expect("a cancel");
    let events = stores[0]
        .finished_since(&Access::AllOwners, job, 60, 100)
        .await
        .expect("events");
    let numbers: Vec<i64> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(
        numbers,
        (61..=120).collect::<Vec<i64>>(),
        "cancelled tasks are events too"
    );
}
