//! Connects the parts of a crawl, for [`Crawl`](crate::Crawl) and for the command line.
//!
//! This module may change in any release; the rest of the crate follows semantic versioning.

#[cfg_attr(not(feature = "render"), path = "wiring/no_browser.rs")]
mod browser;
mod browser_options;
mod given_hosts;
mod page_fetch;

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;

use crawler_engine::{Output, OutputWriter, Progress, Stop, drive_from};
use crawler_fetch::Fetch;
use crawler_frontier::{Frontier, Moment};
use crawler_model::{FetchRules, JsPolicy, PageBudgets, Sink, Summary};
use tokio::runtime::Runtime;

pub use browser::max_tabs;
pub use browser_options::{BrowserMissing, BrowserOptions, RenderTotals};
pub use given_hosts::GivenHosts;
pub use page_fetch::{Browser, PageFetch};

use crate::Error;

/// Returns a random number for one crawl, so that a site cannot prepare URLs whose hashes collide.
pub fn random_number() -> u64 {
    RandomState::new().hash_one("crawl")
}

/// Creates a runtime with at most this many threads, and no more than there are cores.
pub fn runtime(max_threads: usize) -> io::Result<Runtime> {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores.min(max_threads).max(1))
        .enable_all()
        .build()
}

/// Locates the browser for a library call, with default options; `None` if no page is rendered.
pub(crate) fn browser(
    js: JsPolicy,
    rules: &FetchRules,
    user_agent: Option<String>,
    concurrency: usize,
) -> Result<Option<Browser>, Error> {
    if js == JsPolicy::Never {
        return Ok(None);
    }
    let options = BrowserOptions {
        concurrency,
        timeout: rules.deadlines.total,
        max_body: rules.max_body,
        user_agent,
        sandbox: true,
        nav_timeout: None,
        budgets: PageBudgets::default(),
    };
    let browser = Browser::find(options);
    browser
        .map(Some)
        .map_err(|missing| Error::NoBrowser(missing.message))
}

/// Starts the thread that writes to a sink.
pub fn writer(sink: Box<dyn Sink>) -> Result<OutputWriter, Error> {
    OutputWriter::start(sink).map_err(Error::Start)
}

/// Runs a crawl to its end with this many pages in flight. Its clock starts at `from`, which is not zero if it resumes.
pub async fn drive<T: Fetch>(
    frontier: impl Frontier + 'static,
    from: Moment,
    fetch: Arc<T>,
    workers: usize,
    output: impl Output + 'static,
    stop: Stop,
    progress: Arc<Progress>,
) -> Result<Summary, Error> {
    progress.set(frontier.progress_counts());
    // Spawned, so that the loop runs on a worker thread and a report need not wake another thread.
    let driving = drive_from(from, frontier, fetch, workers, output, stop, progress);
    match tokio::spawn(driving).await {
        Ok(summary) => Ok(summary?),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down.
            Err(canceled) => Err(Error::Crawl(canceled.into())),
        },
    }
}
