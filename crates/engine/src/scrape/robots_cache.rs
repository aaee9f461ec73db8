//! Caches the robots.txt of each origin.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

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
use crate::site_file::read_robots;

/// Number of origins at which unused entries are removed.
const MAX_ORIGINS: usize = 4_096;

/// The robots.txt of every origin.
#[derive(Debug)]
pub(super) struct RobotsCache {
    started_at: Instant,
    origins: Mutex<HashMap<Origin, Arc<Entry>>>,
}

#[derive(Debug, Default)]
struct Entry {
    /// What was known before it expired.
    before: Option<KnownRobots>,
    known: OnceCell<KnownRobots>,
}

impl RobotsCache {
    pub(super) fn new() -> Self {
        Self {
            started_at: Instant::now(),
            origins: Mutex::default(),
        }
    }

    /// Checks whether a URL may be fetched; fetches its origin's robots.txt first if necessary.
    pub(super) async fn permit<T: Fetch, G: HostGate>(
        &self,
        url: &CrawlUrl,
        requested: &RequestedUrl,
        scraper: &Scraper<T, G>,
    ) -> Result<(), ScrapeProblem> {
        let entry = self.entry(&url.origin());
        let plan = &scraper.plan;
        let known = entry
            .known
            .get_or_try_init(async || {
                let file = fetch_robots(url, requested, scraper).await?;
                let (before, now) = (entry.before.clone(), self.started_at.elapsed());
                let lifetime = plan.robots_lifetime;
                let fetch = RobotsFetch::now(file, None);
                let known = KnownRobots::after(fetch, before, now, lifetime);
                if let RobotsDelay::Wait(pause) = known.file().delay(plan.crawl_delay, MAX_WAIT) {
                    scraper.gate.slow_to(url, pause).await;
                    let origin = url.origin().to_string();
                    (scraper.on_notice)(Notice::CrawlDelay { origin, pause });
                }
                Ok(known)
            })
            .await
            .map_err(|error: RequestError| error.into_problem(url))?;
        let path = url.parts().path_and_query();
        let (errors, delay) = (plan.robots_errors, plan.crawl_delay);
        match known.file().permission(path, errors, delay, MAX_WAIT) {
            RobotsPermission::Allowed => Ok(()),
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

    fn entry(&self, origin: &Origin) -> Arc<Entry> {
        let mut origins = lock(&self.origins);
        let now = self.started_at.elapsed();
        if origins.len() >= MAX_ORIGINS && !origins.contains_key(origin) {
            // Entries in use stay. Removed files are fetched again when needed.
            let is_expired = |entry: &Arc<Entry>| {
                let known = entry.known.get();
                known.is_some_and(|known| known.is_expired(now))
            };
            origins.retain(|_, entry| Arc::strong_count(entry) > 1 || !is_expired(entry));
            if origins.len() >= MAX_ORIGINS {
                origins.retain(|_, entry| Arc::strong_count(entry) > 1);
            }
        }
        let entry = origins.entry(origin.clone()).or_default();
        if let Some(known) = entry.known.get().filter(|known| known.is_expired(now)) {
            *entry = Arc::new(Entry {
                before: Some(known.clone()),
                known: OnceCell::new(),
            });
        }
        Arc::clone(entry)
    }
}

/// Fetches the robots.txt of a URL's origin.
async fn fetch_robots<T: Fetch, G: HostGate>(
    url: &CrawlUrl,
    requested: &RequestedUrl,
    scraper: &Scraper<T, G>,
) -> Result<RobotsFile, RequestError> {
    let mut robots_url = url.at_path("/robots.txt");
    let options = RequestOptions {
        accept: Accept::File {
            max_bytes: Robots::MAX_BYTES as u64 + 1,
        },
        max_attempts: SITE_FILE_ATTEMPTS,
        js: JsPolicy::Never,
        visit: 0,
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
        let answer = read_robots(&robots_url, response, &scraper.plan.fetch.user_agent);
        match attempt.robots_step(answer) {
            SiteFileStep::Follow(to) => {
                robots_url = to;
                attempt.hops += 1;
            }
            SiteFileStep::Retry => (),
            SiteFileStep::Done(file) => return Ok(file),
        }
    }
}
