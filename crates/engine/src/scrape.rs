//! Single pages: redirects walked, robots.txt obeyed, failures tried again, and what came of it read.
//!
//! A crawl's hops and retries belong to the frontier; a page asked for by itself has none, so [`Scraper`]
//! walks them in a loop of its own. It keeps what several pages of one run share: each origin's robots.txt,
//! and each host's turns, so that many URLs of one host stay polite. Fetching ends in an [`Answer`];
//! reading it into a [`Document`] is pure work and the caller's to place.

mod answer;
mod content;
mod document;
mod host_turns;
mod media;
mod meta;
mod problem;
mod robots_desk;
mod timestamp;

pub use answer::Answer;
pub use document::{Document, Part};
pub use problem::ScrapeProblem;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use fetch::{Asked, Fetch, FetchRequest, Fetched, Want};
use frontier::{Chance, before_retry};
use model::{FailKind, Failure, JsPolicy, Notice, RobotsPolicy, ScrapePlan};
use weburl::CrawlUrl;

use crate::page::redirect_target;
use crate::{Stop, StopLevel};
use host_turns::HostTurns;
use robots_desk::RobotsDesk;

/// Longest pause a server may ask for before we give up instead.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// A pause that somebody who waits would wonder about.
const WORTH_TELLING: Duration = Duration::from_secs(3);

/// What is worth telling while pages are had.
type Tell = Box<dyn Fn(Notice) + Send + Sync>;

/// Gets single pages. Shared behind an `Arc`.
pub struct Scraper<T> {
    fetch: Arc<T>,
    plan: ScrapePlan,
    hosts: HostTurns,
    robots: RobotsDesk,
    chance: Mutex<Chance>,
    stop: Stop,
    tell: Tell,
    visits: AtomicU64,
}

/// How one URL is asked for.
#[derive(Clone, Copy, Debug)]
struct Way {
    want: Want,
    max_attempts: u32,
    js: JsPolicy,
    /// Each page is a visit of its own.
    visit: u64,
}

/// Why one URL has no answer.
#[derive(Debug)]
enum NoAnswer {
    Failed(Failure),
    /// The host wants to be left alone for longer than we wait.
    Parked(Duration),
    /// An end was asked for before anything was sent.
    Stopped,
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
    /// A scraper of pages by this plan; `chance` spreads its retries. Once `stop` asks for an end nothing more
    /// is sent; `tell` hears of pauses.
    pub fn new(
        fetch: Arc<T>,
        plan: ScrapePlan,
        chance: u64,
        stop: Stop,
        tell: impl Fn(Notice) + Send + Sync + 'static,
    ) -> Self {
        Self {
            stop,
            tell: Box::new(tell),
            visits: AtomicU64::new(1),
            fetch,
            plan,
            hosts: HostTurns::default(),
            robots: RobotsDesk::default(),
            chance: Mutex::new(Chance::new(chance)),
        }
    }

    /// Gets one page. An error status is an answer like any other.
    pub async fn get(&self, asked: &Asked, js: JsPolicy) -> Result<Answer, ScrapeProblem> {
        let way = Way {
            want: Want::Document,
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
                .ask(&url, asked, way)
                .await
                .map_err(|why| why.about(&url))?;
            if !fetched.is_redirect() {
                return Ok(Answer {
                    requested: asked.url.clone(),
                    url,
                    hops: u32::try_from(walked.len()).unwrap_or(u32::MAX),
                    fetched_at: SystemTime::now(),
                    fetched,
                });
            }
            let target = redirect_target(&url, &fetched).map_err(failed)?;
            let limit = self.plan.max_redirects;
            let words = if target == url || walked.contains(&target) {
                Some(format!("redirects in a loop, back to {target}"))
            } else if walked.len() >= usize::try_from(limit).unwrap_or(usize::MAX) {
                Some(format!("more than {limit} redirects"))
            } else {
                None
            };
            if let Some(words) = words {
                return Err(failed(Failure::new(FailKind::TooManyRedirects, words)));
            }
            walked.push(std::mem::replace(&mut url, target));
        }
    }

    /// Asks for one URL until there is an answer worth having, or no attempt is left.
    async fn ask(&self, url: &CrawlUrl, asked: &Asked, way: Way) -> Result<Fetched, NoAnswer> {
        let max_attempts = way.max_attempts;
        let request = FetchRequest {
            url,
            want: way.want,
            asked: Some(asked),
            js: way.js,
            visit: way.visit,
        };
        let mut attempt = 1;
        loop {
            let turn = self.unless_stopped(self.hosts.turn(url)).await?;
            let turn = turn.map_err(|parked| NoAnswer::Parked(parked.0))?;
            let answer = self.fetch.fetch(request).await;
            let (kind, retry_after) = match &answer {
                Ok(fetched) if fetched.status >= 400 => {
                    (FailKind::of_status(fetched.status), fetched.retry_after)
                }
                Ok(_) => return answer.map_err(NoAnswer::Failed),
                Err(failure) => (failure.kind, None),
            };
            // What a host asks for holds for all its pages, whatever becomes of this one.
            if let Some(pause) = retry_after {
                turn.pause(pause);
            }
            let patient = retry_after.is_none_or(|asked| asked <= LONGEST_WAIT);
            if !kind.retryable() || attempt >= max_attempts || !patient {
                return answer.map_err(NoAnswer::Failed);
            }
            let pause = self.backoff(attempt).max(retry_after.unwrap_or_default());
            if kind == FailKind::RateLimited {
                turn.pause(pause);
            }
            drop(turn);
            if pause >= WORTH_TELLING {
                let words = format!("{url}: {kind}, attempt {attempt} of {max_attempts}");
                let host = url.host_key().to_string();
                (self.tell)(Notice::HostSlowed { host, pause, words });
            }
            self.unless_stopped(tokio::time::sleep(pause)).await?;
            attempt += 1;
        }
    }

    /// Waits for something that is not sent yet, unless an end is asked for.
    async fn unless_stopped<W: Future>(&self, wait: W) -> Result<W::Output, NoAnswer> {
        tokio::select! {
            biased;
            done = wait => Ok(done),
            () = self.stop.reached(StopLevel::Drain) => Err(NoAnswer::Stopped),
        }
    }

    fn backoff(&self, attempt: u32) -> Duration {
        let mut chance = self.chance.lock().unwrap_or_else(PoisonError::into_inner);
        before_retry(self.plan.backoff, attempt, &mut chance)
    }
}

impl<T> std::fmt::Debug for Scraper<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scraper")
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
