//! Caches the robots.txt of each origin, which other processes may have read before.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_fetch::{Accept, Fetch, RequestedUrl};
use crawler_frontier::{SiteFileAttempt, SiteFileStep};
use crawler_model::site_rules::{MAX_WAIT, SITE_FILE_ATTEMPTS};
use crawler_model::{FailKind, JsPolicy, Notice, lock};
use crawler_sitefiles::{
    KnownRobots, Robots, RobotsDelay, RobotsFetch, RobotsFile, RobotsPermission,
};
use crawler_weburl::{CrawlUrl, Origin};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::{HostGate, RequestError, RequestOptions, ScrapeProblem, Scraper};
use crate::site_file::{file_text, read_robots};

/// Number of origins at which unused entries are removed.
const MAX_ORIGINS: usize = 4_096;

/// When a file is fetched again that could not be stored for the other processes.
const UNSTORED_LIFETIME: Duration = Duration::from_mins(1);

/// The robots.txt of every origin.
#[derive(Debug)]
pub(super) struct RobotsCache {
    started_at: Instant,
    origins: Mutex<HashMap<Origin, Arc<Entry>>>,
}

/// What is known about an origin. It is not removed while it is in use.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// What was known before it expired.
    before: Option<Known>,
    known: OnceCell<Known>,
    /// Held by the request that learns it; the others wait for it no longer than for a turn of the host.
    learning: tokio::sync::Mutex<()>,
}

#[derive(Clone, Debug)]
struct Known {
    robots: KnownRobots,
    /// Only this process has these rules.
    is_unstored: bool,
}

/// A finished fetch.
struct FetchedRobots {
    file: RobotsFile,
    text: Option<String>,
    retry_after: Option<Duration>,
}

impl RobotsCache {
    pub(super) fn new() -> Self {
        Self {
            started_at: Instant::now(),
            origins: Mutex::default(),
        }
    }

    /// Checks whether a URL may be fetched. If its origin's robots.txt is not known or has expired, the robots memory is asked,
    /// and the file is fetched if that does not have a newer one.
    pub(super) async fn permit<T: Fetch, G: HostGate>(
        &self,
        url: &CrawlUrl,
        requested: &RequestedUrl,
        scraper: &Scraper<T, G>,
    ) -> Result<Arc<Entry>, ScrapeProblem> {
        let entry = self.entry(&url.origin());
        let plan = &scraper.plan;
        let learning = if entry.known.initialized() {
            None
        } else {
            let learning = scraper.gate.bounded(entry.learning.lock()).await;
            Some(learning.map_err(|failure| ScrapeProblem::failed(url, failure))?)
        };
        let known = entry
            .known
            .get_or_try_init(async || {
                let known = self.learn(&entry, url, requested, scraper).await?;
                let file = known.robots.file();
                if let RobotsDelay::Wait(pause) = file.delay(plan.crawl_delay, MAX_WAIT) {
                    scraper.gate.slow_to(url, pause).await;
                    let origin = url.origin().to_string();
                    (scraper.on_notice)(Notice::CrawlDelay { origin, pause });
                }
                Ok(known)
            })
            .await
            .map_err(|error: RequestError| error.into_problem(url))?;
        drop(learning);
        let path = url.parts().path_and_query();
        let (errors, delay) = (plan.robots_errors, plan.crawl_delay);
        let file = known.robots.file();
        match file.permission(path, errors, delay, MAX_WAIT) {
            RobotsPermission::Allowed => Ok(entry),
            RobotsPermission::Skip(reason) => {
                let url = url.clone();
                Err(ScrapeProblem::Robots { url, reason })
            }
            RobotsPermission::Fail(failure) => Err(ScrapeProblem::failed(url, failure)),
            RobotsPermission::TooSlow(pause) => {
                let url = url.clone();
                Err(ScrapeProblem::Parked { url, pause })
            }
        }
    }

