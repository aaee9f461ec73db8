//! Measures how long a small write waits while very many rows are written.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crawler_weburl::HostKey;
use futures_util::future::join;

use super::builders::{LEASE, crawl, done, page, pages};
use crate::{JobLimits, Store, StoreResult, WorkerId};

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
    let worker = WorkerId::fresh();
    let task = store.claim(&worker, 1, LEASE).await?.remove(0);
    let found = (0..listed).map(|at| page("sitemap.test", &format!("listed/page/{at}"), 1));
    let settlement = done(&task, found.collect());
    let settling = async { store.settle(vec![settlement]).await.map(|_| ()) };
    let sitemap = longest_wait(store, settling).await?;
    Ok(WriteWaits { batch, sitemap })
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
