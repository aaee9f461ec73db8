//! One poller per job, which feeds all event streams of the job.
//!
//! A feed keeps the latest events, already written as text. A stream has its own position and reads from the store what is older
//! than that, so a slow reader misses nothing and holds nothing. The poller ends with the last stream.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crawler_model::lock;

use axum::body::Bytes;
use crawler_store::{Access, FinishedTask, JobCounts, JobId, Store, StoreError};
use serde::Serialize;
use tokio::sync::watch;

use super::app::App;
use super::responses::{JobResponse, TaskResponse};

/// Interval at which the store is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum pause between two polls of a job that is slow to read.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(10);
/// Delay after the store was unavailable.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Maximum number of page events read from the store at a time.
pub(super) const MAX_PAGES: u32 = 200;
/// Maximum size of the page events that a feed keeps, besides those of its last poll.
const MAX_KEPT_BYTES: usize = 64 * 1_024;
/// Maximum size of all page events that a feed keeps.
const MAX_POLLED_BYTES: usize = 512 * 1_024;

/// The feeds of the jobs that have event streams.
#[derive(Debug, Default)]
pub(super) struct EventFeeds {
    feeds: Mutex<HashMap<JobId, watch::Sender<FeedState>>>,
}

/// What a feed knows of its job.
#[derive(Debug)]
pub(super) struct FeedState {
    /// Pages after this sequence number are kept.
    pub(super) after: i64,
    /// The latest pages, in order and without gaps.
    pub(super) pages: VecDeque<(i64, Bytes)>,
    kept_bytes: usize,
    /// The counts of the job, and its progress event.
    pub(super) progress: Option<(JobCounts, Bytes)>,
    /// What follows the last page.
    pub(super) end: Option<FeedEnd>,
}

/// Why a feed has ended.
#[derive(Clone, Debug)]
pub(super) enum FeedEnd {
    /// The job has ended; its last event.
    Finished(Bytes),
    /// The job was deleted.
    Deleted,
}

impl FeedState {
    fn new(after: i64) -> Self {
        Self {
            after,
            pages: VecDeque::new(),
            kept_bytes: 0,
            progress: None,
            end: None,
        }
    }

    /// Sequence number of the last page.
    pub(super) fn last(&self) -> i64 {
        self.pages.back().map_or(self.after, |(last, _)| *last)
    }

    /// Adds the pages of a poll. They are kept until the next one, so that the streams need not read them from the store too.
    fn extend(&mut self, pages: impl IntoIterator<Item = (i64, Bytes)>) {
        let known = self.last();
        for (sequence, written) in pages {
            self.kept_bytes += written.len();
            self.pages.push_back((sequence, written));
        }
        while let Some((sequence, oldest)) = self.pages.front() {
            let limit = if *sequence <= known {
                MAX_KEPT_BYTES
            } else {
                MAX_POLLED_BYTES
            };
            if self.kept_bytes <= limit {
                return;
            }
            self.kept_bytes -= oldest.len();
            self.after = *sequence;
            self.pages.pop_front();
        }
    }
}

/// A feed, for its poller. It is listed until it is dropped, also by a panic: streams would wait for ever for one without a
/// poller.
#[derive(Debug)]
struct ListedFeed {
    feeds: Arc<EventFeeds>,
    id: JobId,
    state: watch::Sender<FeedState>,
}

impl ListedFeed {
    /// Ends the feed if it has no streams; returns whether it did.
    fn end_unused(&self) -> bool {
        let mut feeds = lock(&self.feeds.feeds);
        let is_unused = self.state.receiver_count() == 0;
        if is_unused {
            feeds.remove(&self.id);
        }
        is_unused
    }
}

impl Drop for ListedFeed {
    fn drop(&mut self) {
        // The streams read the rest from the receivers that they have. After the end, there may be a new feed of the job.
        let mut feeds = lock(&self.feeds.feeds);
        if feeds
            .get(&self.id)
            .is_some_and(|listed| listed.same_channel(&self.state))
        {
            feeds.remove(&self.id);
        }
    }
}

impl EventFeeds {
    /// Joins the feed of a job. If there is none, one is started with the pages after `last`.
    pub(super) fn join<S: Store>(
        self: &Arc<Self>,
        app: &App<S>,
        id: JobId,
        last: i64,
    ) -> watch::Receiver<FeedState> {
        self.join_or_start(id, last, |feed| {
            tokio::spawn(poll(app.clone(), feed));
        })
    }

    fn join_or_start(
        self: &Arc<Self>,
        id: JobId,
        last: i64,
        start: impl FnOnce(ListedFeed),
    ) -> watch::Receiver<FeedState> {
        let mut feeds = lock(&self.feeds);
        if let Some(feed) = feeds.get(&id) {
            return feed.subscribe();
        }
        let state = watch::Sender::new(FeedState::new(last));
        let receiver = state.subscribe();
        feeds.insert(id, state.clone());
        drop(feeds);
        let feeds = Arc::clone(self);
        start(ListedFeed { feeds, id, state });
        receiver
    }
}

