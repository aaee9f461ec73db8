//! URLs that are refused as crawler traps: a job counts and lists them.

use crawler_model::RefuseReason;

use super::StoreFixture;
use super::builders::{crawl, done, fast, page, pages, read_job, settle, start, take_all};
use crate::{
    Access, JobId, JobLimits, JobState, NewTask, RefusedCounts, RefusedUrl, Results, Settlement,
    Store, StoredTask, TaskOutcome, TaskState,
};

fn refused(names: &[&str], reason: RefuseReason) -> Vec<RefusedUrl> {
    let refused = |name: &&str| RefusedUrl {
        task: page("a.test", name, 1),
        reason,
    };
    names.iter().map(refused).collect()
}

async fn traps<S: Store>(store: &S, job: JobId) -> Vec<(String, u64)> {
    let refused = read_job(store, job).await.refused;
    let owned = refused.traps();
    owned
        .map(|(reason, count)| (reason.to_owned(), count))
        .collect()
}

async fn skipped<S: Store>(store: &S, job: JobId) -> Vec<StoredTask> {
    let listed = store.tasks(
        &Access::AllOwners,
        job,
        Some(TaskState::Skipped),
        1_000,
        None,
    );
    listed.await.expect("tasks").entries
}

/// They are skipped tasks with a reason, each once, and do not count toward the limit of pages.
pub async fn refused_urls_are_skipped_tasks<G: StoreFixture>(fixture: &G) {
    let (store, other) = (fixture.open(fast()).await, fixture.open(fast()).await);
    let limits = JobLimits {
        max_tasks: Some(3),
        ..JobLimits::default()
    };
    let job = start(&store, crawl(pages("a.test", 2), limits)).await;
    let tasks = take_all(&store, 2).await;
    let first = Settlement {
        refused: refused(&["x", "y", "y", "0"], RefuseReason::TrapCalendar),
        ..done(&tasks[0], Vec::new())
    };
    settle(&store, vec![first.clone()]).await;
    assert_eq!(traps(&store, job).await, [("trap_calendar".to_owned(), 2)]);
    // A settlement that is lost writes nothing.
    settle(&store, vec![first]).await;
    let again = Settlement {
        refused: refused(&["y", "z"], RefuseReason::TrapQuery),
        ..done(&tasks[1], vec![page("a.test", "new", 1)])
    };
    settle(&other, vec![again]).await;
    let expected = [
        ("trap_calendar".to_owned(), 2),
        ("trap_query".to_owned(), 1),
    ];
    assert_eq!(traps(&store, job).await, expected);
    let last = take_all(&store, 1).await;
    let trap = TaskOutcome::Skipped {
        reason: "trap_query".to_owned(),
        detail: "not followed".to_owned(),
    };
    let last = Settlement {
        outcome: trap,
        ..done(&last[0], Vec::new())
    };
    settle(&store, vec![last]).await;
    let ended = read_job(&store, job).await;
    assert_eq!(
        (ended.state, ended.stop_reason, ended.left_out),
        (JobState::Completed, None, 0)
    );
    assert_eq!((ended.counts.done, ended.counts.skipped), (2, 4));
    assert_eq!(
        ended.refused.get("trap_query"),
        2,
        "also one that was claimed"
    );
    let listed = skipped(&store, job).await;
    let listed: Vec<(&str, Option<&str>)> = listed
        .iter()
        .map(|task| (&*task.url, task.reason.as_deref()))
        .collect();
    for (name, reason) in [
        ("x", "trap_calendar"),
        ("y", "trap_calendar"),
        ("z", "trap_query"),
    ] {
        let url = format!("https://a.test/{name}");
        assert!(listed.contains(&(&*url, Some(reason))), "{url} {listed:?}");
    }
    let finished = store
        .finished_since(&Access::AllOwners, job, 0, 100)
        .await
        .expect("events");
    let sequences: Vec<i64> = finished.iter().map(|task| task.sequence).collect();
    assert_eq!(sequences, [1, 2, 3, 4, 5, 6], "an event for each");
}

/// A URL that is refused where it is nearer stays at the depth at which it was admitted.
pub async fn a_refused_url_moves_no_task<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let limits = JobLimits {
        max_depth: Some(3),
        ..JobLimits::default()
    };
    let job = start(&store, crawl(pages("a.test", 1), limits)).await;
    let seed = take_all(&store, 1).await;
    let links = vec![page("a.test", "a", 1), page("a.test", "b", 1)];
    settle(&store, vec![done(&seed[0], links)]).await;
    let tasks = take_all(&store, 2).await;
    // It waits for the other page of the first level.
    settle(&store, vec![done(&tasks[0], vec![page("a.test", "x", 2)])]).await;
    let refusing = Settlement {
        refused: refused(&["x", "y"], RefuseReason::TooDeep),
        ..done(&tasks[1], Vec::new())
    };
    settle(&store, vec![refusing]).await;
    let read = read_job(&store, job).await;
    assert_eq!(read.refused.get("too_deep"), 1, "only the new one counts");
    let found = take_all(&store, 1).await;
    assert_eq!((&*found[0].url, found[0].depth), ("https://a.test/x", 2));
}

