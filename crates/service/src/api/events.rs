//! `GET /v1/jobs/{id}/events`: the progress of a job as server-sent events.
//!
//! The stream contains a `page` event for each finished task, with its sequence number as the event id; a `progress`
//! event when the counts have changed; and a `finished` event at the end. A client that lost its connection sends
//! `Last-Event-ID` and misses no page. The store is polled, because the tasks may be finished by any worker process.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use crawler_store::{Access, FinishedTask, JobCounts, JobId, Store, StoreError};
use futures_util::{Stream, stream};
use http::HeaderMap;
use serde::Serialize;

use super::app::App;
use super::auth::Caller;
use super::job_path::JobPath;
use super::problem::Problem;
use super::responses::{JobResponse, TaskResponse};
use super::results::job_request;
use super::schemas::LiveEvent;

/// Interval at which the store is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Delay after the store was unavailable.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Maximum number of page events read from the store at a time.
const MAX_PAGES: u32 = 200;
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
    responses((status = 200, description = "Server-sent events", body = LiveEvent, content_type = "text/event-stream"))
)]
pub(super) async fn events<S: Store>(
    State(app): State<App<S>>,
    caller: Caller,
    JobPath(id): JobPath,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
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
    let access = caller.access();
    job_request(&app, &access, id).await?;
    let source = EventStream {
        app,
        access,
        id,
        seen,
        reported: None,
        ended: false,
        pause: Duration::ZERO,
        ready: VecDeque::new(),
    };
    let events = stream::unfold(source, |mut source| async move {
        let event = source.next().await?;
        Some((Ok(event), source))
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Ok(Sse::new(events).keep_alive(keep_alive))
}

struct EventStream<S> {
    app: App<S>,
    access: Access,
    id: JobId,
    /// Sequence number of the last page event.
    seen: i64,
    /// Counts in the last progress event.
    reported: Option<JobCounts>,
    ended: bool,
    /// Delay before the next poll.
    pause: Duration,
    ready: VecDeque<Event>,
}

impl<S: Store> EventStream<S> {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            if !self.pause.is_zero() && !self.app.pause(self.pause).await {
                return None;
            }
            let started = Instant::now();
            self.pause = match self.poll().await {
                // More events are available.
                Ok(true) => Duration::ZERO,
                // A job that is slow to read is polled less often.
                Ok(false) => POLL_INTERVAL.max(started.elapsed() * 10),
                Err(error) => {
                    tracing::warn!(job_id = %self.id, %error, "cannot read events from the store, will retry");
                    STORE_RETRY_DELAY
                }
            };
        }
    }

    /// Polls the store once and returns whether more events are available. The job is read before its pages, so that
    /// the pages are complete when the job has ended.
    async fn poll(&mut self) -> Result<bool, StoreError> {
        let job = self.app.store().job(&self.access, self.id).await?;
        let pages = self
            .app
            .store()
            .finished_since(&self.access, self.id, self.seen, MAX_PAGES)
            .await?;
        let all_read = pages.len() < MAX_PAGES as usize;
        for page in pages {
            self.seen = page.sequence;
            self.ready.push_back(page_event(page));
        }
        let Some(job) = job else {
            // The job was deleted meanwhile.
            self.ended = true;
            return Ok(false);
        };
        if self.reported != Some(job.counts) {
            self.reported = Some(job.counts);
            self.ready
                .push_back(event("progress", &JobResponse::from(job.clone())));
        }
        if job.state.is_final() && all_read {
            self.ended = true;
            self.ready
                .push_back(event("finished", &JobResponse::from(job)));
        }
        Ok(!all_read)
    }
}

fn page_event(page: FinishedTask) -> Event {
    event("page", &TaskResponse::from(page.task)).id(page.sequence.to_string())
}

fn event(name: &str, body: &impl Serialize) -> Event {
    // Serializing strings and numbers cannot fail, and JSON has no line breaks.
    let data = serde_json::to_string(body).unwrap_or_default();
    Event::default().event(name).data(data)
}
