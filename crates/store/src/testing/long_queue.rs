//! Measures claims from a long queue of many jobs and owners. A store fills itself with the tasks, in its own SQL.

use std::time::{Duration, Instant};

use super::builders::{LEASE, crawl, done, owner, page, pages};
use crate::{JobLimits, NewJob, Settlement, Store, StoreResult, WorkerId};

/// Number of jobs that are created by the store; a store copies them if there are to be more.
pub const JOBS: usize = 1_000;
/// The number of owners.
pub const OWNERS: usize = 100;
const ROUNDS: usize = 200;
const CLAIM: usize = 50;

/// Creates the jobs, each with one task.
pub async fn create_jobs<S: Store>(store: &S) -> StoreResult<()> {
    for number in 0..JOBS {
        let seeds = pages(&format!("host{}.test", number % 2_000), 1);
        let job = NewJob {
            owner: owner(&format!("owner{}", number % OWNERS)),
            ..crawl(seeds, JobLimits::default())
        };
        store.create_job(job).await?;
    }
    Ok(())
}

/// The middle one, the one that 99% are not above, and the longest.
fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: usize| times.get(times.len().saturating_sub(1) * share / 100);
    let millis = |share| at(share).copied().unwrap_or_default().as_secs_f64() * 1_000.0;
    format!(
        "median {:.1} ms, p99 {:.1} ms, worst {:.1} ms",
        millis(50),
        millis(99),
        millis(100)
    )
}

/// Claims fifty tasks and settles them with ten new links each, in turns; returns the times as text.
pub async fn claim_and_settle<S: Store>(store: &S) -> StoreResult<String> {
    let worker = WorkerId::fresh();
    let (mut claims, mut settlements) = (Vec::new(), Vec::new());
    let total = Instant::now();
    for round in 0..ROUNDS {
        let started = Instant::now();
        let tasks = store.claim(&worker, CLAIM, LEASE).await?;
        claims.push(started.elapsed());
        assert_eq!(tasks.len(), CLAIM, "a full claim");
        let batch: Vec<Settlement> = tasks
            .iter()
            .enumerate()
            .map(|(index, task)| {
                let found =
                    (0..10).map(|link| page("new.test", &format!("{round}/{index}/{link}"), 2));
                done(task, found.collect())
            })
            .collect();
        let started = Instant::now();
        store.settle(batch).await?;
        settlements.push(started.elapsed());
    }
    let rate = (ROUNDS * CLAIM) as f64 / total.elapsed().as_secs_f64();
    Ok(format!(
        "claim of {CLAIM}: {}\nsettlement with ten new links for each task: {}\nrate of one connection, in tasks per second: {rate:.0}\n",
        percentiles(claims),
        percentiles(settlements)
    ))
}
