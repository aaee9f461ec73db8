//! Redirects that lead back to themselves, whoever settles them and in whatever order.

use std::collections::{BTreeMap, BTreeSet};

use crawler_model::Discovery;

use super::StoreFixture;
use super::builders::{crawl, done, fast, page, read_job, settle, settlement_of, start, take_all};
use crate::{
    Access, Claimed, JobId, JobLimits, NewTask, Results, Settlement, Store, TaskOutcome, TaskState,
};

/// A page of the host that these rules use.
fn numbered(number: usize) -> NewTask {
    page("a.test", &number.to_string(), 0)
}

/// The settlement of a redirect to a page.
fn moved(task: &Claimed, to: usize) -> Settlement {
    let outcome = TaskOutcome::Skipped {
        reason: "redirected".to_owned(),
        detail: "redirects".to_owned(),
    };
    let target = NewTask {
        found: Discovery::Redirect,
        hops: task.hops + 1,
        ..numbered(to)
    };
    settlement_of(task, outcome, vec![target])
}

/// Reasons of the tasks of a job, by number.
async fn reasons<S: Store>(store: &S, job: JobId) -> BTreeMap<usize, String> {
    let tasks = store
        .tasks(&Access::AllOwners, job, None, 1_000, None)
        .await
        .expect("tasks");
    let tasks = tasks.entries.into_iter();
    tasks
        .map(|task| {
            let number = task.final_url.rsplit('/').next();
            let number = number.and_then(|number| number.parse().ok());
            let reason = task.reason.unwrap_or_default();
            (number.expect("a numbered page"), reason)
        })
        .collect()
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound.max(1)
    }
}

/// A redirect whose target was admitted before fails if the target's redirects lead back to it.
pub async fn a_redirect_that_closes_a_loop_fails<G: StoreFixture>(fixture: &G) {
    let store = fixture.open(fast()).await;
    let job = start(&store, crawl(vec![numbered(0)], JobLimits::default())).await;
    // 0 to 1 to 2 to 3 to 1, one after the other.
    for (to, closes) in [(1, false), (2, false), (3, false), (1, true)] {
        let task = take_all(&store, 1).await.remove(0);
        let settled = settle(&store, vec![moved(&task, to)]).await;
        let expected: Vec<_> = closes.then_some(task.lease).into_iter().collect();
        assert_eq!(settled.loops, expected, "{}", task.url);
        assert_eq!(settled.kept, [task.lease]);
    }
    let current = read_job(&store, job).await;
    assert!(current.state.is_final());
    assert_eq!((current.counts.skipped, current.counts.failed), (3, 1));
    let tasks = store
        .tasks(&Access::AllOwners, job, Some(TaskState::Failed), 10, None)
        .await;
    let failed = tasks.expect("tasks").entries.remove(0);
    assert_eq!(failed.final_url, numbered(3).final_url);
    assert_eq!(failed.reason.as_deref(), Some("too_many_redirects"));
    let error = format!("redirect loop back to {}", numbered(1).url);
    assert_eq!(failed.error, Some(error));
    let events = store
        .finished_since(&Access::AllOwners, job, 0, 10)
        .await
        .expect("events");
    assert_eq!(events.len(), 4);
}

/// Random sites of redirects, whose pages are settled by several workers in a random order and in batches of a random size:
/// one page of each loop fails, and no other.
pub async fn one_redirect_of_each_loop_fails<G: StoreFixture>(fixture: &G) {
    const PAGES: usize = 12;
    let store = fixture.open(fast()).await;
    let mut dice = Dice(15);
    let mut found = 0;
    for round in 0..20 {
        // A page without a target is fetched.
        let targets: Vec<Option<usize>> = (0..PAGES)
            .map(|_| (dice.below(4) > 0).then(|| dice.below(PAGES)))
            .collect();
        let seeds = (0..PAGES).map(numbered).collect();
        let job = start(&store, crawl(seeds, JobLimits::default())).await;
        let mut tasks = take_all(&store, PAGES).await;
        let number = |task: &Claimed| task.url.rsplit('/').next().and_then(|n| n.parse().ok());
        while !tasks.is_empty() {
            let count = 1 + dice.below(tasks.len().min(4));
            let batch = (0..count).map(|_| {
                let task = tasks.swap_remove(dice.below(tasks.len()));
                let target = number(&task).and_then(|number: usize| targets[number]);
                target.map_or_else(|| done(&task, Vec::new()), |to| moved(&task, to))
            });
            let batch = batch.collect();
            settle(&store, batch).await;
        }
        let reasons = reasons(&store, job).await;
        let closing = |page: &usize| reasons[page] == "too_many_redirects";
        let loops = loops(&targets);
        for pages in &loops {
            let failed = pages.iter().filter(|page| closing(page)).count();
            assert_eq!(
                failed, 1,
                "round {round}: {pages:?} of {targets:?}: {reasons:?}"
            );
        }
        let failed = (0..PAGES).filter(closing).count();
        assert_eq!(
            failed,
            loops.len(),
            "round {round}: {targets:?}: {reasons:?}"
        );
        found += loops.len();
    }
    assert!(found >= 10, "{found} loops");
}

/// The loops of a site.
fn loops(targets: &[Option<usize>]) -> BTreeSet<BTreeSet<usize>> {
    let chain = |page: usize| {
        let chain = std::iter::successors(targets[page], |at| targets[*at]);
        let chain: Vec<usize> = chain.take(targets.len()).collect();
        let end = chain.iter().position(|at| *at == page)?;
        Some(chain.into_iter().take(end + 1).collect())
    };
    (0..targets.len()).filter_map(chain).collect()
}