/// Polls a job until it has ended, the service stops, or nobody listens.
async fn poll<S: Store>(app: App<S>, feed: ListedFeed) {
    let id = feed.id;
    let mut pause = Duration::ZERO;
    loop {
        if !pause.is_zero() {
            tokio::select! {
                running = app.pause(pause) => if !running { break },
                () = feed.state.closed() => if feed.end_unused() { return },
            }
        }
        let started = Instant::now();
        pause = match poll_once(&app, id, &feed.state).await {
            Ok(Polled::Ended) => break,
            Ok(Polled::More) => Duration::from_millis(1),
            // A job that is slow to read is polled less often.
            Ok(Polled::All) => pause_after(started.elapsed()),
            Err(error) => {
                tracing::warn!(job_id = %id, %error, "cannot read events from the store, will retry");
                STORE_RETRY_DELAY
            }
        };
    }
}

/// The pause after a poll that took this long.
fn pause_after(poll: Duration) -> Duration {
    poll.saturating_mul(10)
        .clamp(POLL_INTERVAL, MAX_POLL_INTERVAL)
}

enum Polled {
    /// More pages are available.
    More,
    All,
    Ended,
}

/// Reads the job before its pages, so that the pages are complete when the job has ended.
async fn poll_once<S: Store>(
    app: &App<S>,
    id: JobId,
    feed: &watch::Sender<FeedState>,
) -> Result<Polled, StoreError> {
    // The streams have checked that their callers may see the job; its owner never changes.
    let access = &Access::AllOwners;
    let job = app.store().job(access, id).await?;
    let seen = feed.borrow().last();
    let pages = app.store().finished_since(access, id, seen, MAX_PAGES);
    let pages = pages.await?;
    let all_read = pages.len() < MAX_PAGES as usize;
    let progress = job
        .filter(|job| all_read || !job.state.is_final())
        .map(|job| (job.counts, job.state.is_final(), JobResponse::from(job)));
    let pages: Vec<(i64, Bytes)> = pages
        .into_iter()
        .map(|page| (page.sequence, page_event(page)))
        .collect();
    feed.send_if_modified(|state| {
        let before = state.progress.as_ref().map(|(counts, _)| *counts);
        let mut is_modified = !pages.is_empty();
        state.extend(pages);
        match &progress {
            None if all_read => {
                state.end = Some(FeedEnd::Deleted);
                is_modified = true;
            }
            None => (),
            Some((counts, is_final, job)) => {
                if before != Some(*counts) {
                    state.progress = Some((*counts, event("progress", None, job)));
                    is_modified = true;
                }
                if *is_final {
                    state.end = Some(FeedEnd::Finished(event("finished", None, job)));
                    is_modified = true;
                }
            }
        }
        is_modified
    });
    Ok(if feed.borrow().end.is_some() {
        Polled::Ended
    } else if all_read {
        Polled::All
    } else {
        Polled::More
    })
}

/// The event of a page.
pub(super) fn page_event(page: FinishedTask) -> Bytes {
    event("page", Some(page.sequence), &TaskResponse::from(page.task))
}

fn event(name: &str, id: Option<i64>, body: &impl Serialize) -> Bytes {
    // Serializing strings and numbers cannot fail, and JSON has no line breaks.
    let data = serde_json::to_string(body).unwrap_or_default();
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    format!("event: {name}\ndata: {data}\n{id}\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(numbers: std::ops::RangeInclusive<i64>, size: usize) -> Vec<(i64, Bytes)> {
        let written = Bytes::from(vec![b'x'; size]);
        numbers.map(|number| (number, written.clone())).collect()
    }

    #[test]
    fn events_of_the_last_poll_are_kept() {
        let mut state = FeedState::new(0);
        state.extend(pages(1..=200, 1_024));
        assert_eq!((state.after, state.pages.len()), (0, 200));
        state.extend(pages(201..=230, 1_024));
        assert_eq!((state.after, state.last()), (166, 230));
        state.extend(pages(231..=430, 4_096));
        assert_eq!((state.after, state.last()), (302, 430));
        assert!(state.kept_bytes <= MAX_POLLED_BYTES);
        state.extend(Vec::new());
        assert_eq!((state.after, state.kept_bytes), (414, 16 * 4_096));
    }

    #[test]
    fn events_of_a_slow_job_are_polled_less_often() {
        assert_eq!(pause_after(Duration::ZERO), POLL_INTERVAL);
        let second = Duration::from_secs(1);
        assert_eq!(pause_after(second / 10), second);
        assert_eq!(pause_after(60 * second), MAX_POLL_INTERVAL);
    }

    #[tokio::test]
    async fn events_of_a_job_have_a_new_feed_after_a_panic() {
        let feeds = Arc::new(EventFeeds::default());
        let id = JobId::fresh();
        let mut joined = feeds.join_or_start(id, 0, |feed| {
            tokio::spawn(async move {
                let _feed = feed;
                panic!("while polling");
            });
        });
        // The stream ends, and its client connects again.
        assert!(joined.changed().await.is_err());
        let mut listed = None;
        feeds.join_or_start(id, 7, |feed| listed = Some(feed));
        let feed = listed.expect("a new feed");
        assert_eq!(feed.state.borrow().after, 7);
        // A feed that was replaced does not end its successor.
        assert!(feed.end_unused());
        let mut next = None;
        let _joined = feeds.join_or_start(id, 8, |feed| next = Some(feed));
        drop(feed);
        assert!(lock(&feeds.feeds).contains_key(&id));
        drop(next);
        assert!(lock(&feeds.feeds).is_empty());
    }
}
