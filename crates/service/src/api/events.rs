//! `GET /v1/jobs/{id}/events`: the progress of a job as server-sent events.
//!
//! The stream contains a `page` event for each finished task, with its sequence number as the event id; a `progress`
//! event when the counts have changed; and a `finished` event at the end. A client that lost its connection sends
//! `Last-Event-ID` and misses no page. Pages that finished earlier are read from the store; later ones come from the feed that
//! all streams of the job share.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use crawler_store::{Access, JobCounts, JobId, Store, StoreError};
use futures_util::stream;
use http::{HeaderMap, HeaderValue, header};
use tokio::sync::watch;
use tokio::time::timeout;

use super::app::App;
use super::auth::Caller;
use super::event_feed::{FeedEnd, FeedState, MAX_PAGES, page_event};
use super::job_path::JobPath;
use super::key_checks::key_end;
use super::owner_limits::OwnerPermit;
use super::problem::Problem;
use super::results::job_request;
use super::schemas::LiveEvent;

/// Delay after the store was unavailable.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Interval of the comments that keep an idle connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Follow a job as server-sent events
///
/// Events: `page` (a task finished), `progress` (the task counts changed), `finished` (the job ended; the last event).
#[utoipa::path(
    get, path = "/v1/jobs/{id}/events", tag = "results",
    params(
        ("id" = uuid::Uuid, Path, description = "ID of the job"),
        ("Last-Event-ID" = Option<i64>, Header, minimum = 0, description = "ID of the last `page` event received"),
    ),
    responses(
        (status = 200, description = "Server-sent events", body = LiveEvent, content_type = "text/event-stream"),
        (status = 429, description = "`quota_exceeded`: the quota `event_streams` is used up; `too_many_wrong_keys`", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn events<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    JobPath(id): JobPath,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let seen = match headers.get("last-event-id") {
        None => 0,
        Some(value) => {
            let number = value
                .to_str()
                .ok()
                .and_then(|text| text.parse::<i64>().ok());
            number.filter(|number| *number >= 0).ok_or_else(|| {
                let message = "Last-Event-ID: must be the id of a page event, a whole number";
                Problem::invalid("Last-Event-ID", message)
            })?
        }
    };
    job_request(&app, &caller.access(), id).await?;
    let permit = app.limits().stream(&caller)?;
    let key_end = key_end(&app, &caller);
    let source = EventStream {
        app,
        id,
        seen,
        is_confirmed: seen == 0,
        reported: None,
        ended: false,
        feed: None,
        ready: VecDeque::new(),
        _permit: permit,
    };
    let events = stream::unfold((source, key_end), |(mut source, mut key_end)| async move {
        let next = tokio::select! {
            biased;
            () = &mut key_end => return None,
            next = timeout(KEEP_ALIVE, source.next()) => next,
        };
        let event = match next {
            Ok(event) => event?,
            Err(_) => Bytes::from_static(b":\n\n"),
        };
        Some((Ok::<_, Infallible>(event), (source, key_end)))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    Ok((headers, Body::from_stream(events)).into_response())
}

struct EventStream<S: Store> {
    app: App<S>,
    id: JobId,
    /// Sequence number of the last page event.
    seen: i64,
    /// Whether a page with that number is known to exist.
    is_confirmed: bool,
    /// Counts in the last progress event.
    reported: Option<JobCounts>,
    ended: bool,
    /// The feed of the job, once all earlier pages were sent.
    feed: Option<watch::Receiver<FeedState>>,
    ready: VecDeque<Bytes>,
    _permit: OwnerPermit,
}

impl<S: Store> EventStream<S> {
    /// The next events, written as text. May be cancelled without losing any.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(first) = self.ready.pop_front() {
                return Some(self.with_rest(first));
            }
            if self.ended {
                return None;
            }
            let read = if self.feed.is_none() {
                self.catch_up().await
            } else if self.take_from_feed() {
                self.read_missed().await
            } else if self.ended || !self.ready.is_empty() {
                continue;
            } else {
                // Without a poller and without an end, the service is stopping.
                self.feed.as_mut()?.changed().await.ok()?;
                Ok(())
            };
            if let Err(error) = read {
                tracing::warn!(job_id = %self.id, %error, "cannot read events from the store, will retry");
                if !self.app.pause(STORE_RETRY_DELAY).await {
                    return None;
                }
            }
        }
    }

    /// This event and all others that are ready.
    fn with_rest(&mut self, first: Bytes) -> Bytes {
        if self.ready.is_empty() {
            return first;
        }
        let mut all = first.to_vec();
        for event in self.ready.drain(..) {
            all.extend_from_slice(&event);
        }
        all.into()
    }

    /// Reads pages that finished before the stream began; joins the feed after the last one.
    async fn catch_up(&mut self) -> Result<(), StoreError> {
        let all_read = self.read_pages().await?;
        if !all_read {
            return Ok(());
        }
        let last = if self.is_confirmed || self.has_page(self.seen).await? {
            self.seen
        } else {
            // A number that the client made up must not be where the feed of others begins.
            self.last_page().await?
        };
        self.feed = Some(self.app.feeds().join(&self.app, self.id, last));
        Ok(())
    }

    /// Reads pages that are no longer in the feed.
    async fn read_missed(&mut self) -> Result<(), StoreError> {
        if self.read_pages().await?
            && self.ready.is_empty()
            && let Some(feed) = &self.feed
        {
            // They were deleted.
            self.seen = self.seen.max(feed.borrow().after);
        }
        Ok(())
    }

    /// Reads a number of pages from the store; returns whether there are no more.
    async fn read_pages(&mut self) -> Result<bool, StoreError> {
        // The caller may see the job, and its owner never changes.
        let access = &Access::AllOwners;
        let pages = self.app.store();
        let pages = pages.finished_since(access, self.id, self.seen, MAX_PAGES);
        let pages = pages.await?;
        let all_read = pages.len() < MAX_PAGES as usize;
        for page in pages {
            self.seen = page.sequence;
            self.is_confirmed = true;
            self.ready.push_back(page_event(page));
        }
        Ok(all_read)
    }

    async fn has_page(&self, sequence: i64) -> Result<bool, StoreError> {
        let access = &Access::AllOwners;
        let store = self.app.store();
        let pages = store.finished_since(access, self.id, sequence - 1, 1);
        let pages = pages.await?;
        Ok(pages.first().is_some_and(|page| page.sequence == sequence))
    }

    /// The sequence number of the job's last page, or one before it: each task that ended has the next number.
    async fn last_page(&self) -> Result<i64, StoreError> {
        let job = self.app.store().job(&Access::AllOwners, self.id).await?;
        let counts = job.map(|job| job.counts).unwrap_or_default();
        let ended = counts.done + counts.failed + counts.skipped;
        Ok(i64::try_from(ended).unwrap_or(i64::MAX))
    }

    /// Takes what is new in the feed; returns whether it no longer has what comes next.
    fn take_from_feed(&mut self) -> bool {
        let Some(feed) = &mut self.feed else {
            return false;
        };
        let state = feed.borrow_and_update();
        if self.seen < state.after {
            return true;
        }
        for (sequence, page) in &state.pages {
            if *sequence > self.seen {
                self.ready.push_back(page.clone());
                self.seen = *sequence;
            }
        }
        if let Some((counts, progress)) = &state.progress
            && self.reported != Some(*counts)
        {
            self.reported = Some(*counts);
            self.ready.push_back(progress.clone());
        }
        match &state.end {
            Some(FeedEnd::Finished(last)) => {
                self.ready.push_back(last.clone());
                self.ended = true;
            }
            Some(FeedEnd::Deleted) => self.ended = true,
            None => (),
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crawler_model::FailKind;
    use crawler_store::{Claimed, WorkerId};
    use crawler_store::{JobKind, JobQueue, Jobs, KeyRole, Owner, Quota, Settlement, TaskOutcome};
    use crawler_store_sqlite::{SqliteOptions, SqliteStore};

    use super::*;
    use crate::config::Config;
    use crate::job_params::JobParams;

    fn failed(task: &Claimed) -> Settlement {
        Settlement {
            lease: task.lease,
            job: task.job,
            outcome: TaskOutcome::Failed {
                kind: FailKind::Dns,
                error: "no such host".to_owned(),
                bytes: 0,
            },
            browser_time: Duration::ZERO,
            found: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Otherwise, one client makes the feed read the whole history for nobody.
    #[tokio::test]
    async fn events_after_a_made_up_id_begin_at_the_last_page() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("crawler.db");
        let store = SqliteStore::open(&path, SqliteOptions::default())
            .await
            .unwrap();
        let app = || {
            let look_up = Arc::new(|_: &str| Vec::new());
            App::resolving(store.clone(), Config::default(), look_up).unwrap()
        };
        let params = JobParams {
            urls: Some((0..4).map(|n| format!("https://{n}.test/")).collect()),
            ..JobParams::default()
        };
        let job = params.new_job(JobKind::BatchScrape, Owner::local(), app().defaults());
        let job = job.unwrap().job;
        let id = job.id;
        store.create_job(job).await.unwrap();
        let claimed = store
            .claim(&WorkerId::fresh(), 3, KEEP_ALIVE)
            .await
            .unwrap();
        assert_eq!(claimed.len(), 3);
        let batch = claimed.iter().map(failed).collect();
        store.settle(batch).await.unwrap();
        let caller = Caller::new(Owner::local(), KeyRole::User, Quota::default());
        for seen in [3, 4, i64::MAX] {
            let app = app();
            let mut stream = EventStream {
                _permit: app.limits().stream(&caller).unwrap(),
                app,
                id,
                seen,
                is_confirmed: false,
                reported: None,
                ended: false,
                feed: None,
                ready: VecDeque::new(),
            };
            stream.catch_up().await.unwrap();
            let feed = stream.feed.as_ref().unwrap().borrow();
            assert_eq!(feed.after, 3, "after {seen}");
        }
    }
}
