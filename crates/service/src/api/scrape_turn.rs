//! How a request to `/v1/scrape` waits for its turn: for a slot of the process, for its host, for a browser tab.
//!
//! The time that one request waits is limited, and so is the number of requests that wait. A request that cannot start in time is
//! refused, as early as that is known, with an error that says what it waited for; it is never reported as a slow page.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use crawler_fetch::TabMeter;
use crawler_model::{FailKind, Failure, lock};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};

use crate::config::ServerSection;

tokio::task_local! {
    /// The turn of the request that the current task handles.
    static TURN: Arc<ScrapeTurn>;
}

/// The waiting ends this long before the request times out, so that it is reported as what it is.
const TIMEOUT_MARGIN: Duration = Duration::from_millis(100);

/// What a request waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Awaited {
    /// A slot of this process.
    Process,
    /// The limits of the page's host, or of its address.
    Host,
    /// A browser tab.
    Tab,
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Process => "the service fetches as many pages as it can at once",
            Self::Tab => "all browser tabs are in use (browser.pool_size)",
            Self::Host => "the limits of its host do not allow another request yet",
        })
    }
}

/// The requests of a process that wait.
#[derive(Debug)]
pub(super) struct ScrapeQueue {
    places: Arc<Semaphore>,
    max_wait: Duration,
}

/// The waiting of one request.
#[derive(Debug)]
pub(super) struct ScrapeTurn {
    queue: Arc<ScrapeQueue>,
    deadline: Instant,
    tab_meter: TabMeter,
    tab_owner: u64,
    is_fetched: Arc<AtomicBool>,
    state: Mutex<TurnState>,
}

#[derive(Debug, Default)]
struct TurnState {
    /// The place among the requests that wait, from the first wait until the page is requested.
    place: Option<OwnedSemaphorePermit>,
    waited: Duration,
    retry_in: Option<Duration>,
}

impl ScrapeQueue {
    pub(super) fn new(server: &ServerSection) -> Self {
        Self {
            places: Arc::new(Semaphore::new(server.max_waiting_scrapes)),
            max_wait: server.scrape_wait,
        }
    }

    /// The turn of a request that has to end after `time_limit`. `tab_meter` and `tab_owner` are for its browser tabs; `is_fetched`
    /// is set when its page is requested.
    pub(super) fn turn(
        self: &Arc<Self>,
        time_limit: Duration,
        (tab_meter, tab_owner): (TabMeter, u64),
        is_fetched: &Arc<AtomicBool>,
    ) -> Arc<ScrapeTurn> {
        Arc::new(ScrapeTurn {
            queue: Arc::clone(self),
            deadline: Instant::now() + time_limit.saturating_sub(TIMEOUT_MARGIN),
            tab_meter,
            tab_owner,
            is_fetched: Arc::clone(is_fetched),
            state: Mutex::default(),
        })
    }
}

impl ScrapeTurn {
    /// Runs the work of the request; what it waits for counts.
    pub(super) async fn run<W: Future>(self: &Arc<Self>, work: W) -> W::Output {
        let output = TURN.scope(Arc::clone(self), work).await;
        self.state().place = None;
        output
    }

    /// When to try again, if that is known.
    pub(super) fn retry_in(&self) -> Option<Duration> {
        self.state().retry_in
    }

    fn state(&self) -> std::sync::MutexGuard<'_, TurnState> {
        lock(&self.state)
    }

    /// How much longer the request may wait.
    fn left(&self) -> Duration {
        let left = self.queue.max_wait.saturating_sub(self.state().waited);
        left.min(self.deadline.saturating_duration_since(Instant::now()))
    }

    fn refused(&self, awaited: Awaited) -> Failure {
        let waited = self.state().waited.as_secs_f64();
        let message =
            format!("the request waited {waited:.1} s for its turn and did not start: {awaited}");
        Failure::new(FailKind::Busy, message)
    }

    /// Takes a place among the requests that wait, if there is one and the request has none.
    fn has_place(&self) -> bool {
        let mut state = self.state();
        if state.place.is_none() {
            let places = Arc::clone(&self.queue.places);
            state.place = places.try_acquire_owned().ok();
        }
        state.place.is_some()
    }

    /// Takes in that the page itself is requested.
    fn note_fetch(&self) {
        self.is_fetched.store(true, Ordering::Relaxed);
        self.state().place = None;
    }

    async fn wait<W: Future>(&self, awaited: Awaited, wait: W) -> Result<W::Output, Failure> {
        let mut wait = pin!(wait);
        // Most requests need not wait, and take no place.
        let first = std::future::poll_fn(|cx| Poll::Ready(wait.as_mut().poll(cx))).await;
        if let Poll::Ready(output) = first {
            return Ok(output);
        }
        if !self.has_place() {
            let message = format!(
                "the request did not start, and too many others wait for their turn already: {awaited}"
            );
            return Err(Failure::new(FailKind::Busy, message));
        }
        let started = Instant::now();
        let ended = timeout(self.left(), wait).await;
        self.state().waited += started.elapsed();
        ended.map_err(|_| self.refused(awaited))
    }
}