    /// Whether the rules that permitted a request have not expired.
    pub(super) fn is_fresh(&self, entry: &Entry) -> bool {
        let known = entry.known.get();
        known.is_some_and(|known| !known.robots.is_expired(self.started_at.elapsed()))
    }

    /// What the other processes know of an origin's robots.txt, or the result of fetching it.
    async fn learn<T: Fetch, G: HostGate>(
        &self,
        entry: &Entry,
        url: &CrawlUrl,
        requested: &RequestedUrl,
        scraper: &Scraper<T, G>,
    ) -> Result<Known, RequestError> {
        let (origin, plan) = (url.origin(), &scraper.plan);
        let lifetime = plan.robots_lifetime;
        // If that fails, nothing is fetched: the rules in force are not known.
        let stored = scraper
            .gate
            .stored_robots(&origin, &plan.fetch.user_agent)
            .await
            .map_err(RequestError::Failed)?;
        let before = entry.before.as_ref().map(|known| known.robots.clone());
        let now = self.started_at.elapsed();
        let before = KnownRobots::restored(stored, before, now, lifetime);
        if let Some(robots) = before.as_ref().filter(|before| !before.is_expired(now)) {
            return Ok(Known {
                robots: robots.clone(),
                is_unstored: false,
            });
        }
        let fetched = fetch_robots(url, requested, scraper).await?;
        let saved = scraper
            .gate
            .save_robots(&origin, &fetched.file, fetched.text)
            .await;
        let now = self.started_at.elapsed();
        let is_unstored = saved.is_err();
        let lifetime = if is_unstored {
            lifetime.min(UNSTORED_LIFETIME)
        } else {
            lifetime
        };
        let fetch = RobotsFetch::now(fetched.file, fetched.retry_after);
        let robots = KnownRobots::after(fetch, before, now, lifetime);
        let is_unstored = is_unstored && robots.was_read();
        Ok(Known {
            robots,
            is_unstored,
        })
    }

    fn entry(&self, origin: &Origin) -> Arc<Entry> {
        let mut origins = lock(&self.origins);
        let now = self.started_at.elapsed();
        if origins.len() >= MAX_ORIGINS && !origins.contains_key(origin) {
            make_room(&mut origins, now);
        }
        let entry = origins.entry(origin.clone()).or_default();
        let expired = |known: &&Known| known.robots.is_expired(now);
        if let Some(known) = entry.known.get().filter(expired) {
            *entry = Arc::new(Entry {
                before: Some(known.clone()),
                known: OnceCell::new(),
                learning: tokio::sync::Mutex::default(),
            });
        }
        Arc::clone(entry)
    }
}

impl Entry {
    fn last_known(&self) -> Option<&Known> {
        self.known.get().or(self.before.as_ref())
    }
}

/// Removes unused entries: those that have expired, then the others. What only this process knows goes last.
fn make_room(origins: &mut HashMap<Origin, Arc<Entry>>, now: Duration) {
    let in_use = |entry: &Arc<Entry>| Arc::strong_count(entry) > 1;
    let unstored = |entry: &Arc<Entry>| entry.last_known().is_some_and(|known| known.is_unstored);
    let expired = |entry: &Arc<Entry>| {
        let known = entry.last_known();
        known.is_none_or(|known| known.robots.is_expired(now))
    };
    origins.retain(|_, entry| in_use(entry) || unstored(entry) || !expired(entry));
    if origins.len() >= MAX_ORIGINS {
        origins.retain(|_, entry| in_use(entry) || unstored(entry));
    }
    if origins.len() >= 2 * MAX_ORIGINS {
        origins.retain(|_, entry| in_use(entry));
    }
}

