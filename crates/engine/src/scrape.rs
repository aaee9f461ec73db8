//! Fetches single pages: follows redirects, obeys robots.txt, retries temporary failures, and extracts the content.
//!
//! In a crawl, the frontier handles redirects and retries; a single page has no frontier, so [`Scraper`] handles them
//! itself. It holds what the pages of one run share: the robots.txt of each origin, and the [`HostGate`] that limits
//! requests to each host. Fetching returns a [`ScrapeResponse`]; converting it into a [`Document`] is CPU-bound work that
//! the caller schedules.

mod content;
mod document;
mod host_gate;
mod local_host_gate;
mod media;
mod meta;
mod problem;
mod robots_cache;
mod robots_memory;
mod scrape_response;

pub use content::markdown;
pub use document::{Document, Part};
pub use host_gate::{HostGate, TurnRefused};
pub use local_host_gate::LocalHostGate;
pub use problem::ScrapeProblem;
pub use robots_memory::RobotsMemory;
pub use scrape_response::ScrapeResponse;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use crawler_fetch::{Accept, Fetch, FetchRequest, Fetched, RequestedUrl};
use crawler_frontier::{HostResponse, Rng, retry_delay};
use crawler_model::site_rules::{
    MAX_WAIT, PER_HOST_CONCURRENCY, PageStatus, check_redirects, may_retry, redirect_loop,
};
use crawler_model::{Failure, JsPolicy, Notice, RobotsPolicy, ScrapePlan, lock};
use crawler_weburl::CrawlUrl;
use tokio::time::Instant;

use crate::page::redirect_target;
use crate::{Stop, StopLevel};
use robots_cache::RobotsCache;

/// Pauses shorter than this are not reported to the user.
const MIN_REPORTED_PAUSE: Duration = Duration::from_secs(3);

/// How often a request is put off because its robots.txt expired while it waited for its turn.
const MAX_EXPIRED_TURNS: u32 = 3;

/// Receives notices while pages are fetched.
type NoticeFn = Box<dyn Fn(Notice) + Send + Sync>;

/// Fetches single pages. Shared behind an `Arc`.
pub struct Scraper<T, G = LocalHostGate> {
    fetch: Arc<T>,
    plan: ScrapePlan,
    gate: G,
    robots: RobotsCache,
    rng: Mutex<Rng>,
    stop: Stop,
    on_notice: NoticeFn,
    visits: AtomicU64,
}

/// How one URL is requested.
#[derive(Clone, Copy, Debug)]
struct RequestOptions {
    accept: Accept,
    max_attempts: u32,
    js: JsPolicy,
    /// Every page is a separate visit.
    visit: u64,
    /// Whether robots.txt is asked before each attempt.
    obeys_robots: bool,
}

/// Why one URL has no response.
#[derive(Debug)]
enum RequestError {
    Failed(Failure),
    /// The host asks for a longer pause than we accept.
    Parked(Duration),
    /// Stopped before anything was sent.
    Stopped,
    /// robots.txt does not permit it, or could not be read.
    NotPermitted(ScrapeProblem),
}

impl From<TurnRefused> for RequestError {
    fn from(refused: TurnRefused) -> Self {
        match refused {
            TurnRefused::Parked(pause) => Self::Parked(pause),
            TurnRefused::Failed(failure) => Self::Failed(failure),
        }
    }
}

impl RequestError {
    fn into_problem(self, url: &CrawlUrl) -> ScrapeProblem {
        let url = url.clone();
        match self {
            Self::Failed(failure) => ScrapeProblem::Failed { url, failure },
            Self::Parked(pause) => ScrapeProblem::Parked { url, pause },
            Self::Stopped => ScrapeProblem::Stopped { url },
            Self::NotPermitted(problem) => problem,
        }
    }
}

impl<T: Fetch> Scraper<T> {
    /// Creates a scraper with a [`LocalHostGate`]. `rng_seed` seeds the jitter of retries. After `stop` nothing more is
    /// sent. `on_notice` is called for every pause that is reported.
    pub fn new(
        fetch: Arc<T>,
        plan: ScrapePlan,
        rng_seed: u64,
        stop: Stop,
        on_notice: impl Fn(Notice) + Send + Sync + 'static,
    ) -> Self {
        let gate = LocalHostGate::new(PER_HOST_CONCURRENCY as usize, rng_seed);
        Self::with_gate(fetch, plan, gate, rng_seed, stop, on_notice)
    }
}

impl<T: Fetch, G: HostGate> Scraper<T, G> {
    /// Like [`Scraper::new`], with another gate.
    pub fn with_gate(
        fetch: Arc<T>,
        plan: ScrapePlan,
        gate: G,
        rng_seed: u64,
        stop: Stop,
        on_notice: impl Fn(Notice) + Send + Sync + 'static,
    ) -> Self {
        Self {
            stop,
            on_notice: Box::new(on_notice),
            visits: AtomicU64::new(1),
            fetch,
            plan,
            gate,
            robots: RobotsCache::new(),
            rng: Mutex::new(Rng::new(rng_seed)),
        }
    }