/// Waits for something that has to happen before the request can start.
pub(super) async fn wait<W: Future>(awaited: Awaited, wait: W) -> Result<W::Output, Failure> {
    match TURN.try_with(Arc::clone) {
        Ok(turn) => turn.wait(awaited, wait).await,
        Err(_) => Ok(wait.await),
    }
}

/// Waits until the request may start; refuses it at once if that is too long. Then, `retry_in` is when to try again.
pub(super) async fn pause(
    awaited: Awaited,
    pause: Duration,
    retry_in: Duration,
) -> Result<(), Failure> {
    if let Ok(turn) = TURN.try_with(Arc::clone)
        && pause > turn.left()
    {
        turn.state().retry_in = Some(retry_in);
        return Err(turn.refused(awaited));
    }
    wait(awaited, sleep(pause)).await
}

/// What the time of a browser tab is counted with, and whose turn is used.
pub(super) fn tab() -> Option<(TabMeter, u64)> {
    TURN.try_with(|turn| (turn.tab_meter.clone(), turn.tab_owner))
        .ok()
}

/// Records that the page itself is requested.
pub(super) fn note_fetch() {
    // Outside of a request, nothing is counted.
    let _ = TURN.try_with(|turn| turn.note_fetch());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(places: usize, max_wait: Duration) -> Arc<ScrapeQueue> {
        Arc::new(ScrapeQueue::new(&ServerSection {
            max_waiting_scrapes: places,
            scrape_wait: max_wait,
            ..ServerSection::default()
        }))
    }

    fn turn(queue: &Arc<ScrapeQueue>, time_limit: Duration) -> Arc<ScrapeTurn> {
        queue.turn(time_limit, (TabMeter::new(|_| ()), 0), &Arc::default())
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn all_waits_of_a_request_together_are_limited() {
        let turn = turn(&queue(1, 10 * SECOND), 120 * SECOND);
        turn.run(async {
            assert_eq!(pause(Awaited::Host, 6 * SECOND, SECOND).await, Ok(()));
            assert_eq!(pause(Awaited::Host, 3 * SECOND, SECOND).await, Ok(()));
            let started = Instant::now();
            let refused = wait(Awaited::Process, std::future::pending::<()>()).await;
            assert_eq!(started.elapsed(), SECOND);
            let failure = refused.expect_err("it waits too long");
            assert_eq!(failure.kind, FailKind::Busy);
            assert!(failure.message.contains("waited 10.0 s"), "{failure}");
            // A longer pause is refused before it begins.
            assert!(pause(Awaited::Host, 7 * SECOND, 9 * SECOND).await.is_err());
            assert_eq!(started.elapsed(), SECOND);
        })
        .await;
        assert_eq!(turn.retry_in(), Some(9 * SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_before_the_request_times_out() {
        let turn = turn(&queue(1, 60 * SECOND), 5 * SECOND);
        let waiting = turn.run(wait(Awaited::Process, std::future::pending::<()>()));
        let refused = timeout(5 * SECOND, waiting).await.expect("no timeout");
        assert!(refused.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_waiting_requests_is_limited() {
        let queue = queue(1, 10 * SECOND);
        let [first, second] = [(); 2].map(|()| turn(&queue, 120 * SECOND));
        let mut waiting = pin!(first.run(wait(Awaited::Process, std::future::pending::<()>())));
        let polled = timeout(Duration::ZERO, waiting.as_mut()).await;
        assert!(polled.is_err());
        // What is ready needs no place.
        let ready = second
            .run(wait(Awaited::Process, std::future::ready(7)))
            .await;
        assert_eq!(ready, Ok(7));
        let refused = second.run(pause(Awaited::Host, SECOND, SECOND)).await;
        let message = refused.expect_err("no place").message;
        assert!(message.contains("too many others wait"), "{message}");
        // A place is given back when its request ends.
        assert!(waiting.await.is_err());
        assert_eq!(
            second.run(pause(Awaited::Host, SECOND, SECOND)).await,
            Ok(())
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_kept_until_the_page_is_requested() {
        let queue = queue(1, 10 * SECOND);
        let [first, second] = [(); 2].map(|()| turn(&queue, 120 * SECOND));
        let short = || pause(Awaited::Host, SECOND, SECOND);
        first
            .run(async {
                assert_eq!(short().await, Ok(()));
                // Between two pauses, nobody else takes the place.
                assert!(second.run(short()).await.is_err());
                assert_eq!(short().await, Ok(()));
                note_fetch();
                assert_eq!(second.run(short()).await, Ok(()));
            })
            .await;
        assert!(first.is_fetched.load(Ordering::Relaxed));
        assert_eq!(queue.places.available_permits(), 1);
    }
}