/// Fetches the robots.txt of a URL's origin. The future has a type of its own, because a request may need a robots.txt.
fn fetch_robots<'a, T: Fetch, G: HostGate>(
    url: &'a CrawlUrl,
    requested: &'a RequestedUrl,
    scraper: &'a Scraper<T, G>,
) -> Pin<Box<dyn Future<Output = Result<FetchedRobots, RequestError>> + Send + 'a>> {
    Box::pin(async move {
        let mut robots_url = url.at_path("/robots.txt");
        let options = RequestOptions {
            accept: Accept::File {
                max_bytes: Robots::MAX_BYTES as u64 + 1,
            },
            max_attempts: SITE_FILE_ATTEMPTS,
            js: JsPolicy::Never,
            visit: 0,
            obeys_robots: false,
        };
        let mut attempt = SiteFileAttempt {
            attempt: SITE_FILE_ATTEMPTS,
            max_attempts: SITE_FILE_ATTEMPTS,
            hops: 0,
            retry_after: None,
            // `request` makes all attempts itself.
            may_continue: false,
        };
        loop {
            let response = match scraper.request(&robots_url, requested, options).await {
                Ok(fetched) => Ok(fetched),
                // Not the site is the reason, so nothing is known of it: the next page asks again.
                Err(RequestError::Failed(failure))
                    if matches!(failure.kind, FailKind::Busy | FailKind::Internal) =>
                {
                    return Err(RequestError::Failed(failure));
                }
                Err(RequestError::Failed(failure)) => Err(failure),
                Err(error) => return Err(error),
            };
            let fetched = response.as_ref().ok();
            let text = fetched.and_then(file_text);
            let retry_after = fetched.and_then(|fetched| fetched.retry_after);
            let answer = read_robots(&robots_url, response, &scraper.plan.fetch.user_agent);
            match attempt.robots_step(answer) {
                SiteFileStep::Follow(to) => {
                    robots_url = to;
                    attempt.hops += 1;
                }
                SiteFileStep::Retry => (),
                SiteFileStep::Done(file) => {
                    return Ok(FetchedRobots {
                        file,
                        text,
                        retry_after,
                    });
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(is_unstored: bool, lifetime: Duration) -> Arc<Entry> {
        let fetch = RobotsFetch::now(RobotsFile::without_rules(), None);
        let robots = KnownRobots::after(fetch, None, Duration::ZERO, lifetime);
        Arc::new(Entry {
            before: None,
            known: OnceCell::new_with(Some(Known {
                robots,
                is_unstored,
            })),
            learning: tokio::sync::Mutex::default(),
        })
    }

    #[test]
    fn what_only_this_process_knows_is_removed_last() {
        let hour = Duration::from_hours(1);
        let origin = |number: usize| {
            let url = CrawlUrl::parse(&format!("http://h{number}.example/"));
            url.unwrap().origin()
        };
        let full = || -> HashMap<Origin, Arc<Entry>> {
            let rest = (0..MAX_ORIGINS - 3).map(|number| (origin(number), entry(false, hour)));
            let mut origins: HashMap<_, _> = rest.collect();
            origins.insert(origin(100_000), entry(true, hour));
            origins.insert(origin(100_001), entry(false, hour));
            origins.insert(origin(100_002), entry(false, hour / 2));
            origins
        };
        let mut origins = full();
        make_room(&mut origins, hour / 2);
        assert_eq!(origins.len(), MAX_ORIGINS - 1, "one has expired");
        origins.insert(origin(100_003), entry(false, hour));
        let used = Arc::clone(&origins[&origin(100_001)]);
        make_room(&mut origins, hour / 2);
        assert_eq!(origins.len(), 2);
        assert!(origins.contains_key(&origin(100_000)));
        assert!(origins.contains_key(&origin(100_001)));
        drop(used);
        let unstored = |number| (origin(number), entry(true, hour));
        let mut origins: HashMap<_, _> = (0..2 * MAX_ORIGINS).map(unstored).collect();
        make_room(&mut origins, hour / 2);
        assert!(origins.is_empty(), "the number is bounded");
    }
}