/// What another page links to is fetched, whatever was refused before.
pub async fn a_refused_url_is_admitted_when_another_page_leads_to_it<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    let tasks = take_all(&store, 2).await;
    let refusing = Settlement {
        refused: refused(&["x", "y"], RefuseReason::TrapCalendar),
        ..done(&tasks[0], Vec::new())
    };
    settle(&store, vec![refusing]).await;
    settle(&store, vec![done(&tasks[1], vec![page("a.test", "x", 1)])]).await;
    assert_eq!(traps(&store, job).await, [("trap_calendar".to_owned(), 1)]);
    let found = take_all(&store, 1).await;
    assert_eq!(found[0].url, "https://a.test/x");
    settle(&store, vec![done(&found[0], Vec::new())]).await;
    let ended = read_job(&store, job).await;
    assert_eq!(ended.state, JobState::Completed);
    assert_eq!((ended.counts.done, ended.counts.skipped), (3, 1));
}

/// A trap may have any number of links; the job stores some and counts the others, each once. A URL that is too long to be stored is left out.
pub async fn at_most_so_many_refused_urls_are_stored<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 2), JobLimits::default())).await;
    let tasks = take_all(&store, 2).await;
    for (at, task) in tasks.iter().enumerate() {
        let names: Vec<String> = (0..700).map(|number| format!("{at}-{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut many = refused(&names, RefuseReason::TrapSession);
        many.extend(refused(&["p"], RefuseReason::TrapPath));
        let mut long = refused(&["long"], RefuseReason::TooLong);
        long[0].task.final_url = "l".repeat(NewTask::MAX_KEY_BYTES + 1);
        many.append(&mut long);
        // Without its query it is short enough for a key.
        let mut long = refused(&["query"], RefuseReason::TooLong);
        long[0].task.url = format!(
            "https://a.test/query?{}",
            "q".repeat(NewTask::MAX_KEY_BYTES)
        );
        many.append(&mut long);
        let settlement = Settlement {
            refused: many,
            ..done(task, Vec::new())
        };
        settle(&store, vec![settlement]).await;
    }
    let expected = [
        ("trap_path".to_owned(), 1),
        ("trap_session".to_owned(), 1_400),
    ];
    assert_eq!(traps(&store, job).await, expected);
    let ended = read_job(&store, job).await;
    assert_eq!(
        (ended.counts.skipped, ended.left_out),
        (RefusedCounts::MAX_LISTED + 1, 2)
    );
}

/// A refused URL that is not listed is counted once, for its last reason, and not any more when it is admitted.
pub async fn refused_urls_that_are_not_stored_are_counted_once<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(pages("a.test", 5), JobLimits::default())).await;
    let tasks = take_all(&store, 5).await;
    let names = |range: std::ops::Range<usize>| -> Vec<String> {
        range.map(|number| format!("n{number}")).collect()
    };
    let refusing = |range, reason| {
        let names = names(range);
        refused(
            &names.iter().map(String::as_str).collect::<Vec<_>>(),
            reason,
        )
    };
    let rounds = [
        // 1,000 are listed, 200 are counted.
        (refusing(0..1_200, RefuseReason::TrapQuery), 1_200, 0),
        // Known pages, listed URLs and counted ones again, and one hundred more.
        (refusing(900..1_300, RefuseReason::TrapQuery), 1_300, 0),
        // Some of them are found to be too deep: 50 that are listed, and 150 that were counted.
        (refusing(950..1_150, RefuseReason::TooDeep), 1_150, 150),
    ];
    for (task, (mut refused_urls, queries, too_deep)) in tasks.iter().zip(rounds) {
        refused_urls.extend(refused(&["0", "1"], refused_urls[0].reason));
        let settlement = Settlement {
            refused: refused_urls,
            ..done(task, Vec::new())
        };
        settle(&store, vec![settlement]).await;
        let counts = read_job(&store, job).await.refused;
        let counted = (counts.get("trap_query"), counts.too_deep());
        assert_eq!(counted, (queries, too_deep));
    }
    // One of each kind is admitted: listed, counted as a trap, too deep.
    let found = vec![
        page("a.test", "n0", 1),
        page("a.test", "n1299", 1),
        page("a.test", "n1000", 1),
    ];
    settle(&store, vec![done(&tasks[3], found)]).await;
    let current = read_job(&store, job).await;
    assert_eq!(current.refused.get("trap_query"), 1_148);
    assert_eq!((current.refused.too_deep(), current.left_out), (149, 0));
    assert_eq!(current.counts.skipped, RefusedCounts::MAX_LISTED - 1);
}