    /// Fetches one page. A response with an error status (4xx, 5xx) is `Ok`.
    pub async fn get(
        &self,
        requested: &RequestedUrl,
        js: JsPolicy,
    ) -> Result<ScrapeResponse, ScrapeProblem> {
        let options = RequestOptions {
            accept: Accept::Document,
            max_attempts: self.plan.max_attempts,
            js,
            visit: self.visits.fetch_add(1, Ordering::Relaxed),
            obeys_robots: self.plan.robots == RobotsPolicy::Respect,
        };
        let mut url = requested.url.clone();
        let mut visited: Vec<CrawlUrl> = Vec::new();
        loop {
            let failed = |failure| ScrapeProblem::failed(&url, failure);
            let fetched = self
                .request(&url, requested, options)
                .await
                .map_err(|error| error.into_problem(&url))?;
            match fetched.page_status() {
                PageStatus::Redirect => (),
                // Reported as in a crawl.
                PageStatus::Unusable(_) => {
                    return Err(failed(Failure::of_status(fetched.status)));
                }
                PageStatus::Success | PageStatus::ErrorPage(_) => {
                    return Ok(ScrapeResponse {
                        requested: requested.url.clone(),
                        url,
                        hops: hops(&visited),
                        fetched_at: SystemTime::now(),
                        fetched,
                    });
                }
            }
            let target = redirect_target(&url, &fetched).map_err(failed)?;
            if target == url || visited.contains(&target) {
                return Err(failed(redirect_loop(&target)));
            }
            check_redirects(hops(&visited), self.plan.max_redirects).map_err(failed)?;
            visited.push(std::mem::replace(&mut url, target));
        }
    }

    /// Requests one URL and retries temporary failures until no attempt is left.
    async fn request(
        &self,
        url: &CrawlUrl,
        requested: &RequestedUrl,
        options: RequestOptions,
    ) -> Result<Fetched, RequestError> {
        let max_attempts = options.max_attempts;
        let request = FetchRequest {
            url,
            accept: options.accept,
            requested: Some(requested),
            js: options.js,
            visit: options.visit,
            tab_owner: 0,
            tab_meter: None,
        };
        let mut attempt = 1;
        loop {
            let turn = self.permitted_turn(url, requested, options).await?;
            let sent_at = Instant::now();
            let response = self.fetch.fetch(request).await;
            if let Ok(fetched) = &response {
                let response = HostResponse {
                    status: fetched.status,
                    retry_after: fetched.retry_after,
                    elapsed: sent_at.elapsed(),
                };
                self.gate.note_response(url, response).await;
            }
            drop(turn);
            let (kind, retry_after) = match &response {
                Ok(fetched) => {
                    let PageStatus::ErrorPage(kind) = fetched.page_status() else {
                        return response.map_err(RequestError::Failed);
                    };
                    (kind, fetched.retry_after)
                }
                Err(failure) => (failure.kind, None),
            };
            if !may_retry(kind, attempt, max_attempts, retry_after, MAX_WAIT) {
                return response.map_err(RequestError::Failed);
            }
            let delay = self.retry_delay(attempt, retry_after);
            if delay >= MIN_REPORTED_PAUSE {
                let path = url.parts().path_and_query();
                let what = match &response {
                    Ok(fetched) => format!("answered {} to {path}", fetched.status),
                    Err(failure) => format!("failed on {path}: {failure}"),
                };
                let message = format!("{what} (attempt {attempt} of {max_attempts})");
                let (host, pause) = (url.host_key().to_string(), delay);
                (self.on_notice)(Notice::HostSlowed {
                    host,
                    pause,
                    message,
                });
            }
            self.unless_stopped(tokio::time::sleep(delay)).await?;
            attempt += 1;
        }
    }

    /// Waits for a turn under rules of robots.txt that are in force when it comes.
    async fn permitted_turn(
        &self,
        url: &CrawlUrl,
        requested: &RequestedUrl,
        options: RequestOptions,
    ) -> Result<G::Turn, RequestError> {
        let mut expired = 0;
        loop {
            let permit = if options.obeys_robots {
                let permit = self.robots.permit(url, requested, self).await;
                Some(permit.map_err(RequestError::NotPermitted)?)
            } else {
                None
            };
            let turn = self.unless_stopped(self.gate.turn(url)).await??;
            // A host whose turns always take longer than a failed fetch is remembered must not keep the page waiting forever.
            let is_fresh = permit.is_none_or(|permit| self.robots.is_fresh(&permit));
            if is_fresh || expired == MAX_EXPIRED_TURNS {
                return Ok(turn);
            }
            expired += 1;
        }
    }

    /// Waits for a future or a stop.
    async fn unless_stopped<W: Future>(&self, wait: W) -> Result<W::Output, RequestError> {
        tokio::select! {
            biased;
            done = wait => Ok(done),
            () = self.stop.reached(StopLevel::Drain) => Err(RequestError::Stopped),
        }
    }

    fn retry_delay(&self, attempt: u32, retry_after: Option<Duration>) -> Duration {
        let mut rng = lock(&self.rng);
        retry_delay(self.plan.backoff, attempt, retry_after, &mut rng)
    }
}

/// The number of redirects followed.
fn hops(visited: &[CrawlUrl]) -> u32 {
    u32::try_from(visited.len()).unwrap_or(u32::MAX)
}

impl<T, G> std::fmt::Debug for Scraper<T, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scraper")
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
