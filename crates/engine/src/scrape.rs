//! Single pages: redirects followed, robots.txt obeyed, temporary failures retried, and the response read.
//!
//! A crawl's redirects and retries belong to the frontier; a page requested by itself has none, so [`Scraper`]
//! follows them in a loop of its own. It keeps what several pages of one run share: each origin's robots.txt,
//! and the [`HostGate`] that keeps many URLs of one host polite. Fetching ends in a [`ScrapeResponse`];
//! reading it into a [`Document`] is pure work that the caller schedules.

mod content;
mod document;
mod host_gate;
mod local_host_gate;
mod media;
mod meta;
mod problem;
mod robots_cache;
mod scrape_response;

pub use content::markdown;
pub use document::{Document, Part};
pub use host_gate::{HostGate, NoTurn};
pub use local_host_gate::LocalHostGate;
pub use problem::ScrapeProblem;
pub use scrape_response::ScrapeResponse;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crawler_fetch::{Accept, Fetch, FetchRequest, Fetched, RequestedUrl};
use crawler_frontier::{Rng, host_pause, retry_delay};
use crawler_model::site_rules::{MAX_WAIT, PageStatus, may_retry, throttles_host};
use crawler_model::{FailKind, Failure, JsPolicy, Notice, RobotsPolicy, ScrapePlan, counted};
use crawler_weburl::CrawlUrl;

use crate::page::redirect_target;
use crate::{Stop, StopLevel};
use robots_cache::RobotsCache;

/// Shortest pause that is reported to the user.
const MIN_REPORTED_PAUSE: Duration = Duration::from_secs(3);

/// Receives notices while pages are fetched.
type Tell = Box<dyn Fn(Notice) + Send + Sync>;

/// Fetches single pages. Shared behind an `Arc`.
pub struct Scraper<T, G = LocalHostGate> {
    fetch: Arc<T>,
    plan: ScrapePlan,
    gate: G,
    robots: RobotsCache,
    rng: Mutex<Rng>,
    stop: Stop,
    tell: Tell,
    visits: AtomicU64,
}

/// How one URL is requested.
#[derive(Clone, Copy, Debug)]
struct Way {
    accept: Accept,
    max_attempts: u32,
    js: JsPolicy,
    /// Each page is a visit of its own.
    visit: u64,
}

/// Why one URL has no response.
#[derive(Debug)]
enum NoAnswer {
    Failed(Failure),
    /// The host asks for a longer pause than we wait.
    Parked(Duration),
    /// Stopped before anything was sent.
    Stopped,
}

impl From<NoTurn> for NoAnswer {
    fn from(refused: NoTurn) -> Self {
        match refused {
            NoTurn::Parked(pause) => Self::Parked(pause),
            NoTurn::Failed(failure) => Self::Failed(failure),
        }
    }
}

impl NoAnswer {
    fn about(self, url: &CrawlUrl) -> ScrapeProblem {
        let url = url.clone();
        match self {
            Self::Failed(failure) => ScrapeProblem::Failed { url, failure },
            Self::Parked(pause) => ScrapeProblem::Parked { url, pause },
            Self::Stopped => ScrapeProblem::Stopped { url },
        }
    }
}

impl<T: Fetch> Scraper<T> {
    /// A scraper that limits its requests to each host by itself. `rng_seed` seeds the jitter of retries. Once `stop`
    /// is asked for, nothing more is sent; `tell` receives notices of pauses.
    pub fn new(
        fetch: Arc<T>,
        plan: ScrapePlan,
        rng_seed: u64,
        stop: Stop,
        tell: impl Fn(Notice) + Send + Sync + 'static,
    ) -> Self {
        let gate = LocalHostGate::new(plan.per_host_concurrency);
        Self::with_gate(fetch, plan, gate, rng_seed, stop, tell)
    }
}

impl<T: Fetch, G: HostGate> Scraper<T, G> {
    /// A scraper whose requests to each host are limited by `gate`, as [`Scraper::new`] otherwise.
    pub fn with_gate(
        fetch: Arc<T>,
        plan: ScrapePlan,
        gate: G,
        rng_seed: u64,
        stop: Stop,
        tell: impl Fn(Notice) + Send + Sync + 'static,
    ) -> Self {
        Self {
            stop,
            tell: Box::new(tell),
            visits: AtomicU64::new(1),
            fetch,
            plan,
            gate,
            robots: RobotsCache::default(),
            rng: Mutex::new(Rng::new(rng_seed)),
        }
    }

