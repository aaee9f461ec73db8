//! `GET /v1/jobs/{id}/events`: what happens to a job, as server-sent events.
//!
//! `page` for each task that ended, with its number as the event's id; `progress` when the counts have changed;
//! `finished` at the end, and then the stream ends. A caller that lost its connection sends `Last-Event-ID` and misses
//! no page. The store is asked again and again: it is the only one who knows what all workers did.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, stream};
use http::HeaderMap;
use serde::Serialize;
use store::{FinishedTask, JobCounts, JobId, Store, StoreError};

use super::answers::{JobAnswer, TaskAnswer};
use super::app::App;
use super::job_path::JobPath;
use super::lists::order;
use super::problem::Problem;
use super::schemas::LiveEvent;

/// How often the store is asked while nothing happens.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// How long to wait when the store is away.
const STORE_AWAY: Duration = Duration::from_secs(5);
/// Pages told at a time.
const MOST_PAGES: u32 = 200;
/// A comment this often keeps the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What happens to a job, live
///
/// Events: `page` (a task ended), `progress` (the job's counts), `finished` (the job as it ended; the last one).
#[utoipa::path(
    get, path = "/v1/jobs/{id}/events", tag = "results",
    params(
        ("id" = uuid::Uuid, Path, description = "The job"),
        ("Last-Event-ID" = Option<i64>, Header, minimum = 0, description = "The id of the last `page` event that was seen"),
    ),
    responses((status = 200, description = "Server-sent events", body = LiveEvent, content_type = "text/event-stream"))
)]
pub(super) async fn events<S: Store>(
    State(app): State<App<S>>,
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
                let words = "Last-Event-ID: the id of a page event, a whole number";
                Problem::invalid("Last-Event-ID", words)
            })?
        }
    };
    order(&app, id).await?;
    let teller = Teller {
        app,
        id,
        seen,
        told: None,
        ended: false,
        pause: Duration::ZERO,
        ready: VecDeque::new(),
    };
    let events = stream::unfold(teller, |mut teller| async move {
        let event = teller.next().await?;
        Some((Ok(event), teller))
    });
    let beat = KeepAlive::new().interval(HEARTBEAT);
    Ok(Sse::new(events).keep_alive(beat))
}

struct Teller<S> {
    app: App<S>,
    id: JobId,
    /// The number of the last page told.
    seen: i64,
    /// The counts last told.
    told: Option<JobCounts>,
    ended: bool,
    /// Before the store is asked again.
    pause: Duration,
    ready: VecDeque<Event>,
}

impl<S: Store> Teller<S> {
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
            let begun = Instant::now();
            self.pause = match self.ask().await {
                // There is more to tell at once.
                Ok(true) => Duration::ZERO,
                // A job so large that looking at it takes its time is looked at less often.
                Ok(false) => ASK_EVERY.max(begun.elapsed() * 10),
                Err(error) => {
                    tracing::warn!(job_id = %self.id, %error, "events wait for the store");
                    STORE_AWAY
                }
            };
        }
    }

    /// Asks the store once. The job is read before its pages: what it says has ended is then in them.
    /// Whether there is more.
    async fn ask(&mut self) -> Result<bool, StoreError> {
        let job = self.app.store().job(self.id).await?;
        let pages = self
            .app
            .store()
            .finished_since(self.id, self.seen, MOST_PAGES)
            .await?;
        let all_told = pages.len() < MOST_PAGES as usize;
        for page in pages {
            self.seen = page.sequence;
            self.ready.push_back(page_event(page));
        }
        let Some(job) = job else {
            // Pruned while somebody listened.
            self.ended = true;
            return Ok(false);
        };
        if self.told != Some(job.counts) {
            self.told = Some(job.counts);
            self.ready
                .push_back(event("progress", &JobAnswer::from(job.clone())));
        }
        if job.state.is_final() && all_told {
            self.ended = true;
            self.ready
                .push_back(event("finished", &JobAnswer::from(job)));
        }
        Ok(!all_told)
    }
}

fn page_event(page: FinishedTask) -> Event {
    event("page", &TaskAnswer::from(page.task)).id(page.sequence.to_string())
}

fn event(name: &str, answer: &impl Serialize) -> Event {
    // Strings and numbers only, on one line.
    let data = serde_json::to_string(answer).unwrap_or_default();
    Event::default().event(name).data(data)
}
