//! Measures how fast a store serves one job at one host, without fetching anything: claims and settlements at the same time.

use std::time::Instant;

use futures_util::future::join;

use super::builders::{LEASE, crawl, done, page};
use crate::{Claimed, JobLimits, NewTask, Settlement, Store, TaskOutcome, WorkerId};

/// Maximum number of tasks of a claim.
const CLAIM: usize = 128;
/// Number of links on each page.
const LINKS: usize = 10;
/// Bytes of each document's content.
const CONTENT: usize = 3_000;

/// The settlement of a page of a site that is a tree with a link back to its start on each page.
fn settlement(task: &Claimed, pages: usize) -> Settlement {
    let number: usize = task
        .url
        .rsplit('/')
        .next()
        .map_or(0, |name| name.parse().unwrap_or(0));
    let found = (1..=LINKS).map(|link| number * LINKS + link);
    let found = found.filter(|number| *number < pages);
    let found: Vec<NewTask> = found
        .map(|number| page("site.test", &number.to_string(), task.depth + 1))
        .collect();
    let mut settlement = done(task, found);
    if let TaskOutcome::Done {
        document: Some(document),
        ..
    } = &mut settlement.outcome
    {
        let text = format!("The quick brown fox jumps over the lazy dog {number}. ");
        let text = text.repeat(CONTENT / text.len());
        document.content_raw = Some(text.clone());
        document.content_md = Some(text);
    }
    settlement
}

/// Crawls a site with so many pages, settling at most `batch` of them at once; returns pages per second.
pub async fn one_job<S: Store>(store: &S, pages: usize, batch: usize) -> f64 {
    let limits = JobLimits {
        max_depth: Some(20),
        ..JobLimits::default()
    };
    let job = crawl(vec![page("site.test", "0", 0)], limits);
    store.create_job(job).await.expect("creating a job");
    let worker = WorkerId::fresh();
    let started = Instant::now();
    let (mut held, mut finished): (Vec<Claimed>, usize) = (Vec::new(), 0);
    while finished < pages {
        let next: Vec<Claimed> = held.drain(..batch.min(held.len())).collect();
        let settlements = next.iter().map(|task| settlement(task, pages)).collect();
        let settling = async {
            if !next.is_empty() {
                store.settle(settlements).await.expect("a settlement");
            }
        };
        let wanted = (2 * CLAIM).saturating_sub(held.len()).min(CLAIM);
        let claiming = store.claim(&worker, wanted, LEASE);
        let (claimed, ()) = join(claiming, settling).await;
        held.extend(claimed.expect("a claim"));
        finished += next.len();
    }
    pages as f64 / started.elapsed().as_secs_f64()
}