    /// Fetches one page. An error status (4xx, 5xx) is a response like any other.
    pub async fn get(
        &self,
        asked: &RequestedUrl,
        js: JsPolicy,
    ) -> Result<ScrapeResponse, ScrapeProblem> {
        let way = Way {
            accept: Accept::Document,
            max_attempts: self.plan.max_attempts,
            js,
            visit: self.visits.fetch_add(1, Ordering::Relaxed),
        };
        let mut url = asked.url.clone();
        let mut walked: Vec<CrawlUrl> = Vec::new();
        loop {
            if self.plan.robots == RobotsPolicy::Respect {
                self.robots.permit(&url, asked, self).await?;
            }
            let failed = |failure| ScrapeProblem::failed(&url, failure);
            let fetched = self
                .request(&url, asked, way)
                .await
                .map_err(|why| why.about(&url))?;
            match fetched.page_status() {
                PageStatus::Redirect => (),
                // Neither a page nor an error page: a crawl reports the same.
                PageStatus::Failure(_) if fetched.status < 400 => {
                    return Err(failed(Failure::of_status(fetched.status)));
                }
                PageStatus::Success | PageStatus::Failure(_) => {
                    return Ok(ScrapeResponse {
                        requested: asked.url.clone(),
                        url,
                        hops: u32::try_from(walked.len()).unwrap_or(u32::MAX),
                        fetched_at: SystemTime::now(),
                        fetched,
                    });
                }
            }
            let target = redirect_target(&url, &fetched).map_err(failed)?;
            let limit = self.plan.max_redirects;
            let message = if target == url || walked.contains(&target) {
                Some(format!("redirects in a loop, back to {target}"))
            } else if walked.len() >= usize::try_from(limit).unwrap_or(usize::MAX) {
                Some(format!("more than {}", counted(limit, "redirect")))
            } else {
                None
            };
            if let Some(message) = message {
                return Err(failed(Failure::new(FailKind::TooManyRedirects, message)));
            }
            walked.push(std::mem::replace(&mut url, target));
        }
    }

    /// Requests one URL until there is a response worth having, or no attempt is left.
    async fn request(
        &self,
        url: &CrawlUrl,
        asked: &RequestedUrl,
        way: Way,
    ) -> Result<Fetched, NoAnswer> {
        let max_attempts = way.max_attempts;
        let request = FetchRequest {
            url,
            accept: way.accept,
            requested: Some(asked),
            js: way.js,
            visit: way.visit,
        };
        let mut attempt = 1;
        loop {
            let turn = self.unless_stopped(self.gate.turn(url)).await??;
            let answer = self.fetch.fetch(request).await;
            let (kind, retry_after) = match &answer {
                Ok(fetched) if fetched.status >= 400 => {
                    (FailKind::of_status(fetched.status), fetched.retry_after)
                }
                Ok(_) => return answer.map_err(NoAnswer::Failed),
                Err(failure) => (failure.kind, None),
            };
            let delay = self.retry_delay(attempt, retry_after);
            if let Ok(fetched) = &answer
                && throttles_host(fetched.status, retry_after.is_some())
            {
                // Holds for all pages of the host, whatever becomes of this one.
                let pause = retry_after.unwrap_or_else(|| self.host_pause(attempt));
                self.gate.pause(url, pause).await;
            }
            drop(turn);
            if !may_retry(kind, attempt, max_attempts, retry_after, MAX_WAIT) {
                return answer.map_err(NoAnswer::Failed);
            }
            if delay >= MIN_REPORTED_PAUSE {
                let message = format!("{url}: {kind}, attempt {attempt} of {max_attempts}");
                let (host, pause) = (url.host_key().to_string(), delay);
                (self.tell)(Notice::HostSlowed {
                    host,
                    pause,
                    message,
                });
            }
            self.unless_stopped(tokio::time::sleep(delay)).await?;
            attempt += 1;
        }
    }

    /// Waits for a future, unless stopped.
    async fn unless_stopped<W: Future>(&self, wait: W) -> Result<W::Output, NoAnswer> {
        tokio::select! {
            biased;
            done = wait => Ok(done),
            () = self.stop.reached(StopLevel::Drain) => Err(NoAnswer::Stopped),
        }
    }

    fn retry_delay(&self, attempt: u32, retry_after: Option<Duration>) -> Duration {
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        retry_delay(self.plan.backoff, attempt, retry_after, &mut rng)
    }

    fn host_pause(&self, times: u32) -> Duration {
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        host_pause(times, &mut rng)
    }
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
