//! Measures how long a small write waits while very many rows are written.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crawler_weburl::HostKey;
use futures_util::future::join;

use super::builders::{LEASE, crawl, done, page, pages};
use crate::{JobLimits, NewTask, Store, StoreResult, WorkerId};

/// Length of a long URL: one of more than 2,048 bytes is not admitted.
const LONG: usize = 1_900;

/// The longest time that a small write waited, ...
#[derive(Clone, Copy, Debug)]
pub struct WriteWaits {
    /// ... while a job with many seeds was created, ...
    pub batch: Duration,
    /// ... and while a task was settled with the URLs of a sitemap.
    pub sitemap: Duration,
}

/// Creates a job with so many seeds, and settles a task that found so many URLs.
pub async fn write_waits<S: Store>(
    store: &S,
    seeds: usize,
    listed: usize,
) -> StoreResult<WriteWaits> {
    let job = crawl(pages("batch.test", seeds), JobLimits::default());
    let batch = longest_wait(store, async { store.create_job(job).await.map(|_| ()) }).await?;
    let found = (0..listed).map(|at| page("sitemap.test", &format!("listed/page/{at}"), 1));
    let sitemap = settling_wait(store, found.collect()).await?;
    Ok(WriteWaits { batch, sitemap })
}

/// The longest time that a small write waited while a task was settled that found so many long URLs.
pub async fn long_urls_wait<S: Store>(store: &S, found: usize) -> StoreResult<Duration> {
    let path = "l".repeat(LONG);
    let found = (0..found).map(|at| NewTask {
        via: Some(format!("https://long.test/{path}")),
        ..page("long.test", &format!("{path}/{at}"), 1)
    });
    settling_wait(store, found.collect()).await
}

/// Settles the next task of the store, which found these.
async fn settling_wait<S: Store>(store: &S, found: Vec<NewTask>) -> StoreResult<Duration> {
    let worker = WorkerId::fresh();
    let task = store.claim(&worker, 1, LEASE).await?.remove(0);
    let settlement = done(&task, found);
    let settling = async { store.settle(vec![settlement]).await.map(|_| ()) };
    longest_wait(store, settling).await
}

/// The longest that a small write took while this work was done.
async fn longest_wait<S: Store>(
    store: &S,
    work: impl Future<Output = StoreResult<()>>,
) -> StoreResult<Duration> {
    let is_done = Cell::new(false);
    let working = async {
        let result = work.await;
        is_done.set(true);
        result
    };
    let host = HostKey::new("small.test");
    let writing = async {
        let mut longest = Duration::ZERO;
        while !is_done.get() {
            let started = Instant::now();
            store.pause_host(&host, Duration::ZERO).await?;
            longest = longest.max(started.elapsed());
        }
        Ok(longest)
    };
    let (worked, longest) = join(working, writing).await;
    worked?;
    longest
}
